// The parser of arithmetic: recursive descent with Python's precedences.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "base/arithmetic_node.hpp"
#include "base/characters.hpp"
#include "base/dtype.hpp"
#include "base/text.hpp"

namespace warpmark::arithmetic {
namespace {

// Bounds on the recursion of parsing, and (chains of operators nest to the left) of evaluating.
constexpr int kMaxDepth = 64;
constexpr size_t kMaxLength = 1024;

struct Function {
  std::string_view name;
  size_t least, most;
};
constexpr std::array<Function, 6> kFunctions = {{{"min", 1, kMaxLength},
                                                 {"max", 1, kMaxLength},
                                                 {"ceil_div", 2, 2},
                                                 {"log2", 1, 1},
                                                 {"ctype", 1, 1},
                                                 {"itemsize", 1, 1}}};

bool is_exponent(char c) {
  return c == 'e' || c == 'E';
}

class Parser {
 public:
  Parser(std::string_view text, const Position& at, std::vector<NameUse>& names)
      : text_(text), start_(at), names_(names) {}

  std::unique_ptr<Node> whole() {
    if (text_.empty()) fail(0, "an expression is missing");
    if (text_.size() > kMaxLength) {
      fail(0, fmt::format("the expression is longer than {} characters", kMaxLength));
    }
    auto node = comparison();
    skip_space();
    if (at_ == text_.size()) return node;
    if (text_[at_] == ')') fail(at_, "`)` closes no parenthesis");
    if (text_[at_] == '/') {
      fail(at_, "`/` is not part of arithmetic",
           "`//` divides and rounds down; `ceil_div(a, b)` rounds up");
    }
    if (text_[at_] == ',') fail(at_, "`,` is outside a call", "a list is written [a, b]");
    if (text_[at_] == '=') fail(at_, "`=` is not part of arithmetic", "`==` compares");
    fail(at_, fmt::format("`{}` does not belong here", rest()));
  }

 private:
  [[noreturn]] void fail(size_t offset, const std::string& message,
                         const std::string& hint = {}) const {
    throw usage_error(message, place(offset), hint);
  }

