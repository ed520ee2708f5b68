// Function headers and bodies.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "ptx/error.hpp"
#include "ptx/merged_lines.hpp"
#include "ptx/old_spellings.hpp"
#include "ptx/parse_state.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::size_t kMostOperands = 16;           // of one instruction, vectors counted once
constexpr std::size_t kMostTargets = 4096;          // of one branch table
constexpr std::size_t kMostDeclarations = 65536;    // of registers in a function, read tolerantly
constexpr std::uint32_t kOldParameterBytes = 4352;  // of a kernel
constexpr std::uint32_t kParameterLists = 14;       // .version 1.4: of kernels

std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

void ParseState::parse_function(Linkage linkage) {
  Function function;
  function.linkage = linkage;
  function.entry = token_.is(".entry");
  function.line = token_.line;
  if (tolerant_) return read_function(std::move(function));
  parse_header(function);
  // nvcc 3 declares functions without a semicolon.
  const bool declared = !function.entry && token_.kind == TokenKind::directive;
  auto known = module_.function_by_name.find(function.name);
  if (!accept(';') && !declared) {
    const bool twice =
        known != module_.function_by_name.end() && module_.functions[known->second].has_body;
    const bool weak = twice && (linkage == Linkage::weak ||
                                module_.functions[known->second].linkage == Linkage::weak);
    if (twice && !weak) {
      throw PtxError(function.line,
                     "function '" + std::string(function.name) + "' is defined twice");
    }
    parse_body(function);
    if (weak && linkage == Linkage::weak) return;  // the first of several weak ones counts
  }
  if (known == module_.function_by_name.end()) {
    module_.function_by_name.emplace(function.name,
                                     static_cast<std::uint32_t>(module_.functions.size()));
    module_.functions.push_back(std::move(function));
  } else if (function.has_body) {
    module_.functions[known->second] = std::move(function);
  }
}

void ParseState::parse_header(Function& function) {
  doubt_ = "a function without a name";
  advance();
  if (token_.is(".attribute")) parse_attributes();
  if (token_.is('(') && !function.entry)
    parse_parameters(function, function.results, function.result_bytes);
  function.name = expect_name("a function name");
  doubt_ = "parameters in a way that is not known";
  if (token_.is('(')) parse_parameters(function, function.parameters, function.parameter_bytes);
  parse_performance_directives(function);
}

void ParseState::parse_parameters(const Function& function, std::vector<Parameter>& into,
                                  std::uint32_t& bytes) {
  // Kernels had less before PTX 8.1.
  const std::uint32_t most = function.entry && module_.version < 81
                                 ? std::min(kOldParameterBytes, limits_.parameter_bytes)
                                 : limits_.parameter_bytes;
  expect('(');
  while (!token_.is(')')) {
    if (!into.empty()) expect(',');
    Parameter parameter = parse_parameter(function);
    for (std::size_t i = 0; i < into.size() && !tolerant_; ++i) {
      if (into[i].name == parameter.name && parameter.name != "_")
        fail("parameter '" + std::string(parameter.name) + "' is declared twice");
    }
    const std::uint64_t size = parse_parameter_size(function, parameter, most);
    parameter.offset = align_up(bytes, parameter.alignment);
    if (size > most || parameter.offset + size > most)
      refuse("parameters take more than " + std::to_string(most) + " bytes");
    parameter.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 0xffffffff));
    bytes = parameter.offset + parameter.bytes;
    into.push_back(parameter);
  }
  advance();
}

Parameter ParseState::parse_parameter(const Function& function) {
  Parameter parameter;
  parameter.in_register = token_.is(".reg") && !function.entry;
  if (!token_.is(".param") && !parameter.in_register) fail("expected .param");
  advance();
  if (parameter.in_register) parameter.elements = accept_vector();
  std::uint32_t alignment = accept_alignment().value_or(0);
  parameter.type = parse_parameter_type(function, parameter.in_register);
  if (token_.is(".ptr")) skip_pointer_advice();
  alignment = accept_alignment().value_or(alignment);
  if (parameter.elements > 1) check_vector_register(parameter.type, parameter.elements);
  const std::uint32_t size = bytes_in_memory(parameter.type) * parameter.elements;
  parameter.alignment = alignment != 0 ? alignment : std::max(1u, size);
  parameter.name = expect_word("a parameter name");
  return parameter;
}

