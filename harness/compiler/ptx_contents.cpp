#include "compiler/ptx_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "compiler/ptx_tokens.hpp"

namespace warpmark {

namespace {

constexpr size_t kMostNames = 4096;  // of each kind: a hundred times what a large kernel has
constexpr size_t kLongestName = 1024;
constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

// The PTX ISA's chapter on special registers, without their numbers and components.
constexpr std::array<std::string_view, 44> kSpecialRegisters = {"%tid",
                                                                "%ntid",
                                                                "%laneid",
                                                                "%warpid",
                                                                "%nwarpid",
                                                                "%ctaid",
                                                                "%nctaid",
                                                                "%smid",
                                                                "%nsmid",
                                                                "%gridid",
                                                                "%is_explicit_cluster",
                                                                "%clusterid",
                                                                "%nclusterid",
                                                                "%cluster_ctaid",
                                                                "%cluster_nctaid",
                                                                "%cluster_ctarank",
                                                                "%cluster_nctarank",
                                                                "%lanemask_eq",
                                                                "%lanemask_le",
                                                                "%lanemask_lt",
                                                                "%lanemask_ge",
                                                                "%lanemask_gt",
                                                                "%clock",
                                                                "%clock_hi",
                                                                "%clock64",
                                                                "%pm",
                                                                "%envreg",
                                                                "%globaltimer",
                                                                "%globaltimer_lo",
                                                                "%globaltimer_hi",
                                                                "%reserved_smem_offset_begin",
                                                                "%reserved_smem_offset_end",
                                                                "%reserved_smem_offset_cap",
                                                                "%reserved_smem_offset_",
                                                                "%total_smem_size",
                                                                "%aggr_smem_size",
                                                                "%dynamic_smem_size",
                                                                "%current_graph_exec",
                                                                "%virtual_smid",
                                                                "%stid",
                                                                "%nstid",
                                                                "%physid",
                                                                "%lanemask",
                                                                "%cluster_barrier"};

uint64_t product(uint64_t a, uint64_t b) {
  return a != 0 && b > kHuge / a ? kHuge : a * b;
}

std::optional<uint64_t> number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  if (text.ends_with('U')) text.remove_suffix(1);
  uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code == std::errc::result_out_of_range) return kHuge;
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Bytes of ".u64", ".b8", ".f16x2", ".bf16", ".pred", ".texref"; 0 for what is no type.
uint64_t bytes_of_type(std::string_view type) {
  if (type == ".texref" || type == ".samplerref" || type == ".surfref") return 8;
  const size_t digit = type.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  const std::string_view letters = type.substr(0, digit);
  if (letters != ".u" && letters != ".s" && letters != ".b" && letters != ".f" &&
      letters != ".bf") {
    return 0;
  }
  const size_t times = type.find('x', digit);
  const auto bits =
      number(type.substr(digit, times == std::string_view::npos ? times : times - digit));
  if (!bits || *bits % 8 != 0 || *bits > 128) return 0;
  return *bits / 8 * (times == std::string_view::npos ? 1 : 2);
}

std::string_view without_digits(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  return name.substr(0, end == std::string_view::npos ? name.size() : end + 1);
}

bool is_special(std::string_view name) {
  const auto known = [](std::string_view what) {
    return std::find(kSpecialRegisters.begin(), kSpecialRegisters.end(), what) !=
           kSpecialRegisters.end();
  };
  if (known(name)) return true;
  // %pm3, %pm0_64, %envreg7
  const std::string_view family =
      without_digits(name.ends_with("_64") ? name.substr(0, name.size() - 3) : name);
  return family != name && (family == "%pm" || family == "%envreg");
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
      variable.accessed = accessed_.contains(variable.name);
    }
    // NVRTC declares functions before it defines them.
    std::erase_if(found_.externs,
                  [defined = std::set(found_.functions.begin(), found_.functions.end())](
                      const std::string& name) { return defined.contains(name); });
    return std::move(found_);
  }

 private:
  // --- tokens ---
  bool at_end() const { return token_.kind == PtxTokenKind::end; }
  bool is(std::string_view what) const { return token_.is(what); }
  bool is(PtxTokenKind kind) const { return token_.kind == kind; }

  void step() {
    token_ = tokens_.next();
    if (token_.kind == PtxTokenKind::odd) {
      trouble("a character that PTX does not have");
    } else if (token_.kind == PtxTokenKind::text) {
      // Seen: ptxas ends a string at the quote after a backslash, and others may not.
      if (token_.text.find('\\') != std::string_view::npos) trouble("a string with a backslash");
      if (token_.text.find('\n') != std::string_view::npos) trouble("a string over lines");
    }
  }
  bool take(std::string_view what) {
    if (!is(what)) return false;
    step();
    return true;
  }
  void trouble(std::string_view what) {
    if (found_.trouble.empty()) found_.trouble = fmt::format("PTX line {}: {}", token_.line, what);
  }
  // Up to the `;` of a statement, braces in pairs. A "}" that closes nothing here is left.
  void skip_statement() {
    size_t depth = 0;
    while (!at_end() && !(depth == 0 && (is(";") || is("}")))) {
      if (is("{")) ++depth;
      if (is("}")) --depth;
      step();
    }
    take(";");
  }
  void skip_parentheses() {
    if (!is("(")) return;
    size_t depth = 0;
    do {
      if (is("(")) ++depth;
      if (is(")")) --depth;
      step();
    } while (depth > 0 && !at_end());
  }

  std::string name_of(const PtxToken& token) {
    if (token.text.size() > kLongestName) trouble("a very long name");
    return std::string(token.text.substr(0, kLongestName));
  }
  // Files are named at the text's end, so until then a place has their number.
  PtxPlace here(const PtxToken& token) const { return {token.line, std::to_string(file_), line_}; }
  void name_file(PtxPlace& place) const {
    const auto found = files_.find(number(place.file).value_or(0));
    place.file = found != files_.end() ? found->second : "";
    if (place.file.empty()) place.line = 0;
  }
  void count(std::map<std::string, PtxUse>& uses, const std::string& name, const PtxToken& token) {
    const auto found = uses.find(name);
    if (found != uses.end()) {
      ++found->second.count;
    } else if (uses.size() < kMostNames) {
      uses.emplace(name, PtxUse{here(token), 1});
    } else {
      trouble("too many names");
    }
  }
  void keep(std::vector<std::string>& names, const PtxToken& token) {
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
      while (is(PtxTokenKind::number) || is(PtxTokenKind::name) || is(",")) step();
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

  // Data for debuggers: nothing in there is executed.
  void section() {
    step();
    while (is(PtxTokenKind::directive) || is(PtxTokenKind::name)) step();
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
    const auto index = is(PtxTokenKind::number) ? number(token_.text) : std::nullopt;
    step();
    if (index && is(PtxTokenKind::text) && files_.size() < kMostNames) {
      files_.insert_or_assign(*index, name_of(token_));
      step();
    }
    while (is(",")) {
      step();
      step();
    }
  }

  // .loc 1 5 3[, function_name $L__info_string0[+4], inlined_at 1 9 2]. What was inlined from
  // another file, as atomicAdd() is from a header, counts where it was called.
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
        if (is(PtxTokenKind::name)) step();
        if (take("+") && is(PtxTokenKind::number)) step();
      }
    }
  }
  std::pair<uint64_t, int> file_and_line() {
    std::array<uint64_t, 3> numbers{};  // the third is the column
    for (uint64_t& value : numbers) {
      if (!is(PtxTokenKind::number)) break;
      value = number(token_.text).value_or(0);
      step();
    }
    constexpr uint64_t kMostLines = 100000000;
    return {numbers[0], numbers[1] <= kMostLines ? static_cast<int>(numbers[1]) : 0};
  }

  void function(bool entry) {
    const bool external = std::exchange(external_, false);
    step();
    skip_parentheses();  // results
    const PtxToken name = token_;
    if (!is(PtxTokenKind::name)) {
      trouble("a function without a name");
      return;
    }
    step();
    skip_parentheses();
    // .maxntid 128, 1, 1 .noreturn …
    while (is(PtxTokenKind::directive) || is(PtxTokenKind::number) || is(",")) step();
    if (!is("{")) {
      if (external || !entry) keep(found_.externs, name);
      if (!take(";")) trouble("a function without a body");
      return;
    }
    keep(entry ? found_.entries : found_.functions, name);
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
    } else if (is(".param") || is(".pragma") || is(".branchtargets") || is(".calltargets") ||
               is(".callprototype")) {
      skip_statement();
    } else if (take("@")) {
      take("!");
      if (is(PtxTokenKind::name)) step();
    } else if (is(PtxTokenKind::name)) {
      const PtxToken name = token_;
      step();
      if (!take(":")) instruction(name);
    } else if (!take(";")) {
      trouble("something unknown in a function");
      step();
    }
  }

  // .reg .b32 %r<5>, %x;
  void registers() {
    step();
    while (!at_end() && !is(";") && !is("}")) {
      const PtxToken token = token_;
      step();
      if (token.kind != PtxTokenKind::name) continue;
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
    uint64_t element = 0;
    step();
    while (is(PtxTokenKind::directive)) {
      if (take(".align")) {
        if (is(PtxTokenKind::number)) step();
      } else if (take(".attribute")) {
        while (!at_end() && !is(")")) {
          variable.managed = variable.managed || is(".managed");
          step();
        }
        take(")");
      } else if (is(".v2") || is(".v4") || is(".v8")) {
        element = is(".v2") ? 2 : is(".v4") ? 4 : 8;  // times the type, which comes next
        step();
      } else {
        if (const uint64_t bytes = bytes_of_type(token_.text); bytes != 0) {
          element = std::max<uint64_t>(element, 1) * bytes;
        }
        step();
      }
    }
    do {
      if (!is(PtxTokenKind::name)) {
        trouble("a variable without a name");
        break;
      }
      one_variable(variable, element);
    } while (take(","));
    skip_statement();
  }

  void one_variable(PtxVariable variable, uint64_t element) {
    variable.name = name_of(token_);
    variable.where = here(token_);
    step();
    uint64_t elements = 1;
    bool sized = true;
    if (take("<")) {  // a<4> declares a0 to a3
      if (is(PtxTokenKind::number)) elements = product(elements, number(token_.text).value_or(1));
      step();
      take(">");
    }
    while (take("[")) {
      if (is(PtxTokenKind::number)) {
        elements = product(elements, number(token_.text).value_or(1));
        step();
      } else {
        sized = false;
      }
      take("]");
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

  // How many values; an expression in parentheses is one.
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
        skip_parentheses();
        continue;
      } else if (!in_value) {
        in_value = true;
        ++values;
      }
      step();
    }
    return values;
  }

  void instruction(const PtxToken& first) {
    constexpr size_t kLongestOpcode = 160;
    std::string opcode(first.text.substr(0, kLongestOpcode));
    while (is(PtxTokenKind::directive)) {
      if (opcode.size() + token_.text.size() > kLongestOpcode) {
        trouble("a very long opcode");
      } else {
        opcode += token_.text;
      }
      step();
    }
    count(found_.opcodes, opcode, first);
    const bool moves = first.text == "mov";
    if (first.text == "call") call(first);
    size_t depth = 0;
    while (!at_end() && !(depth == 0 && is(";"))) {
      if (is("{")) ++depth;
      if (is("}")) {
        if (depth == 0) {
          trouble("an instruction without an end");
          return;
        }
        --depth;
      }
      if (is(PtxTokenKind::name)) operand(first, moves);
      step();
    }
    take(";");
  }

  void operand(const PtxToken& instruction, bool moves) {
    const std::string_view name = token_.text;
    if (name.starts_with('%')) {
      const bool declared =
          declared_.contains(name) || declared_ranges_.contains(without_digits(name));
      if (is_special(name) || !declared) count(found_.registers, name_of(token_), instruction);
    } else if (!moves) {
      if (accessed_.size() < kMostNames * 16) {
        accessed_.emplace(name);
      } else {
        trouble("too many names");
      }
    }
  }

  // call.uni (result), name, (parameters), prototype;
  void call(const PtxToken& instruction) {
    if (is("(")) {
      skip_parentheses();
      take(",");
    }
    if (!is(PtxTokenKind::name)) {
      trouble("a call of nothing");
      return;
    }
    count(found_.calls, token_.text.starts_with('%') ? "" : name_of(token_), instruction);
    step();
  }

  PtxTokens tokens_;
  PtxToken token_;
  PtxContents found_;
  std::map<uint64_t, std::string> files_;
  std::set<std::string, std::less<>> accessed_;
  std::set<std::string_view> declared_;         ///< of the function
  std::set<std::string_view> declared_ranges_;  ///< `%r` of `%r<5>`
  uint64_t file_ = 0;                           ///< of the last `.loc`
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

}  // namespace warpmark
