// The parser's entry point and the directives of a module.
#include "ptx/parser.hpp"

#include <algorithm>
#include <array>

#include "ptx/debug_info.hpp"
#include "ptx/error.hpp"
#include "ptx/parse_state.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kMostConstant = 64 << 10;
constexpr std::size_t kMostInlined = 64;          // calls, one in the other, on average
constexpr std::uint32_t kFirstAlias = 63;         // .version 6.3
constexpr std::uint32_t kAbi = 30;                // .version 3.0: no registers outside of functions
constexpr std::uint32_t kTextureReferences = 15;  // .version 1.5: .texref, and no .tex
constexpr std::array<std::uint32_t, 32> kArchitectures = {
    10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50,  52,  53,  60,  61,  62,
    70, 72, 73, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};

// The last .version of each first number. Versions 9.x that are still to come say what they need
// instruction by instruction; beyond them it is the caller's to judge.
constexpr std::array<std::uint32_t, 10> kLastVersions = {0, 15, 23, 32, 43, 51, 65, 78, 88, 99};

// The least .version for a target: as ptxas 13.0 has it.
struct Since {
  std::uint32_t architecture, version;
  std::uint32_t specific, family;  ///< for sm_90a, sm_100f
};
constexpr std::array<Since, 28> kSince = {
    {{12, 12, 0, 0},    {13, 12, 0, 0},    {20, 20, 0, 0},   {21, 20, 0, 0},    {30, 30, 0, 0},
     {32, 40, 0, 0},    {35, 31, 0, 0},    {37, 41, 0, 0},   {50, 40, 0, 0},    {52, 41, 0, 0},
     {53, 42, 0, 0},    {60, 50, 0, 0},    {61, 50, 0, 0},   {62, 50, 0, 0},    {70, 51, 0, 0},
     {72, 61, 0, 0},    {75, 63, 0, 0},    {80, 70, 0, 0},   {86, 71, 0, 0},    {87, 74, 0, 0},
     {88, 73, 0, 0},    {89, 78, 0, 0},    {90, 78, 80, 0},  {100, 86, 86, 88}, {103, 88, 88, 88},
     {110, 90, 90, 90}, {120, 87, 87, 88}, {121, 88, 88, 88}}};

}  // namespace

bool is_architecture(std::uint32_t number) {
  return std::ranges::find(kArchitectures, number) != kArchitectures.end();
}

Module parse_ptx(std::string text, const ParseLimits& limits) {
  if (text.size() > limits.text_bytes) {
    throw PtxError(1, "the text has " + std::to_string(text.size()) +
                          " bytes, more than the limit of " + std::to_string(limits.text_bytes));
  }
  // A PTX image may end in one or more NUL characters, or lack them.
  while (!text.empty() && text.back() == '\0') text.pop_back();
  Module module;
  module.text = std::make_unique<std::string>(std::move(text));
  ParseState state(module, limits);
  state.parse_module();
  return module;
}

void ParseState::parse_module() {
  if (tolerant_) return read_module();
  while (token_.kind != TokenKind::end) {
    if (token_.kind != TokenKind::directive) fail("expected a directive");
    parse_directive();
  }
  if (module_.version == 0) fail("no .version directive: this is not PTX text");
  if (module_.architecture == 0) fail("no .target directive");
  for (const Alias& alias : aliases_) resolve(alias);
  std::uint64_t constant = 0;
  for (const Variable& variable : module_.variables) {
    if (variable.space != Space::constant || variable.external) continue;
    constant += variable.bytes;
    if (constant > kMostConstant)
      throw PtxError(variable.line, "constant variables take more than " +
                                        std::to_string(kMostConstant) + " bytes");
  }
}

void ParseState::parse_directive() {
  if (module_.version == 0 && !token_.is(".version")) {
    fail("a PTX text starts with .version");
  }
  if (module_.version != 0 && module_.architecture == 0 && !token_.is(".target"))
    fail("expected .target");
  if (token_.is(".version")) {
    if (module_.version != 0) fail("there is one .version");
    advance();
    if (token_.kind != TokenKind::real) fail("expected a version such as 9.0");
    const std::string_view text = token_.text;
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || dot == 0 || dot > 3 || text.size() - dot != 2) {
      fail("expected a version such as 9.0");
    }
    for (const char digit : text) {
      if (digit == '.') continue;
      if (digit < '0' || digit > '9') fail("expected a version such as 9.0");
      module_.version = module_.version * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    const std::uint32_t first = module_.version / 10;
    if (first < kLastVersions.size() && module_.version > kLastVersions[first])
      fail("there is no such version");
    advance();
  } else if (token_.is(".target")) {
    if (sized_ || !module_.functions.empty() || !module_.variables.empty())
      fail(".target belongs before everything else");
    advance();
    parse_target();
  } else if (token_.is(".address_size")) {
    if (sized_) fail("there is one .address_size");
    sized_ = true;
    advance();
    if (expect_integer("64") != 64) fail("only .address_size 64 is supported");
  } else if (token_.is(".file")) {
    parse_file();
  } else if (token_.is(".section")) {
    parse_section();
  } else if (token_.is(".alias")) {
    parse_alias();
  } else if (token_.is(".pragma")) {
    parse_pragma();
  } else {
    parse_linkage();
  }
}