Type ParseState::parse_parameter_type(const Function& function, bool in_register) {
  if (function.entry && is_image()) {
    advance();
    return Type::b64;
  }
  const Type type = expect_type();
  const bool packed =
      type == Type::bf16 || type == Type::bf16x2 || type == Type::f16x2 || type == Type::pred;
  if (packed && !in_register) refuse("a parameter of this type is .b16 or .b32");
  return type;
}

// Skips the directives that describe the object that a pointer points to.
void ParseState::skip_pointer_advice() {
  advance();
  while (token_.kind == TokenKind::directive) {
    if (!accept_alignment()) advance();
  }
}

std::uint64_t ParseState::parse_parameter_size(const Function& function, const Parameter& parameter,
                                               std::uint32_t most) {
  const std::uint64_t element = bytes_of(parameter.type);
  if (parameter.in_register)
    return std::uint64_t{bytes_in_memory(parameter.type)} * parameter.elements;
  if (!accept('[')) return element;
  const std::uint64_t count = token_.is(']') ? 0 : expect_integer("an array size");
  if (count > most) refuse("the parameter is too large");
  if (count == 0 && function.entry) refuse("a kernel's array has a size");
  expect(']');
  return element * std::min<std::uint64_t>(count, 0xffffffff);
}

void ParseState::parse_performance_directives(Function& function) {
  constexpr std::array<std::string_view, 12> of_kernels = {
      ".maxntid", ".reqntid",           ".minnctapersm",      ".maxnctapersm",
      ".maxnreg", ".explicitcluster",   ".reqnctapercluster", ".maxclusterrank",
      ".pragma",  ".blocksareclusters", ".local_maxnreg",     ".minperctamemory"};
  constexpr std::array<std::string_view, 5> of_functions = {
      ".noreturn", ".pragma", ".abi_preserve", ".abi_preserve_control", ".local_maxnreg"};
  constexpr std::array<std::string_view, 11> of_modules = {
      ".visible", ".extern", ".weak",  ".common", ".func",   ".entry",
      ".file",    ".global", ".const", ".shared", ".section"};
  const auto is_one = [&](const auto& known) {
    return std::ranges::find(known, token_.text) != known.end();
  };
  bool most = false, required = false;
  while (token_.kind == TokenKind::directive) {
    if (!function.entry && is_one(of_modules)) return;
    if (!(function.entry ? is_one(of_kernels) : is_one(of_functions)))
      refuse(function.entry ? "unknown directive of a kernel" : "unknown directive of a function");
    most = most || token_.is(".maxntid");
    required = required || token_.is(".reqntid");
    if (most && required) refuse(".maxntid and .reqntid exclude each other");
    const bool exact = token_.is(".reqntid"), threads = exact || token_.is(".maxntid");
    const bool cluster = token_.is(".reqnctapercluster");
    if (parse_without_counts(function)) continue;
    function.counts_clusters = function.counts_clusters || token_.is(".blocksareclusters");
    advance();
    std::uint64_t product = 1;
    if (cluster) function.cluster = {1, 1, 1};
    if (exact) function.threads = {1, 1, 1};
    for (std::size_t i = 0; token_.kind == TokenKind::integer; ++i) {
      if (token_.value == 0 || ((threads || cluster) && i == 3))
        fail("expected up to three counts from 1 on");
      if (token_.value > 0xffffffff) fail("a count has 32 bits");
      const std::uint64_t value = expect_integer("a count");
      const auto count = static_cast<std::uint32_t>(value);
      if (cluster && i < 3) function.cluster[i] = count;
      if (exact && i < 3) function.threads[i] = count;
      product = value > 0xffff || product > 0xffff ? 0xffffffff : product * value;
      if (!accept(',')) break;
    }
    if (threads)
      function.max_threads =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(product, 0xffffffff));
  }
}

// Parses .pragma or .minperctamemory; false for another directive.
bool ParseState::parse_without_counts(Function& function) {
  const bool memory = token_.is(".minperctamemory");
  if (memory) parse_block_memory(function);
  if (memory || !token_.is(".pragma")) return memory;
  parse_pragma();
  return true;
}

void ParseState::parse_block_memory(Function& function) {
  if (module_.version < 94) fail(".minperctamemory needs .version 9.4");
  if (module_.architecture < 80) fail(".minperctamemory needs .target sm_80 or higher");
  advance();
  const std::uint64_t bytes = expect_integer("a number of bytes");
  if (bytes > 0xffffffff) fail("a number of bytes has 32 bits");
  function.block_memory =
      std::max(function.block_memory.value_or(0), static_cast<std::uint32_t>(bytes));
}