  Position place(size_t offset) const {
    Position where = start_;
    if (where.column > 0) where.column += static_cast<int>(offset);
    return where;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool take(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  // The word or character at the cursor, for messages.
  std::string rest() const {
    size_t end = at_ + 1;
    // Whole UTF-8 characters, whole words.
    while (end < text_.size() && ((text_[end] & 0xC0) == 0x80 ||
                                  (is_word_start(text_[at_]) && (is_word_character(text_[end]))))) {
      ++end;
    }
    return std::string(text_.substr(at_, end - at_));
  }

  std::unique_ptr<Node> make(Node::Kind kind, size_t offset, std::string name = {}) {
    return std::make_unique<Node>(
        Node{.kind = kind, .where = place(offset), .name = std::move(name)});
  }

  std::unique_ptr<Node> comparison() {
    // A guard without exceptions to catch: a failed parse is never resumed.
    if (++depth_ > kMaxDepth) fail(at_, fmt::format("parentheses nest deeper than {}", kMaxDepth));
    auto first = sum();
    std::unique_ptr<Node> node;
    for (;;) {
      skip_space();
      const size_t offset = at_;
      std::string op;
      for (const std::string_view candidate : {"==", "!=", "<=", ">=", "<", ">"}) {
        if (op.empty() && take(candidate)) op = candidate;
      }
      if (op.empty()) break;
      if (!node) {
        node = make(Node::Kind::comparison, offset);
        node->children.push_back(std::move(first));
      }
      node->chain.push_back(op);
      node->children.push_back(sum());
    }
    --depth_;
    return node ? std::move(node) : std::move(first);
  }

  std::unique_ptr<Node> binary(std::unique_ptr<Node> left, size_t offset, std::string op,
                               std::unique_ptr<Node> right) {
    auto node = make(Node::Kind::binary, offset, std::move(op));
    node->children.push_back(std::move(left));
    node->children.push_back(std::move(right));
    return node;
  }

  std::unique_ptr<Node> sum() {
    auto node = term();
    for (;;) {
      skip_space();
      const size_t offset = at_;
      if (take("+")) {
        node = binary(std::move(node), offset, "+", term());
      } else if (take("-")) {
        node = binary(std::move(node), offset, "-", term());
      } else {
        return node;
      }
    }
  }

  std::unique_ptr<Node> term() {
    auto node = factor();
    for (;;) {
      skip_space();
      const size_t offset = at_;
      if (take("*")) {
        node = binary(std::move(node), offset, "*", factor());
      } else if (take("//")) {
        node = binary(std::move(node), offset, "//", factor());
      } else if (take("%")) {
        node = binary(std::move(node), offset, "%", factor());
      } else {
        return node;
      }
    }
  }

  std::unique_ptr<Node> factor() {
    skip_space();
    const size_t offset = at_;
    for (const std::string_view op : {"-", "+"}) {
      if (!take(op)) continue;
      if (++depth_ > kMaxDepth) fail(offset, fmt::format("signs nest deeper than {}", kMaxDepth));
      auto node = make(Node::Kind::unary, offset, std::string(op));
      node->children.push_back(factor());
      --depth_;
      return node;
    }
    auto base = subscripts();
    skip_space();
    const size_t power = at_;
    if (!take("**")) return base;
    // Binds to the right and tighter than a sign on its left: -2**2 is -4, 2**-1 is 0.5.
    if (++depth_ > kMaxDepth) fail(power, fmt::format("powers nest deeper than {}", kMaxDepth));
    auto exponent = factor();
    --depth_;
    return binary(std::move(base), power, "**", std::move(exponent));
  }

  std::unique_ptr<Node> subscripts() {
    auto node = atom();
    for (;;) {
      skip_space();
      const size_t offset = at_;
      if (!take("[")) return node;
      auto subscript = make(Node::Kind::subscript, offset);
      subscript->children.push_back(std::move(node));
      subscript->children.push_back(comparison());
      if (!take("]")) fail(offset, "`[` is never closed");
      node = std::move(subscript);
    }
  }

  std::unique_ptr<Node> atom() {
    skip_space();
    const size_t offset = at_;
    if (at_ == text_.size()) fail(at_, "the expression ends too early");
    const char c = text_[at_];
    if (take("(")) {
      auto node = comparison();
      if (take(")")) return node;
      skip_space();
      if (at_ < text_.size() && text_[at_] == ',') fail(at_, "tuples are not part of arithmetic");
      fail(offset, "`(` is never closed");
    }
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      return number();
    }
    if (c == '\'' || c == '"') return string();
    if (is_word_start(c)) return word();
    if (c == '[') fail(offset, "a list is not in quotes; each of its elements may be");
    fail(offset, fmt::format("a number or a name is missing before `{}`", rest()));
  }

  std::unique_ptr<Node> string() {
    const size_t offset = at_;
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) fail(offset, "the text is never closed");
    auto node = make(Node::Kind::constant, offset);
    const std::string text(text_.substr(at_ + 1, end - at_ - 1));
    if (text.find('\\') != std::string::npos) {
      fail(offset, "a text in arithmetic has no escapes");
    }
    node->value = text;
    at_ = end + 1;
    return node;
  }

  std::unique_ptr<Node> number() {
    const size_t offset = at_;
    const Numeral numeral = scan_numeral();
    auto node = make(Node::Kind::constant, offset);
    if (numeral.is_float) {
      node->value = float_value(numeral, offset);
    } else {
      node->value = integer_value(numeral, offset);
    }
    return node;
  }

  struct Numeral {
    std::string digits;  ///< without the prefix of a hexadecimal one, and without `_`
    bool hex = false, is_float = false;
  };

  char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  // Takes letters that are no digits, too: `12ab` is one mistake.
  Numeral scan_numeral() {
    Numeral numeral;
    std::string& digits = numeral.digits;
    const bool hex = numeral.hex = peek(0) == '0' && (peek(1) == 'x' || peek(1) == 'X');
    if (hex) at_ += 2;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '_' && is_digit(peek(1)) && !digits.empty() && is_digit(digits.back())) continue;
      const bool of_float = !hex && (c == '.' || is_exponent(c));
      const bool exponent_sign =
          (c == '+' || c == '-') && !hex && !digits.empty() && is_exponent(digits.back());
      if (!is_digit(c) && !is_word_start(c) && !of_float && !exponent_sign) break;
      numeral.is_float = numeral.is_float || of_float;
      digits += c;
    }
    return numeral;
  }

  // The numeral from `offset` to the cursor, for messages.
  std::string shown(size_t offset) const { return std::string(text_.substr(offset, at_ - offset)); }