void ParseState::parse_target() {
  module_.target = token_.text;
  std::string_view digits = expect_word("a target such as sm_90");
  if (!digits.starts_with("sm_") && !digits.starts_with("compute_"))
    fail("expected a target such as sm_90");
  digits.remove_prefix(digits.find('_') + 1);
  module_.specific = digits.ends_with('a') || digits.ends_with('f');
  if (module_.specific) digits.remove_suffix(1);
  module_.architecture = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9' || module_.architecture > 999)
      fail("expected a target such as sm_90");
    module_.architecture = module_.architecture * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  if (!is_architecture(module_.architecture))
    throw PtxError(token_.line, "there is no target '" + std::string(module_.target) + "'");
  const auto* since = std::ranges::find(kSince, module_.architecture, &Since::architecture);
  const std::uint32_t least = since == kSince.end()           ? 0
                              : module_.target.ends_with('a') ? since->specific
                              : module_.target.ends_with('f') ? since->family
                                                              : since->version;
  if (module_.version < least)
    throw PtxError(token_.line, "target '" + std::string(module_.target) + "' needs .version " +
                                    std::to_string(least / 10) + "." + std::to_string(least % 10));
  while (accept(',')) {
    constexpr std::array<std::string_view, 4> options = {"debug", "texmode_unified",
                                                         "texmode_independent", "map_f64_to_f32"};
    const std::string_view option = expect_word("a target option");
    if (std::ranges::find(options, option) == options.end())
      fail("unknown target option '" + std::string(option) + "'");
    module_.debug = module_.debug || option == "debug";
  }
}

void ParseState::parse_alias() {
  if (module_.version < kFirstAlias) fail(".alias needs .version 6.3");
  Alias alias;
  alias.line = token_.line;
  advance();
  alias.name = expect_name("a function name");
  expect(',');
  alias.of = expect_name("a function name");
  expect(';');
  aliases_.push_back(alias);
}

// A declared function becomes another one under its own name.
void ParseState::resolve(const Alias& alias) {
  const auto refuse = [&](const std::string& why) {
    throw PtxError(alias.line, "'" + std::string(alias.name) + "' cannot be an alias of '" +
                                   std::string(alias.of) + "': " + why);
  };
  const auto name = module_.function_by_name.find(alias.name);
  const auto of = module_.function_by_name.find(alias.of);
  if (name == module_.function_by_name.end() || of == module_.function_by_name.end())
    refuse("both must be declared");
  Function& function = module_.functions[name->second];
  const Function& other = module_.functions[of->second];
  if (function.entry || other.entry) refuse("kernels have no other names");
  if (function.has_body) refuse("it has a body");
  if (!other.has_body || other.linkage == Linkage::weak)
    refuse("the latter must be defined in this module, and not .weak");
  const auto same = [](const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Parameter& x, const Parameter& y) { return x.bytes == y.bytes; });
  };
  if (!same(function.parameters, other.parameters) || !same(function.results, other.results))
    refuse("their parameters differ");
  const std::string_view own_name = function.name;
  const Linkage linkage = function.linkage;
  function = other;
  function.name = own_name;
  function.linkage = linkage == Linkage::external ? other.linkage : linkage;
}

void ParseState::parse_file() {
  advance();
  const std::uint64_t number = expect_integer("a file number");
  if (token_.kind != TokenKind::string) fail("expected a file name");
  if (number <= 0xffffffff) {
    const auto index = static_cast<std::uint32_t>(number);
    if (!module_.files.emplace(index, token_.text).second) refuse("there is a file of this number");
    module_.files[index] = token_.text;
    first_file_ = std::min(first_file_, index);
  }
  advance();
  while (accept(',')) expect_integer("a timestamp or size");
}

void ParseState::parse_section() {
  doubt_ = "a section without braces";
  advance();
  if (token_.kind != TokenKind::directive && token_.kind != TokenKind::word)
    fail("expected a section name");
  const std::string_view name = token_.text;
  advance();
  if (!token_.is('{')) fail("expected '{'");
  if (tolerant_) return skip_block("braces in comments or strings of a section");
  const char* begin = token_.text.data() + 1;
  lexer_.skip_braces();
  advance();
  // Up to the next token: what stands behind the section is no label's.
  const std::string_view inside(begin, static_cast<std::size_t>(token_.text.data() - begin));
  if (name == ".debug_str") module_.debug_strings.push_back(inside);
  if (name == ".debug_abbrev") abbreviations_ = inside;
  if (name == ".debug_info") information_ = inside;
  if (information_.empty() || abbreviations_.empty()) return;
  place_inlined();
  marks_.clear();
  information_ = abbreviations_ = {};
  first_file_ = ~std::uint32_t{0};
}