void ParseState::parse_body(Function& function) {
  expect('{');
  function.has_body = true;
  in_function_ = true;
  location_ = {};
  recent_ = {};
  calls_.clear();
  declared_ = 0;
  Scopes scopes(function, outside_, tolerant_);
  for (const auto* list : {&function.results, &function.parameters}) {
    for (const Parameter& one : *list) {
      if (!one.in_register && one.name != "_")
        scopes.declare(one.name, {}, false, 1, function.line);
    }
  }
  if (!tolerant_) read_parameters(function, scopes);
  while (true) {
    if (tolerant_ && token_.kind == TokenKind::end) break;
    if (token_.kind == TokenKind::end)
      fail("function '" + std::string(function.name) + "' has no end: expected '}'");
    if (accept('{')) {
      if (scopes.depth() >= limits_.nesting) fail("{ } are nested too deeply");
      scopes.open();
    } else if (accept('}')) {
      if (scopes.depth() == 1) {
        if (tolerant_) break;
        Statement end;  // falling off the end is a return
        end.line = token_.line;
        write_results(function, scopes, end);
        break;
      }
      scopes.close();
    } else if (tolerant_ && accept(';')) {
    } else {
      const char* const begin = token_.text.data();
      doubt_ = "something unknown in a function";
      const bool holds = attempt([&] {
        if (token_.kind == TokenKind::directive)
          parse_body_directive(function, scopes);
        else
          parse_statement(function, scopes);
      });
      if (holds) continue;
      if (token_.text.data() == begin) advance();
      skip_statement();
    }
  }
  scopes.finish();
  in_function_ = false;
  for (Statement& statement : function.statements) {
    statement.opcode = later_spelling(module_, statement.opcode, statement.operands);
    statement.facts = &module_.instructions.of(statement.opcode, statement.operands);
  }
  if (!tolerant_) place_merged_code(module_, function);
}

// Before .version 1.4 a kernel's parameters stand in its body.
void ParseState::parse_old_parameters(Function& function, Scopes& scopes) {
  advance();
  std::vector<Variable> declared;
  parse_variables(Space::param, Linkage::local, declared);
  for (const Variable& variable : declared) {
    Parameter parameter;
    parameter.name = variable.name;
    parameter.type = variable.type;
    parameter.alignment = variable.alignment;
    parameter.offset = align_up(function.parameter_bytes, variable.alignment);
    if (variable.bytes > kOldParameterBytes ||
        parameter.offset + variable.bytes > kOldParameterBytes)
      fail("parameters take more than " + std::to_string(kOldParameterBytes) + " bytes");
    parameter.bytes = static_cast<std::uint32_t>(variable.bytes);
    function.parameter_bytes = parameter.offset + parameter.bytes;
    function.parameters.push_back(parameter);
    scopes.declare(variable.name, {}, false, 1, variable.line);
  }
}

// `.pragma "nounroll", "used_bytes_mask 1";`: advice only.
void ParseState::parse_pragma() {
  advance();
  do {
    if (token_.kind != TokenKind::string) fail("a pragma needs quotes");
    advance();
  } while (accept(','));
  expect(';');
}

void ParseState::parse_body_directive(Function& function, Scopes& scopes) {
  if (token_.is(".reg")) {
    advance();
    parse_registers(&scopes);
  } else if (token_.is(".loc")) {
    parse_location();
  } else if (token_.is(".pragma")) {
    parse_pragma();
  } else if (token_.is(".param") && function.entry && module_.version < kParameterLists) {
    parse_old_parameters(function, scopes);
  } else if (token_.is(".local") || token_.is(".shared") || token_.is(".param")) {
    const Space space = token_.is(".local")    ? Space::local
                        : token_.is(".shared") ? Space::shared
                                               : Space::param;
    advance();
    const std::size_t before = function.variables.size();
    parse_variables(space, Linkage::local, function.variables);
    for (std::size_t i = before; i < function.variables.size(); ++i) {
      const Variable& variable = function.variables[i];
      scopes.declare(variable.name, {}, false, 1, variable.line);
    }
  } else if (token_.is(".global") || token_.is(".const")) {
    const Space space = token_.is(".const") ? Space::constant : Space::global;
    advance();
    parse_variables(space, Linkage::local, module_.variables);
  } else if (tolerant_ && token_.is(".file")) {
    parse_file();
  } else if (tolerant_ && token_.is(".tex")) {
    parse_textures(Linkage::local);
  } else if (tolerant_ && (token_.is(".branchtargets") || token_.is(".calltargets") ||
                           token_.is(".callprototype"))) {
    skip_past(';');
  } else {
    fail("unknown directive in a function");
  }
}

