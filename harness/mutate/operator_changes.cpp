// Changes of operators, of numbers and of indices.
#include <charconv>
#include <map>
#include <set>

#include "mutate/code_mutants.hpp"

namespace warpmark {

namespace {

using Swaps = std::map<std::string, std::pair<std::string, MutantKind>, std::less<>>;

const Swaps& swaps() {
  using enum MutantKind;
  static const Swaps kAll = {
      {"<", {"<=", comparison}},  {"<=", {"<", comparison}},    {">", {">=", comparison}},
      {">=", {">", comparison}},  {"==", {"!=", comparison}},   {"!=", {"==", comparison}},
      {"&&", {"||", logic}},      {"||", {"&&", logic}},        {"+", {"-", arithmetic}},
      {"-", {"+", arithmetic}},   {"*", {"/", arithmetic}},     {"/", {"*", arithmetic}},
      {"%", {"*", arithmetic}},   {"&", {"|", arithmetic}},     {"|", {"&", arithmetic}},
      {"^", {"|", arithmetic}},   {"<<", {">>", arithmetic}},   {">>", {"<<", arithmetic}},
      {"+=", {"-=", arithmetic}}, {"-=", {"+=", arithmetic}},   {"*=", {"/=", arithmetic}},
      {"/=", {"*=", arithmetic}}, {"|=", {"&=", arithmetic}},   {"&=", {"|=", arithmetic}},
      {"^=", {"|=", arithmetic}}, {"<<=", {">>=", arithmetic}}, {">>=", {"<<=", arithmetic}}};
  return kAll;
}

bool is_type(const std::string& word) {
  static const std::set<std::string, std::less<>> kTypes = {
      "bool",     "char",     "short",   "int",     "long",          "unsigned",
      "signed",   "float",    "double",  "half",    "__half",        "void",
      "auto",     "const",    "T",       "size_t",  "float2",        "float3",
      "float4",   "double2",  "int2",    "int4",    "uint4",         "volatile",
      "int8_t",   "int16_t",  "int32_t", "int64_t", "uint8_t",       "uint16_t",
      "uint32_t", "uint64_t", "uint",    "uchar",   "__nv_bfloat16", "struct"};
  return kTypes.contains(word);
}

// True for `*` and `&` of pointers and references, for `<` and `>` of templates, as far as words
// show it. The others do not compile, and cost only time.
bool is_of_type(const Code& code, size_t at) {
  const std::string& before = code.at(at - 1);
  const std::string& next = code.at(at + 1);
  const std::string& mark = code.at(at);
  if (mark == "*" || mark == "&" || mark == "&&") {
    return is_type(before) || next == ")" || next == ">" || next == "," || next == "const" ||
           next == "__restrict__";
  }
  if (mark == "<") {
    return before == "template" || before.ends_with("_cast") || is_type(next) ||
           before == "numeric_limits" || before == "typename";
  }
  if (mark == ">") return is_type(before) || next == "(" || next == "::";
  return false;
}

// The bound of `i < n`: a name, which one less of is a common mistake.
void bound_changes(const Code& code, size_t at, const AddChange& add) {
  const std::string& mark = code.at(at);
  if (mark != "<" && mark != "<=" && mark != ">" && mark != ">=") return;
  if (!code.is_word(at + 1) || is_type(code.at(at + 1))) return;
  const std::string& behind = code.at(at + 2);
  if (behind == ")" || behind == ";" || behind == "&&" || behind == "||" || behind == "?") {
    add(at + 1, at + 1, code.at(at + 1) + " - 1", MutantKind::comparison);
  }
}

struct Number {
  unsigned long long value = 0;
  int base = 10;
  std::string suffix;
};

// Reads an integer; false for anything else.
bool read_integer(const std::string& text, Number& number) {
  size_t begin = 0;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    number.base = 16;
    begin = 2;
  }
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + begin, end, number.value, number.base);
  if (error != std::errc() || rest == text.data() + begin) return false;
  number.suffix = std::string(rest, end);
  if (number.base == 10 && text.size() > 1 && text[0] == '0' && rest - text.data() > 1)
    return false;
  return number.suffix.find_first_not_of("uUlL") == std::string::npos;
}

std::string text_of(const Number& number, unsigned long long value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, number.base);
  return (number.base == 16 ? "0x" : "") + std::string(digits, end) + number.suffix;
}

// True for the extent in `float of_warp[8];` and its further dimensions.
bool is_extent(const Code& code, size_t open) {
  while (open > 0 && code.at(open - 1) == "]" && code.partner(open - 1) < open) {
    open = code.partner(open - 1);
  }
  return open >= 2 && code.is_word(open - 1) && code.at(open - 2) != "return" &&
         code.at(open - 2) != "else" && (code.is_word(open - 2) || code.at(open - 2) == ">");
}

bool is_extent_number(const Code& code, size_t at) {
  return at > 0 && code.at(at - 1) == "[" && code.at(at + 1) == "]" && is_extent(code, at - 1);
}

}  // namespace

void operator_changes(const Code& code, size_t at, const AddChange& add) {
  const auto found = swaps().find(code.at(at));
  if (found == swaps().end() || code.words()[at].kind != TokenKind::mark) return;
  const bool assigns = found->first.size() > 1 && found->first.ends_with("=") &&
                       found->second.second == MutantKind::arithmetic;
  // A sign is no operation with two values.
  if (!assigns && (at == 0 || !code.ends_value(at - 1))) return;
  if (at > 0 && code.at(at - 1) == "operator") return;
  if (is_of_type(code, at)) return;
  add(at, at, found->second.first, found->second.second);
  bound_changes(code, at, add);
}

void number_changes(const Code& code, size_t at, const AddChange& add) {
  const CodeWord& word = code.words()[at];
  if (word.kind != TokenKind::number) return;
  Number number;
  if (!read_integer(word.text, number)) {
    const bool is_hexadecimal = word.text.starts_with("0x") || word.text.starts_with("0X");
    if (!is_hexadecimal && word.text.find('\'') == std::string::npos) {
      add(at, at, "(" + word.text + " + 1)", MutantKind::constant);
    }
    return;
  }
  // One element more of an array changes nothing, and of a mask of all lanes one is left out.
  const bool is_mask = number.base == 16 && (number.value & (number.value + 1)) == 0;
  if (!is_mask && !is_extent_number(code, at)) {
    add(at, at, text_of(number, number.value + 1), MutantKind::constant);
  }
  if (number.value > 0) add(at, at, text_of(number, number.value - 1), MutantKind::constant);
}

void index_changes(const Code& code, size_t at, const AddChange& add) {
  if (code.at(at) != "[" || at == 0 || !code.ends_value(at - 1) || is_extent(code, at)) return;
  const size_t close = code.partner(at);
  if (close >= code.size() || close <= at + 1) return;
  // Constants are changed themselves.
  if (close == at + 2 && code.words()[at + 1].kind == TokenKind::number) return;
  const std::string index = code.between(at + 1, close - 1);
  const std::string one = close == at + 2 ? index : "(" + index + ")";
  add(at + 1, close - 1, one + " + 1", MutantKind::index);
  add(at + 1, close - 1, one + " - 1", MutantKind::index);
}

}  // namespace warpmark
