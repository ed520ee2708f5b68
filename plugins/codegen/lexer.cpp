#include "codegen/lexer.hpp"

#include <algorithm>
#include <array>

#include "warpmark/plugin.hpp"

namespace warpmark::codegen {

namespace {

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool continues_name(char c) {
  return begins_name(c) || is_digit(c);
}

// Longest first.
constexpr auto kPunctuators = std::to_array<std::string_view>(
    {"%:%:", "<<=", ">>=", "...", "->*", "<=>", "::", "++", "--", "->", "+=", "-=", "*=",
     "/=",   "%=",  "&=",  "|=",  "^=",  "==",  "!=", "<=", ">=", "&&", "||", "<<", ">>",
     "##",   ".*",  "<:",  ":>",  "<%",  "%>",  "%:", "[",  "]",  "{",  "}"});

std::string_view meaning(std::string_view punctuator) {
  if (punctuator == "<:") return "[";
  if (punctuator == ":>") return "]";
  if (punctuator == "<%") return "{";
  if (punctuator == "%>") return "}";
  if (punctuator == "%:") return "#";
  return punctuator;
}

class Lexer {
 public:
  Lexer(std::string_view source, const std::string& pointer) : source_(source), pointer_(pointer) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) token();
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view what) const { return source_.substr(at_).starts_with(what); }

  [[noreturn]] void unfinished(const char* what, int line) const {
    throw plugin::Failure(
        pointer_, std::string(what) + " does not end (line " + std::to_string(line) + " of it)");
  }

  void newline() {
    ++line_;
    ++logical_line_;
  }

  void token() {
    const char c = peek();
    if (c == '\n') {
      newline();
      ++at_;
    } else if (c == '\\' && splice() > 0) {
      at_ += splice();
      ++line_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      ++at_;
    } else if (looking_at("//")) {
      line_comment();
    } else if (looking_at("/*")) {
      block_comment();
    } else if (c == '"' || c == '\'') {
      quoted(at_);
    } else if (begins_name(c)) {
      name();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else {
      punctuator();
    }
  }

  // The length of a backslash with the line end after it; blanks between them do not count.
  size_t splice() const {
    size_t end = at_ + 1;
    while (end < source_.size() &&
           (source_[end] == ' ' || source_[end] == '\t' || source_[end] == '\r')) {
      ++end;
    }
    return end < source_.size() && source_[end] == '\n' ? end + 1 - at_ : 0;
  }

  void line_comment() {
    while (at_ < source_.size() && peek() != '\n') {
      const size_t joined = peek() == '\\' ? splice() : 0;
      if (joined > 0) ++line_;
      at_ += joined > 0 ? joined : 1;
    }
  }

  void block_comment() {
    const int line = line_;
    const size_t end = source_.find("*/", at_ + 2);
    if (end == std::string_view::npos) unfinished("a comment `/*`", line);
    for (; at_ < end + 2; ++at_) {
      if (peek() == '\n') newline();
    }
  }

  // A string or character from its quote on; `begin` is where a prefix starts.
  void quoted(size_t begin) {
    const int line = line_;
    const char quote = peek();
    for (++at_; peek() != quote; ++at_) {
      if (peek() == '\\') {
        const size_t joined = splice();
        if (joined > 0) ++line_;
        at_ += joined > 0 ? joined - 1 : 1;
      } else if (peek() == '\n' || at_ >= source_.size()) {
        unfinished(quote == '"' ? "a string" : "a character", line);
      }
      if (at_ >= source_.size()) unfinished(quote == '"' ? "a string" : "a character", line);
    }
    ++at_;
    add(TokenKind::text, source_.substr(begin, at_ - begin), line);
  }

  // R"name( … )name"
  void raw_string(size_t begin) {
    const int line = line_;
    const size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) unfinished("a raw string", line);
    const std::string end = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const size_t close = source_.find(end, open);
    if (close == std::string_view::npos) unfinished("a raw string", line);
    for (; at_ < close + end.size(); ++at_) {
      if (peek() == '\n') newline();
    }
    add(TokenKind::text, source_.substr(begin, at_ - begin), line);
  }