// 2 or 4 for .v2 and .v4, else 1.
std::uint8_t ParseState::accept_vector() {
  const bool two = token_.is(".v2"), four = token_.is(".v4");
  if (two || four) advance();
  return two ? 2 : four ? 4 : 1;
}

void ParseState::check_vector_register(Type type, std::uint8_t elements) const {
  if (type == Type::pred) refuse("a predicate is no part of a vector");
  if (bytes_of(type) * elements > 16) refuse("a vector has at most 16 bytes");
}

// Registers of a function, or without one of the module.
void ParseState::parse_registers(Scopes* scopes) {
  Scopes::Kind kind;
  kind.elements = accept_vector();
  const Type type = kind.type = expect_type();
  if (type == Type::b128 && module_.version < 83) fail("a register of .b128 needs .version 8.3");
  if (type == Type::bf16 || type == Type::bf16x2) refuse("a register of this type is .b16 or .b32");
  if (kind.elements > 1) check_vector_register(type, kind.elements);
  kind.of_module = scopes == nullptr;
  without_abi_ = without_abi_ || kind.of_module;
  do {
    const std::uint32_t line = token_.line;
    const std::string_view name = expect_name("a register name");
    std::uint64_t count = 1;
    const bool range = accept('<');
    if (range) {
      count = expect_integer("a count");
      if (count > 0xffffffff && !tolerant_)
        throw PtxError(line, "there are at most 2^32 registers");
      expect('>');
    }
    if (tolerant_ && ++declared_ > kMostDeclarations)
      note(line, "too many registers");
    else if (scopes != nullptr)
      scopes->declare(name, kind, range, count, line);
    else
      Scopes::add(outside_, name, kind, range, count, line);
  } while (accept(','));
  expect(';');
}

void ParseState::parse_location() {
  advance();
  const auto small = [&](std::string_view what) {
    if (tolerant_ && token_.kind != TokenKind::integer) return std::uint32_t{0};
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(expect_integer(what), 0xffffffff));
  };
  const auto place = [&] {
    Location location;
    location.file = small("a file number");
    location.line = small("a line");
    location.column = small("a column");
    return location;
  };
  const Location before = location_;
  location_ = place();
  // The compiler gives line 0 to what it made of several lines (ptx/merged_lines.hpp).
  if (location_.line == 0 && location_.file == before.file && !tolerant_) {
    location_.line = before.line;
    location_.column = before.column;
    location_.merged = true;
  }
  // Inlined code: `, function_name label, inlined_at file line column`.
  std::string_view function;
  while (accept(',')) {
    const std::string_view attribute = expect_word("function_name or inlined_at");
    if (attribute == "function_name") {
      function = expect_word("a label");
      // An offset is into a section; ours are found by their labels.
      if (accept('+') && expect_integer("an offset") != 0) function = {};
    } else if (attribute == "inlined_at") {
      location_.inlined = inlined_call(function, place());
    } else {
      fail("unknown attribute of .loc");
    }
  }
  recent_[next_recent_++ % recent_.size()] = location_;
}

std::uint32_t ParseState::inlined_call(std::string_view function, Location call) {
  const auto same = [](const Location& a, const Location& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
  };
  // PTX ISA: the place of the call was named by a .loc before, which says whether that is inlined
  // in turn. NVRTC writes it right before; later code of the same call may lean on it from afar.
  const std::uint64_t key =
      std::uint64_t{call.file} << 48 ^ std::uint64_t{call.line} << 16 ^ std::uint64_t{call.column};
  std::size_t back = 1;
  while (back <= recent_.size() && !same(recent_[(next_recent_ - back) % recent_.size()], call))
    ++back;
  if (back <= recent_.size()) {
    call = calls_[key] = recent_[(next_recent_ - back) % recent_.size()];
  } else if (const auto found = calls_.find(key);
             found != calls_.end() && same(found->second, call)) {
    call = found->second;
  }
  std::vector<InlinedCall>& all = module_.inlined;
  for (std::size_t i = all.size(); i-- > 0 && all.size() - i <= 16;) {
    if (same(all[i].call, call) && all[i].call.inlined == call.inlined &&
        all[i].function == function)
      return static_cast<std::uint32_t>(i + 1);
  }
  all.push_back({function, call, {}});
  return static_cast<std::uint32_t>(all.size());
}

