#include "syntax.hpp"

#include <algorithm>
#include <cctype>

namespace warpmark::array {

namespace {

struct Token {
  enum class Kind : uint8_t { integer, real, name, string, op, newline, end };
  Kind kind = Kind::end;
  std::string text;
  size_t at = 0;
  size_t end = 0;
};

bool is_word(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Lexer {
 public:
  explicit Lexer(const Text& text) : text_(text), source_(text.text()) {}

  std::vector<Token> tokens() {
    while (at_ < source_.size()) next();
    if (!open_.empty()) text_.fail(open_.back(), "this bracket is never closed");
    add(Token::Kind::newline, 0);
    add(Token::Kind::end, 0);
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void add(Token::Kind kind, size_t length) {
    tokens_.push_back(
        {kind, source_.substr(std::min(at_, source_.size()), length), at_, at_ + length});
    at_ += length;
  }

  void next() {
    const char c = peek();
    if (c == '\n' || c == ';') {
      if (c == ';' && !open_.empty()) text_.fail(at_, "`;` inside brackets");
      if (open_.empty()) return add(Token::Kind::newline, 1);
      ++at_;
    } else if (c == '\\' && peek(1) == '\n') {
      at_ += 2;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      while (at_ < source_.size() && peek() != '\n') ++at_;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (is_word(c)) {
      size_t length = 1;
      while (is_word(peek(length))) ++length;
      add(Token::Kind::name, length);
    } else if (c == '\'' || c == '"') {
      const size_t close = source_.find(c, at_ + 1);
      if (close == std::string::npos) text_.fail(at_, "this string never ends");
      add(Token::Kind::string, close + 1 - at_);
    } else {
      op();
    }
  }

  void number() {
    size_t length = 0;
    bool real = false;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
      length = 2;
      while (std::isxdigit(static_cast<unsigned char>(peek(length))) != 0) ++length;
    } else {
      const auto digits = [&] {
        while (is_digit(peek(length)) || (peek(length) == '_' && is_digit(peek(length + 1)))) {
          ++length;
        }
      };
      digits();
      if (peek(length) == '.') {
        real = true;
        ++length;
        digits();
      }
      if (peek(length) == 'e' || peek(length) == 'E') {
        const size_t sign = peek(length + 1) == '-' || peek(length + 1) == '+' ? 1 : 0;
        if (is_digit(peek(length + 1 + sign))) {
          real = true;
          length += 1 + sign;
          digits();
        }
      }
    }
    if (peek(length) == 'j' || peek(length) == 'J') {
      text_.fail(at_, "complex numbers are not supported");
    }
    if (is_word(peek(length))) text_.fail(at_, "this is no number");
    add(real ? Token::Kind::real : Token::Kind::integer, length);
  }

  void op() {
    static constexpr std::string_view kOps[] = {
        "...", "**=", "//=", ">>=", "<<=", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "+=",
        "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", ":=", "+",  "-",  "*",  "/",  "%",  "&",
        "|",   "^",   "~",   "<",   ">",   "(",  ")",  "[",  "]",  ",",  ":",  ".",  "="};
    for (const std::string_view op : kOps) {
      if (source_.compare(at_, op.size(), op) != 0) continue;
      if (op == "(" || op == "[") open_.push_back(at_);
      if (op == ")" || op == "]") {
        if (open_.empty() || source_[open_.back()] != (op == ")" ? '(' : '[')) {
          text_.fail(at_, "`" + std::string(op) + "` closes no bracket");
        }
        open_.pop_back();
      }
      return add(Token::Kind::op, op.size());
    }
    text_.fail(at_, "this character has no meaning here");
  }

  const Text& text_;
  const std::string& source_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
  std::vector<size_t> open_;
};

// Python's binary operators from the loosest to the tightest; `**` is apart.
const std::vector<std::vector<std::string_view>>& levels() {
  static const std::vector<std::vector<std::string_view>> kLevels = {
      {"<", "<=", ">", ">=", "==", "!="},
      {"|"},
      {"^"},
      {"&"},
      {"<<", ">>"},
      {"+", "-"},
      {"*", "/", "//", "%"}};
  return kLevels;
}

class Parser {
 public:
  explicit Parser(const Text& text) : text_(text), tokens_(Lexer(text).tokens()) {}

  Syntax whole() {
    while (peek().kind == Token::Kind::newline) ++next_;
    Syntax syntax = tuple();
    while (peek().kind == Token::Kind::newline) ++next_;
    if (peek().kind != Token::Kind::end) unexpected();
    return syntax;
  }

  std::vector<Assignment> assignments() {
    std::vector<Assignment> list;
    while (peek().kind != Token::Kind::end) {
      if (peek().kind == Token::Kind::newline) {
        ++next_;
        continue;
      }
      list.push_back(assignment());
      if (peek().kind != Token::Kind::newline) unexpected();
    }
    if (list.empty()) text_.fail(0, "there is no assignment", "as in `z = a * x + y`");
    return list;
  }

 private:
  const Token& peek() const { return tokens_[next_]; }
  bool is(std::string_view op) const {
    return peek().text == op &&
           (peek().kind == Token::Kind::op || peek().kind == Token::Kind::name);
  }
  bool accept(std::string_view op) {
    if (!is(op)) return false;
    ++next_;
    return true;
  }
  void expect(std::string_view op) {
    if (!accept(op)) unexpected("`" + std::string(op) + "` is expected here");
  }
  [[noreturn]] void unexpected(const std::string& what = "") const {
    const Token& token = peek();
    const bool ends = token.kind == Token::Kind::newline || token.kind == Token::Kind::end;
    std::string message =
        ends ? "the text ends too early" : "`" + token.text + "` has no place here";
    std::string hint = what;
    if (token.text == "and" || token.text == "or" || token.text == "not") {
      hint = "for whole arrays NumPy has `&`, `|` and `~`, with parentheses around comparisons";
    } else if (token.text == "if") {
      hint = "for whole arrays it is `np.where(condition, a, b)`";
    }
    text_.fail(std::min(token.at, text_.text().size()), message, hint);
  }

  Syntax made(SyntaxKind kind, const Token& token, std::vector<Syntax> parts = {}) const {
    return {kind, token.text, std::move(parts), {}, token.at, tokens_[next_ - 1].end};
  }

  Assignment assignment() {
    Assignment one;
    one.at = peek().at;
    Syntax left = tuple();
    if (left.kind == SyntaxKind::sequence) {
      one.targets = left.parts;
    } else {
      one.targets.push_back(left);
    }
    const Token op = peek();
    const bool assigns = op.kind == Token::Kind::op && op.text.back() == '=' && op.text != "==" &&
                         op.text != "<=" && op.text != ">=" && op.text != "!=" && op.text != ":=";
    if (!assigns) {
      text_.fail(op.kind == Token::Kind::newline ? one.at : op.at, "this is no assignment",
                 "as in `z = a * x + y`, or `z[::2] = x`");
    }
    ++next_;
    one.op = op.text.substr(0, op.text.size() - 1);
    one.value = tuple();
    if (is("=")) text_.fail(peek().at, "one `=` in each assignment");
    return one;
  }

  // Elements between commas; one alone is no tuple.
  Syntax tuple() {
    const Token first = peek();
    Syntax element = expression();
    if (!is(",")) return element;
    std::vector<Syntax> elements{std::move(element)};
    while (accept(",")) {
      if (is(")") || is("=") || peek().kind == Token::Kind::newline) break;
      elements.push_back(expression());
    }
    Syntax made_of = made(SyntaxKind::sequence, first, std::move(elements));
    made_of.text.clear();
    return made_of;
  }

  Syntax expression() {
    const struct Depth {
      explicit Depth(Parser& of) : parser(of) {
        if (++parser.depth_ > 200) parser.text_.fail(parser.peek().at, "this is nested too deeply");
      }
      ~Depth() { --parser.depth_; }
      Depth(const Depth&) = delete;
      Depth& operator=(const Depth&) = delete;
      Parser& parser;
    } depth(*this);
    Syntax value = binary(0);
    if (!is("if")) return value;
    const Token token = peek();
    ++next_;
    Syntax condition = binary(0);
    expect("else");
    Syntax otherwise = expression();
    return made(SyntaxKind::conditional, token,
                {std::move(value), std::move(condition), std::move(otherwise)});
  }

  Syntax binary(size_t level) {
    if (level == levels().size()) return unary();
    Syntax left = binary(level + 1);
    bool compared = false;
    for (;;) {
      const auto& ops = levels()[level];
      const Token op = peek();
      if (op.kind != Token::Kind::op || std::ranges::find(ops, op.text) == ops.end()) {
        return left;
      }
      if (level == 0 && compared) {
        text_.fail(op.at, "a chain of comparisons has no meaning for whole arrays",
                   "write `(a < b) & (b < c)`");
      }
      compared = true;
      ++next_;
      Syntax right = binary(level + 1);
      left = made(SyntaxKind::binary, op, {std::move(left), std::move(right)});
    }
  }

  Syntax unary() {
    const Token op = peek();
    if (is("-") || is("+") || is("~")) {
      ++next_;
      if (++depth_ > 200) text_.fail(op.at, "this is nested too deeply");
      Syntax operand = unary();
      --depth_;
      return made(SyntaxKind::unary, op, {std::move(operand)});
    }
    Syntax base = primary();
    const Token power = peek();
    if (!accept("**")) return base;
    if (++depth_ > 200) text_.fail(power.at, "this is nested too deeply");
    Syntax exponent = unary();  // 2**-1 and a**b**c
    --depth_;
    return made(SyntaxKind::binary, power, {std::move(base), std::move(exponent)});
  }

  Syntax primary() {
    Syntax value = atom();
    for (;;) {
      const Token token = peek();
      if (accept(".")) {
        if (peek().kind != Token::Kind::name) unexpected("a name is expected behind the dot");
        const Token name = peek();
        ++next_;
        value = made(SyntaxKind::attribute, name, {std::move(value)});
      } else if (accept("(")) {
        value = call(token, std::move(value));
      } else if (accept("[")) {
        std::vector<Syntax> parts{std::move(value)};
        while (!is("]")) {
          parts.push_back(index());
          if (!accept(",")) break;
        }
        expect("]");
        if (parts.size() == 1) text_.fail(token.at, "an index is missing between the brackets");
        value = made(SyntaxKind::subscript, token, std::move(parts));
      } else {
        return value;
      }
    }
  }

  Syntax call(const Token& token, Syntax function) {
    std::vector<Syntax> parts{std::move(function)};
    std::vector<std::string> keywords{""};
    while (!is(")")) {
      std::string keyword;
      if (peek().kind == Token::Kind::name && tokens_[next_ + 1].text == "=") {
        keyword = peek().text;
        next_ += 2;
      }
      parts.push_back(expression());
      keywords.push_back(keyword);
      if (!accept(",")) break;
    }
    expect(")");
    Syntax made_of = made(SyntaxKind::call, token, std::move(parts));
    made_of.keywords = std::move(keywords);
    return made_of;
  }

  Syntax index() {
    const Token first = peek();
    Syntax parts[3];
    size_t colons = 0;
    while (!is(",") && !is("]")) {
      if (is(":") && colons < 2) {
        ++colons;
        ++next_;
      } else if (parts[colons].kind == SyntaxKind::nothing) {
        parts[colons] = expression();
      } else {
        unexpected();
      }
    }
    if (colons == 0 && parts[0].kind == SyntaxKind::nothing)
      unexpected("an index is expected here");
    if (colons == 0) return parts[0];
    return made(SyntaxKind::slice, first, {parts[0], parts[1], parts[2]});
  }

  Syntax atom() {
    const Token token = peek();
    if (accept("(") || accept("[")) {
      const std::string_view close = token.text == "(" ? ")" : "]";
      if (accept(close)) return made(SyntaxKind::sequence, token);
      Syntax inner = tuple();
      expect(close);
      if (token.text == "(") {
        inner.at = token.at;
        inner.end = tokens_[next_ - 1].end;
        return inner;
      }
      std::vector<Syntax> elements;
      if (inner.kind == SyntaxKind::sequence && inner.text.empty()) {
        elements = std::move(inner.parts);
      } else {
        elements.push_back(std::move(inner));
      }
      return made(SyntaxKind::sequence, token, std::move(elements));
    }
    static const std::vector<std::string> kNot = {"and",    "or",  "not", "if", "else",
                                                  "lambda", "for", "in",  "is", "import"};
    if (token.kind == Token::Kind::name && std::ranges::find(kNot, token.text) != kNot.end()) {
      unexpected();
    }
    ++next_;
    switch (token.kind) {
      case Token::Kind::integer:
        return made(SyntaxKind::integer, token);
      case Token::Kind::real:
        return made(SyntaxKind::real, token);
      case Token::Kind::name:
        return made(SyntaxKind::name, token);
      case Token::Kind::string:
        return made(SyntaxKind::string, token);
      default:
        break;
    }
    if (token.text == "...") return made(SyntaxKind::ellipsis, token);
    --next_;
    unexpected();
  }

  const Text& text_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
  int depth_ = 0;
};

// How many characters must be changed, added or removed; exchanged neighbours count as one.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

void Text::fail(size_t at, const std::string& message, const std::string& hint) const {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < std::min(at, text_.size()); ++i) {
    if (text_[i] == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(text_[i]) & 0xc0U) != 0x80U) {
      ++column;  // a character of UTF-8, not a byte
    }
  }
  throw plugin::Failure(pointer_ + "#" + std::to_string(line) + ":" + std::to_string(column),
                        message, hint);
}

Syntax parse_expression(const Text& text) {
  return Parser(text).whole();
}

std::vector<Assignment> parse_assignments(const Text& text) {
  return Parser(text).assignments();
}

void add_names(const Syntax& syntax, std::vector<std::string>& names) {
  if (syntax.kind == SyntaxKind::name && std::ranges::find(names, syntax.text) == names.end()) {
    names.push_back(syntax.text);
  }
  for (const Syntax& part : syntax.parts) add_names(part, names);
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const size_t most = word.size() < 4 ? 1 : 2;
  const std::string* best = nullptr;
  size_t least = most + 1;
  for (const std::string& one : known) {
    const size_t d = distance(word, one);
    if (d < least) {
      least = d;
      best = &one;
    }
  }
  return best != nullptr ? "did you mean `" + *best + "`?" : "";
}

}  // namespace warpmark::array