  void name() {
    const size_t begin = at_;
    while (continues_name(peek())) ++at_;
    const std::string_view text = source_.substr(begin, at_ - begin);
    if (peek() == '"' &&
        (text == "R" || text == "u8R" || text == "uR" || text == "UR" || text == "LR")) {
      raw_string(begin);
    } else if ((peek() == '"' || peek() == '\'') &&
               (text == "u8" || text == "u" || text == "U" || text == "L")) {
      quoted(begin);
    } else {
      add(TokenKind::name, text, line_);
    }
  }

  // A preprocessing number: also "1e+5", "0x1p-3", "1'000".
  void number() {
    const size_t begin = at_;
    while (continues_name(peek()) || peek() == '.' || (peek() == '\'' && continues_name(peek(1))) ||
           ((peek() == '+' || peek() == '-') && at_ > begin &&
            std::string_view("eEpP").find(source_[at_ - 1]) != std::string_view::npos)) {
      ++at_;
    }
    add(TokenKind::number, source_.substr(begin, at_ - begin), line_);
  }

  void punctuator() {
    for (const std::string_view known : kPunctuators) {
      if (looking_at(known)) {
        at_ += known.size();
        add(TokenKind::punctuator, meaning(known), line_);
        return;
      }
    }
    add(TokenKind::punctuator, source_.substr(at_, 1), line_);
    ++at_;
  }

  void add(TokenKind kind, std::string_view text, int line) {
    tokens_.push_back({kind, std::string(text), line, logical_line_});
  }

  std::string_view source_;
  const std::string& pointer_;
  size_t at_ = 0;
  int line_ = 1, logical_line_ = 1;
  std::vector<Token> tokens_;
};

char partner(const Token& token) {
  if (token.kind != TokenKind::punctuator || token.text.size() != 1) return '\0';
  switch (token.text[0]) {
    case '(':
      return ')';
    case '[':
      return ']';
    case '{':
      return '}';
    default:
      return '\0';
  }
}

bool closes(const Token& token) {
  return token.is(")") || token.is("]") || token.is("}");
}

}  // namespace

std::vector<Token> lex(std::string_view source, const std::string& pointer) {
  return Lexer(source, pointer).run();
}

void require_balance(const std::vector<Token>& tokens, const std::string& pointer) {
  std::vector<const Token*> open;
  const auto fail = [&](const Token& token, const char* what) {
    throw plugin::Failure(
        pointer,
        "`" + token.text + "` " + what + " (line " + std::to_string(token.line) + " of it)",
        "brackets must pair up within the text");
  };
  for (const Token& token : tokens) {
    if (partner(token) != '\0') open.push_back(&token);
    if (!closes(token)) continue;
    if (open.empty()) fail(token, "closes nothing");
    if (partner(*open.back()) != token.text[0]) fail(token, "closes a bracket of another kind");
    open.pop_back();
  }
  if (!open.empty()) fail(*open.back(), "is not closed");
}

size_t closing(const std::vector<Token>& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (partner(tokens[i]) != '\0') ++depth;
    if (closes(tokens[i]) && --depth == 0) return i;
  }
  return tokens.size() - 1;
}

std::vector<std::vector<Token>> split_outside_brackets(const std::vector<Token>& tokens,
                                                       std::string_view separator) {
  std::vector<std::vector<Token>> parts;
  if (tokens.empty()) return parts;
  parts.emplace_back();
  int depth = 0;
  for (const Token& token : tokens) {
    if (partner(token) != '\0') ++depth;
    if (closes(token)) --depth;
    if (depth == 0 && token.is(separator)) {
      parts.emplace_back();
    } else {
      parts.back().push_back(token);
    }
  }
  return parts;
}

std::string spelled(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    if (!text.empty() && continues_name(text.back()) &&
        (continues_name(token.text.front()) || token.text == "*")) {
      text += ' ';
    }
    text += token.text;
  }
  return text;
}

bool is_statement_keyword(std::string_view name) {
  static constexpr auto kKeywords =
      std::to_array<std::string_view>({"return", "else", "case", "do", "throw", "goto", "sizeof",
                                       "new", "delete", "and", "or", "not"});
  return std::ranges::find(kKeywords, name) != kKeywords.end();
}

bool is_identifier(std::string_view text) {
  return !text.empty() && begins_name(text.front()) && std::ranges::all_of(text, continues_name);
}

}  // namespace warpmark::codegen