void ParseState::parse_statement(Function& function, Scopes& scopes) {
  Statement statement;
  statement.line = token_.line;
  statement.location = location_;
  const char* begin = token_.text.data();
  if (accept('@')) {
    statement.guard_negated = accept('!');
    const std::string_view name = expect_word("a predicate");
    if (tolerant_ && name.find('.') != std::string_view::npos) fail("expected a predicate");
    statement.guard = scopes.find(name);
    if (tolerant_ && statement.guard == Operand::kNone) {
      statement.guard = static_cast<std::uint32_t>(function.registers.size());
      function.registers.push_back({name, Type::none});
    }
    if (!tolerant_ && (statement.guard == Operand::kNone ||
                       function.registers[statement.guard].type != Type::pred)) {
      throw PtxError(statement.line, "'" + std::string(name) + "' is not a predicate register");
    }
  }
  const Token opcode = token_;
  statement.opcode = parse_opcode();
  if ((statement.guard == Operand::kNone || tolerant_) && accept(':')) {
    parse_label(function, scopes, opcode);
    if (statement.guard == Operand::kNone) return;
    statement.opcode = parse_opcode();
  }
  if (tolerant_) return read_operands(function, scopes, statement);
  call_ = statement.opcode.starts_with("call");
  negates_ = statement.opcode.starts_with("vmad.");
  std::array<Operand, kMostOperands> operands;
  std::size_t count = 0;
  if (!token_.is(';')) {
    do {
      if (count == kMostOperands) fail("too many operands");
      operands[count++] = parse_operand(function, scopes, 0);
    } while (accept(','));
  }
  statement.text = {begin, static_cast<std::size_t>(token_.text.data() + 1 - begin)};
  expect(';');
  std::vector<Passed> results;
  if (call_) results = pass_registers(function, statement, operands, count);
  if (statement.opcode == "ret" || statement.opcode == "ret.uni")
    write_results(function, scopes, statement);
  statement.operands = static_cast<std::uint8_t>(count);
  statement.first_operand = static_cast<std::uint32_t>(function.operands.size());
  const bool branch = statement.opcode == "bra" || statement.opcode == "bra.uni";
  for (std::size_t i = 0; i < count; ++i) {
    if (branch && operands[i].kind == OperandKind::name) {
      scopes.branch_to(static_cast<std::uint32_t>(function.operands.size()), statement.line);
    }
    function.operands.push_back(operands[i]);
  }
  function.statements.push_back(statement);
  if (!results.empty()) read_results(function, statement, results);
}

// Blanks and comments may stand between the modifiers of an opcode.
std::string_view ParseState::parse_opcode() {
  const std::string_view first = expect_word("an instruction");
  if (token_.kind != TokenKind::directive) return first;
  std::string joined(first);
  for (; token_.kind == TokenKind::directive; advance()) joined += token_.text;
  const std::string_view written(first.data(),
                                 static_cast<std::size_t>(previous_end_ - first.data()));
  std::unique_ptr<std::string>& opcode = module_.spellings[written];
  opcode = std::make_unique<std::string>(std::move(joined));
  return *opcode;
}

void ParseState::parse_label(Function& function, Scopes& scopes, const Token& label) {
  scopes.label(label.text, label.line);
  if (label.text.starts_with("$L__tmp")) marks_.emplace_back(label.text, label.line);
  // `prototype_1 : .callprototype (…) _ (…);` declares no instruction.
  if (token_.is(".branchtargets")) {
    advance();
    parse_targets(function, scopes, label.text);
  } else if (token_.is(".callprototype") || token_.is(".calltargets")) {
    skip_past(';');
  }
}

// `table : .branchtargets label, label, …;` for brx.idx.
void ParseState::parse_targets(Function& function, Scopes& scopes, std::string_view name) {
  BranchTable table;
  table.first_operand = static_cast<std::uint32_t>(function.operands.size());
  do {
    if (function.operands.size() - table.first_operand == kMostTargets) fail("too many labels");
    Operand label;
    label.kind = OperandKind::name;
    const std::uint32_t line = token_.line;
    label.text = expect_word("a label");
    scopes.branch_to(static_cast<std::uint32_t>(function.operands.size()), line);
    function.operands.push_back(label);
  } while (accept(','));
  expect(';');
  table.labels = static_cast<std::uint32_t>(function.operands.size()) - table.first_operand;
  function.branch_tables.insert_or_assign(name, table);
}

}  // namespace warpmark::cpu
