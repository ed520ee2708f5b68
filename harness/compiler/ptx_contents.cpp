#include "compiler/ptx_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "compiler/ptx_registers.hpp"
#include "compiler/ptx_tokens.hpp"
#include "ptx/instruction_set.hpp"
#include "ptx/types.hpp"

namespace warpmark {

namespace {

using cpu::Token;
using cpu::TokenKind;

constexpr size_t kMostNames = 4096;  // of each kind: a hundred times what a large kernel has
constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

uint64_t product(uint64_t a, uint64_t b) {
  return a != 0 && b > kHuge / a ? kHuge : a * b;
}

// Parses a number as std::to_string and names of types have it.
std::optional<uint64_t> decimal(std::string_view text) {
  uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Bytes of ".u64", ".b8", ".f16x2", ".texref"; 0 for a directive that is no type of a variable.
uint64_t bytes_of_type(std::string_view type) {
  if (type == ".texref" || type == ".samplerref" || type == ".surfref") return 8;
  return type.starts_with('.') ? cpu::bytes_of(cpu::type_named(type.substr(1))) : 0;
}

class Parser {
 public:
  explicit Parser(std::string_view ptx) : tokens_(ptx) { step(); }

  PtxContents run() {
    while (!at_end()) module_statement();
    for (auto* uses : {&found_.opcodes, &found_.registers, &found_.calls}) {
      for (auto& [name, use] : *uses) name_file(use.first);
    }
    for (PtxVariable& variable : found_.variables) {
      name_file(variable.where);
    }
    find_changes();
    // NVRTC declares functions before it defines them.
    std::erase_if(found_.externs,
                  [defined = std::set(found_.functions.begin(), found_.functions.end())](
                      const std::string& name) { return defined.contains(name); });
    return std::move(found_);
  }

 private:
  // --- tokens ---
  bool at_end() const { return is(TokenKind::end); }
  bool is(std::string_view what) const { return token_.is(what); }
  bool is(TokenKind kind) const { return token_.kind == kind; }
  bool is_number() const { return is(TokenKind::integer) || is(TokenKind::real); }

  void step() {
    token_ = tokens_.next();
    if (found_.trouble.empty() && !tokens_.trouble().empty())
      found_.trouble = "PTX " + tokens_.trouble();
    // Seen: ptxas ends a string at the quote after a backslash, and others may not.
    if (is(TokenKind::string) && token_.text.find('\\') != std::string_view::npos)
      trouble("a string with a backslash");
    if (is(TokenKind::word) && token_.text.find(':') != std::string_view::npos)
      trouble("a name with colons");
  }
  bool take(std::string_view what) {
    if (!is(what)) return false;
    step();
    return true;
  }
  void trouble(std::string_view what) {
    if (found_.trouble.empty()) found_.trouble = fmt::format("PTX line {}: {}", token_.line, what);
  }
  // Skips up to the `;` of a statement, with braces in pairs. A "}" that closes nothing here is
  // left.
  void skip_statement() {
    size_t depth = 0;
    while (!at_end() && !(depth == 0 && (is(";") || is("}")))) {
      if (is("{")) ++depth;
      if (is("}")) --depth;
      step();
    }
    take(";");
  }
  // Returns the names within the parentheses.
  std::vector<std::string_view> skip_parentheses() {
    std::vector<std::string_view> names;
    if (!is("(")) return names;
    size_t depth = 0;
    do {
      if (is("(")) ++depth;
      if (is(")")) --depth;
      if (is(TokenKind::word)) names.push_back(token_.text);
      step();
    } while (depth > 0 && !at_end());
    return names;
  }

  static std::string name_of(const Token& token) { return std::string(token.text); }
  // Files are named at the text's end, so until then a place has the file's number.
  PtxPlace here(const Token& token) const {
    return {static_cast<int>(token.line), std::to_string(file_), line_};
  }
  void name_file(PtxPlace& place) const {
    const auto found = files_.find(decimal(place.file).value_or(0));
    place.file = found != files_.end() ? found->second : "";
    if (place.file.empty()) place.line = 0;
  }
  void count(std::map<std::string, PtxUse>& uses, const std::string& name, const Token& token) {
    const auto found = uses.find(name);
    if (found != uses.end()) {
      ++found->second.count;
    } else if (uses.size() < kMostNames) {
      uses.emplace(name, PtxUse{here(token), 1});
    } else {
      trouble("too many names");
    }
  }
  void keep(std::vector<std::string>& names, const Token& token) {
    if (names.size() >= kMostNames) {
      trouble("too many names");
    } else {
      names.push_back(name_of(token));
    }
  }

  // --- the module ---
  void module_statement() {
    if (is(".entry") || is(".func")) {
      function(is(".entry"));
    } else if (is(".section")) {
      section();
    } else if (is(".file")) {
      file();
    } else if (is(".loc")) {
      location();
    } else if (is(".version") || is(".target") || is(".address_size")) {
      step();
      while (is_number() || is(TokenKind::word) || is(",")) step();
      external_ = false;
    } else if (is(".visible") || is(".weak") || is(".common") || is(".extern")) {
      external_ = external_ || is(".extern");
      step();
    } else if (space_of_token()) {
      variables(external_, false);
      external_ = false;
    } else if (is(".pragma") || is(".alias")) {
      skip_statement();
    } else if (!take(";")) {
      trouble("something unknown");
      step();
    }
  }

  std::optional<PtxSpace> space_of_token() const {
    if (is(".global") || is(".tex")) return PtxSpace::global;
    if (is(".const")) return PtxSpace::constant;
    if (is(".shared")) return PtxSpace::shared;
    if (is(".local")) return PtxSpace::local;
    return std::nullopt;
  }

  // Skips a section of data for debuggers: nothing in it is executed.
  void section() {
    step();
    while (is(TokenKind::directive) || is(TokenKind::word)) step();
    if (!is("{")) {
      trouble("a section without braces");
      return;
    }
    if (!tokens_.skip_braces()) trouble("braces in comments or strings of a section");
    step();
  }

  // .file 1 "kernel.cu", 0, 0
  void file() {
    step();
    const auto index = is(TokenKind::integer) ? std::optional(token_.value) : std::nullopt;
    step();
    if (index && is(TokenKind::string) && files_.size() < kMostNames) {
      files_.insert_or_assign(*index, name_of(token_));
      step();
    }
    while (is(",")) {
      step();
      step();
    }
  }

  // .loc 1 5 3[, function_name $L__info_string0[+4], inlined_at 1 9 2]. Code inlined from another
  // file, such as atomicAdd() from a header, counts at the line of its call.
  void location() {
    step();
    const auto [file, line] = file_and_line();
    file_ = file;
    line_ = line;
    while (take(",")) {
      if (take("inlined_at")) {
        const auto [outer_file, outer_line] = file_and_line();
        if (outer_file != file) {
          file_ = outer_file;
          line_ = outer_line;
        }
      } else {
        step();
        if (is(TokenKind::word)) step();
        if (take("+") && is_number()) step();
      }
    }
  }
  std::pair<uint64_t, int> file_and_line() {
    std::array<uint64_t, 3> numbers{};  // the third is the column
    for (uint64_t& value : numbers) {
      if (!is_number()) break;
      value = token_.value;
      step();
    }
    constexpr uint64_t kMostLines = 100000000;
    return {numbers[0], numbers[1] <= kMostLines ? static_cast<int>(numbers[1]) : 0};
  }

  void function(bool entry) {
    const bool external = std::exchange(external_, false);
    step();
    const std::vector<std::string_view> results = skip_parentheses();
    const Token name = token_;
    if (!is(TokenKind::word)) {
      trouble("a function without a name");
      return;
    }
    step();
    const std::vector<std::string_view> parameters = skip_parentheses();
    // .maxntid 128, 1, 1 .noreturn …
    while (is(TokenKind::directive) || is_number() || is(",")) step();
    if (!is("{")) {
      if (external || !entry) keep(found_.externs, name);
      if (!take(";")) trouble("a function without a body");
      return;
    }
    keep(entry ? found_.entries : found_.functions, name);
    flow_.begin_function(name.text, results, parameters);
    body();
  }

  // --- a function's body ---
  void body() {
    declared_.clear();
    declared_ranges_.clear();
    file_ = 0;
    line_ = 0;
    size_t depth = 0;
    while (!at_end()) {
      if (take("{")) {
        ++depth;
      } else if (is("}")) {
        step();
        if (--depth == 0) return;
      } else {
        body_statement();
      }
    }
  }

  void body_statement() {
    if (is(".loc")) {
      location();
    } else if (is(".reg")) {
      registers();
    } else if (is(".file")) {
      file();
    } else if (space_of_token()) {
      variables(false, true);
    } else if (is(".param")) {
      parameters();
    } else if (is(".pragma") || is(".branchtargets") || is(".calltargets") ||
               is(".callprototype")) {
      skip_statement();
    } else if (take("@")) {
      take("!");
      if (is(TokenKind::word)) {
        guard_ = token_.text;
        step();
      }
    } else if (is(TokenKind::word)) {
      const Token name = token_;
      step();
      if (!take(":")) instruction(name);
    } else if (!take(";")) {
      trouble("something unknown in a function");
      step();
    }
  }

  // .param .align 8 .b8 param0[16];
  void parameters() {
    while (!at_end() && !is(";") && !is("}")) {
      if (is(TokenKind::word)) flow_.add_parameter(token_.text);
      step();
    }
    take(";");
  }

  // .reg .b32 %r<5>, %x;
  void registers() {
    step();
    while (!at_end() && !is(";") && !is("}")) {
      const Token token = token_;
      step();
      if (token.kind != TokenKind::word) continue;
      auto& names = is("<") ? declared_ranges_ : declared_;
      if (names.size() >= kMostNames * 16) {
        trouble("too many registers");
      } else {
        names.emplace(token.text);
      }
      if (take("<")) {
        step();
        take(">");
      }
    }
    take(";");
  }

  // .global .align 4 .v2 .f32 a[2][3] = {…}, b;
  void variables(bool external, bool in_function) {
    PtxVariable variable;
    variable.space = *space_of_token();
    variable.external = external;
    variable.in_function = in_function;
    uint64_t vector = 1;
    uint64_t element = 0;
    step();
    while (is(TokenKind::directive)) {
      if (take(".align")) {
        if (is_number()) step();
      } else if (take(".attribute")) {
        variable.managed = variable.managed || attributes();
      } else if (is(".v2") || is(".v4") || is(".v8")) {
        vector = is(".v2") ? 2 : is(".v4") ? 4 : 8;
        step();
      } else {
        if (const uint64_t bytes = bytes_of_type(token_.text); bytes != 0) element = bytes;
        step();
      }
    }
    if (element == 0) trouble("a variable of a type that is not known");
    do {
      if (!is(TokenKind::word)) {
        trouble("a variable without a name");
        break;
      }
      one_variable(variable, product(element, vector));
    } while (take(","));
    if (!is(";")) trouble("a declaration that goes on in a way that is not known");
    skip_statement();
  }

  // (.managed, .unified(1, 2)); returns true if `.managed` is among them.
  bool attributes() {
    bool managed = false;
    size_t depth = 0;
    while (!at_end() && (depth > 0 || is("("))) {
      if (is("(")) ++depth;
      if (is(")")) --depth;
      managed = managed || is(".managed");
      step();
      if (depth == 0) break;
    }
    return managed;
  }

  // The number in `[4]`. An expression is trouble.
  uint64_t count_of_elements() {
    uint64_t count = kHuge;
    if (is(TokenKind::integer)) {
      count = token_.value;
      step();
    }
    if (!take("]")) {
      trouble("a size that is no plain number");
      count = kHuge;
    }
    return count;
  }

  void one_variable(PtxVariable variable, uint64_t element) {
    variable.name = name_of(token_);
    variable.where = here(token_);
    if (variable.space == PtxSpace::global || variable.space == PtxSpace::constant) {
      kept_names_.insert(token_.text);
    }
    step();
    uint64_t elements = 1;
    bool sized = true;
    if (is("<")) trouble("a range of variables");  // a<4> declares a0 to a3
    while (take("[")) {
      if (take("]")) {
        sized = false;
      } else {
        elements = product(elements, count_of_elements());
      }
    }
    if (take("=")) {
      variable.initialised = true;
      const uint64_t given = initial_values();
      if (!sized) elements = product(elements, given);
    } else if (!sized) {
      variable.external = true;  // dynamic shared memory
      elements = 0;
    }
    variable.bytes = product(elements, element);
    if (found_.variables.size() >= kMostNames) {
      trouble("too many variables");
    } else {
      found_.variables.push_back(std::move(variable));
    }
  }

  // Counts the initial values; an expression in parentheses is one value.
  uint64_t initial_values() {
    uint64_t values = 0;
    size_t depth = 0;
    bool in_value = false;
    while (!at_end() && !is(";")) {
      if (depth == 0 && is(",")) break;
      if (is("{")) {
        ++depth;
      } else if (is("}")) {
        if (depth == 0) break;
        --depth;
        in_value = false;
      } else if (is(",")) {
        in_value = false;
      } else if (is("(")) {
        for (const std::string_view name : skip_parentheses()) flow_.add_reference(name);
        continue;
      } else if (!in_value) {
        in_value = true;
        ++values;
      }
      if (is(TokenKind::word)) flow_.add_reference(token_.text);
      step();
    }
    return values;
  }

  void instruction(const Token& first) {
    constexpr size_t kLongestOpcode = 160, kMostOperands = 16;
    std::string opcode(first.text.substr(0, kLongestOpcode));
    while (is(TokenKind::directive)) {
      if (opcode.size() + token_.text.size() > kLongestOpcode) {
        trouble("a very long opcode");
      } else {
        opcode += token_.text;
      }
      step();
    }
    count(found_.opcodes, opcode, first);
    const std::vector<PtxOperand> operands = this->operands(first);
    if (first.text == "call") call(first, operands);
    // The table keeps views, and this opcode is composed of several.
    const auto kept = found_.opcodes.find(opcode);
    places_.push_back(here(first));
    const std::string_view name = kept != found_.opcodes.end() ? kept->first : first.text;
    flow_.add_instruction(instructions_.of(name, std::min(operands.size(), kMostOperands)),
                          std::exchange(guard_, {}), operands, places_.size() - 1);
    take(";");
  }

  // Up to the `;` of an instruction. Commas in parentheses, brackets and braces part nothing.
  std::vector<PtxOperand> operands(const Token& instruction) {
    std::vector<PtxOperand> found;
    size_t braces = 0;
    size_t others = 0;
    while (!at_end() && !(braces == 0 && is(";"))) {
      if (is("}") && braces == 0) {
        trouble("an instruction without an end");
        return found;
      }
      if (is(",") && braces + others == 0) {
        found.emplace_back();
        step();
        continue;
      }
      if (found.empty()) found.emplace_back();
      PtxOperand& operand = found.back();
      const bool opens = is("{") || is("(") || is("[");
      // An address within another bracket still counts as one, though nobody writes {[a]}.
      if (opens && (operand.opened_by == '\0' || is("["))) operand.opened_by = token_.text[0];
      if (is("{")) ++braces;
      if (is("}")) --braces;
      if (is("(") || is("[")) ++others;
      if ((is(")") || is("]")) && others > 0) --others;
      if (is(TokenKind::word)) {
        special(instruction);
        operand.names.push_back(token_.text);
      }
      step();
    }
    return found;
  }

  void special(const Token& instruction) {
    const std::string_view name = token_.text;
    if (!name.starts_with('%')) return;
    const bool declared =
        declared_.contains(name) || declared_ranges_.contains(without_digits(name));
    if (is_special_register(name) || !declared)
      count(found_.registers, name_of(token_), instruction);
  }

  // call.uni (result), name, (parameters), prototype;
  void call(const Token& instruction, const std::vector<PtxOperand>& operands) {
    const size_t target = !operands.empty() && operands[0].opened_by == '(' ? 1 : 0;
    if (target >= operands.size() || operands[target].names.empty()) {
      trouble("a call of nothing");
      return;
    }
    const std::string_view name = operands[target].names[0];
    count(found_.calls, name.starts_with('%') ? "" : std::string(name), instruction);
  }

  void find_changes() {
    for (const auto& [name, change] : flow_.changes(kept_names_)) {
      for (PtxVariable& variable : found_.variables) {
        const bool kept =
            variable.space == PtxSpace::global || variable.space == PtxSpace::constant;
        if (!kept || variable.name != name) continue;
        variable.change = change.kind;
        variable.changed_at = places_[change.where];
        name_file(variable.changed_at);
      }
    }
  }

  PtxTokens tokens_;
  Token token_;
  PtxContents found_;
  std::map<uint64_t, std::string> files_;
  cpu::InstructionTable instructions_;
  PtxFlow flow_;
  std::vector<PtxPlace> places_;                ///< places of the instructions that flow_ has
  std::set<std::string_view> kept_names_;       ///< names of global and constant variables
  std::string_view guard_;                      ///< guard of the next instruction
  std::set<std::string_view> declared_;         ///< names declared in the function
  std::set<std::string_view> declared_ranges_;  ///< `%r` of `%r<5>`
  uint64_t file_ = 0;                           ///< file number of the last `.loc`
  int line_ = 0;
  bool external_ = false;
};

}  // namespace

uint64_t PtxContents::bytes_in(PtxSpace space) const {
  uint64_t sum = 0;
  for (const PtxVariable& variable : variables) {
    if (variable.space != space || variable.external) continue;
    sum = variable.bytes > kHuge - sum ? kHuge : sum + variable.bytes;
  }
  return sum;
}

PtxContents ptx_contents(std::string_view ptx) {
  return Parser(ptx).run();
}

bool has_matrix_instructions(std::string_view ptx) {
  const PtxContents contents = ptx_contents(ptx);
  if (!contents.trouble.empty() || contents.opcodes.empty()) return true;
  return std::any_of(contents.opcodes.begin(), contents.opcodes.end(), [](const auto& opcode) {
    const std::string_view name = opcode.first;
    const std::string_view first = name.substr(0, name.find('.'));
    return first == "mma" || first == "wmma" || first == "wgmma" || first == "tcgen05";
  });
}

}  // namespace warpmark