  double float_value(const Numeral& numeral, size_t offset) const {
    const char* const end = numeral.digits.data() + numeral.digits.size();
    double value = 0;
    const auto [rest, error] = std::from_chars(numeral.digits.data(), end, value);
    if (error == std::errc::result_out_of_range && rest == end) {
      fail(offset, fmt::format("`{}` leaves the range of a float", shown(offset)));
    }
    if (error != std::errc{} || rest != end) {
      fail(offset, fmt::format("`{}` is not a number", shown(offset)));
    }
    return value;
  }

  int64_t integer_value(const Numeral& numeral, size_t offset) const {
    const std::string& digits = numeral.digits;
    if (digits.size() > 1 && digits[0] == '0' && !numeral.hex) {
      fail(offset, fmt::format("`{}` looks like an octal number", shown(offset)),
           "write it without the leading zero");
    }
    const char* const end = digits.data() + digits.size();
    int64_t value = 0;
    const auto [rest, error] = std::from_chars(digits.data(), end, value, numeral.hex ? 16 : 10);
    if (digits.empty() || rest != end) {
      fail(offset, fmt::format("`{}` is not a number", shown(offset)));
    }
    if (error != std::errc{}) {
      fail(offset, fmt::format("`{}` does not fit in an int64", shown(offset)));
    }
    return value;
  }

  std::string identifier() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::unique_ptr<Node> word() {
    const size_t offset = at_;
    const std::string name = identifier();
    if (name == "True" || name == "False") {
      auto node = make(Node::Kind::constant, offset);
      node->value = name == "True";
      return node;
    }
    if (name == "true" || name == "false") {
      fail(offset, fmt::format("`{}` is not part of arithmetic", name),
           fmt::format("Python writes {}", name == "true" ? "True" : "False"));
    }
    if (name == "and" || name == "or" || name == "not" || name == "if" || name == "in") {
      fail(offset, fmt::format("`{}` is not part of arithmetic", name));
    }
    if (take("(")) return call(name, offset);
    if (take(".")) return attribute(name, offset);
    if (find_dtype(name)) {
      auto node = make(Node::Kind::constant, offset);
      node->value = name;
      return node;
    }
    return use(name, offset);
  }

  std::unique_ptr<Node> use(const std::string& name, size_t offset) {
    const bool seen =
        std::ranges::any_of(names_, [&](const NameUse& other) { return other.name == name; });
    if (!seen) names_.push_back({name, place(offset)});
    return make(Node::Kind::name, offset, name);
  }

  std::unique_ptr<Node> attribute(const std::string& owner, size_t offset) {
    skip_space();
    const std::string name = identifier();
    const std::vector<std::string> array = {"size", "shape", "nbytes"};
    const bool device = owner == "device";
    const std::vector<std::string>& known = device ? device_attributes() : array;
    if (std::ranges::find(known, name) == known.end()) {
      const std::string near = nearest(name, known);
      fail(offset, fmt::format("`{}.{}` is unknown", owner, name),
           near.empty()
               ? fmt::format("{} has {}", device ? "device" : "an array", join(known, ", "))
               : fmt::format("did you mean `{}.{}`?", owner, near));
    }
    return use(owner + "." + name, offset);
  }

  std::unique_ptr<Node> call(const std::string& name, size_t offset) {
    const auto function = std::ranges::find(kFunctions, name, &Function::name);
    if (function == kFunctions.end()) {
      std::vector<std::string> known;
      known.reserve(kFunctions.size());
      for (const Function& f : kFunctions) known.emplace_back(f.name);
      const std::string near = nearest(name, known);
      fail(offset, fmt::format("`{}` is not a function of arithmetic", name),
           near.empty() ? "it has " + join(known, ", ") : fmt::format("did you mean `{}`?", near));
    }
    auto node = make(Node::Kind::call, offset, name);
    if (!take(")")) {
      do {
        node->children.push_back(comparison());
      } while (take(","));
      if (!take(")")) fail(offset, fmt::format("`{}(` is never closed", name));
    }
    const size_t count = node->children.size();
    if (count < function->least || count > function->most) {
      fail(offset, fmt::format("`{}` takes {}{} value{}, not {}", name,
                               function->least == function->most ? "" : "at least ",
                               function->least, function->least == 1 ? "" : "s", count));
    }
    return node;
  }

  std::string_view text_;
  Position start_;
  std::vector<NameUse>& names_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<Node> parse(std::string_view text, const Position& at,
                            std::vector<NameUse>& names) {
  return Parser(text, at, names).whole();
}

}  // namespace warpmark::arithmetic