void ParseState::place_inlined() {
  const std::vector<InlinedRange> ranges = inlined_ranges(information_, abbreviations_);
  if (ranges.empty()) return;
  const std::unordered_map<std::string_view, std::uint32_t> lines(marks_.begin(), marks_.end());
  std::vector<Statement*> statements;
  for (Function& function : module_.functions) {
    for (Statement& statement : function.statements) statements.push_back(&statement);
  }
  std::ranges::stable_sort(
      statements, [](const Statement* a, const Statement* b) { return a->line < b->line; });
  const auto at = [&](std::uint32_t line) {
    return std::partition_point(statements.begin(), statements.end(),
                                [&](const Statement* one) { return one->line < line; });
  };
  std::size_t left = kMostInlined * statements.size();
  const std::size_t known = module_.inlined.size();
  std::vector<std::uint32_t> numbers;  // of Location::inlined
  for (const InlinedRange& range : ranges) {
    const std::uint32_t outer = range.parent == InlinedRange::kNone ? 0 : numbers[range.parent];
    // The numbers of a text's files count from 1, and from behind those of the texts before it.
    module_.inlined.push_back(
        {{}, {range.file + first_file_ - 1, range.line, 0, outer}, range.function});
    numbers.push_back(static_cast<std::uint32_t>(module_.inlined.size()));
    const auto begin = lines.find(range.begin), end = lines.find(range.end);
    if (begin == lines.end() || end == lines.end()) continue;
    for (auto one = at(begin->second);
         one != statements.end() && (*one)->line < end->second && left != 0; ++one, --left) {
      std::uint32_t& inlined = (*one)->location.inlined;
      if (inlined == 0 || inlined > known) inlined = numbers.back();
    }
  }
}

void ParseState::parse_linkage() {
  Linkage linkage = Linkage::local;
  while (token_.is(".visible") || token_.is(".weak") || token_.is(".extern") ||
         token_.is(".common")) {
    if (token_.is(".extern")) {
      linkage = Linkage::external;
    } else if (linkage != Linkage::external) {
      linkage = token_.is(".visible") ? Linkage::visible : Linkage::weak;
    }
    advance();
  }
  if (token_.is(".entry") || token_.is(".func")) {
    parse_function(linkage);
    return;
  }
  if (module_.version < kAbi && token_.is(".reg")) {
    advance();
    return parse_registers(nullptr);
  }
  if (module_.version < kAbi && token_.is(".local")) {
    return parse_outside_locals();
  }
  const bool may_be_textures = tolerant_ || module_.version < kTextureReferences;
  if (may_be_textures && token_.is(".tex")) return parse_textures(linkage);
  Space space = Space::global;
  if (token_.is(".const")) {
    space = Space::constant;
  } else if (token_.is(".shared")) {
    space = Space::shared;
  } else if (tolerant_ && token_.is(".local")) {
    space = Space::local;
  } else if (!token_.is(".global")) {
    fail("unknown directive");
  }
  advance();
  parse_variables(space, linkage, module_.variables);
}

void ParseState::parse_outside_locals() {
  advance();
  std::vector<Variable> declared;
  parse_variables(Space::local, Linkage::local, declared);
  without_abi_ = true;
  for (const Variable& variable : declared) {
    if (!outside_locals_.emplace(variable.name, variable).second)
      throw PtxError(variable.line,
                     "variable '" + std::string(variable.name) + "' is declared twice");
  }
}

// `.tex .u64 name;`, which is a .texref later.
void ParseState::parse_textures(Linkage linkage) {
  advance();
  const Type type = expect_type();
  if (type != Type::u32 && type != Type::u64) fail("a texture is of .u32 or .u64");
  do {
    Variable texture;
    texture.line = token_.line;
    texture.name = expect_name("a texture's name");
    texture.type = Type::b64;
    texture.bytes = texture.alignment = 8;
    texture.linkage = linkage;
    texture.image = true;
    if (register_variable(texture)) module_.variables.push_back(std::move(texture));
  } while (accept(','));
  expect(';');
}

// Returns whether the variable counts: not a declaration of what is known, nor a further weak one.
bool ParseState::register_variable(const Variable& variable) {
  if (tolerant_) return true;
  const auto index = static_cast<std::uint32_t>(module_.variables.size());
  auto [known, fresh] = module_.variable_by_name.emplace(variable.name, index);
  if (fresh) return true;
  const Variable& before = module_.variables[known->second];
  if (variable.external && variable.space != Space::shared) return false;
  if (!before.external && variable.linkage == Linkage::weak) return false;
  if (!before.external && before.linkage != Linkage::weak && !variable.external) {
    throw PtxError(variable.line,
                   "variable '" + std::string(variable.name) + "' is declared twice");
  }
  known->second = index;
  return true;
}

}  // namespace warpmark::cpu
