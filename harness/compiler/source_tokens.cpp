#include "compiler/source_tokens.hpp"

#include <utility>

#include "base/characters.hpp"

namespace warpmark {

namespace {

bool is_name(char c) {
  return is_word_character(c) || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) { splice(source); }

  std::vector<SourceToken> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_start_ = true;
        directive_ = include_ = false;
        ++at_;
      } else if (is_blank(c)) {
        ++at_;
      } else if (starts("//")) {
        skip_to("\n", 0);
      } else if (starts("/*")) {
        at_ += 2;
        skip_to("*/", 2);
      } else {
        token();
        line_start_ = false;
      }
    }
    return std::move(tokens_);
  }

 private:
  // Translation phase 2. Inside raw strings splices do not count, which changes no token's end here
  // but for sources that want to be misread.
  void splice(std::string_view source) {
    int line = 1;
    text_.reserve(source.size());
    lines_.reserve(source.size());
    offsets_.reserve(source.size() + 1);
    for (size_t i = 0; i < source.size(); ++i) {
      if (source[i] == '\\') {
        size_t end = i + 1;
        while (end < source.size() && is_blank(source[end])) ++end;
        if (end < source.size() && source[end] == '\n') {
          ++line;
          i = end;
          continue;
        }
        // Blanks that follow no splice are looked at once more only: they end at the next one.
      }
      text_ += source[i];
      lines_.push_back(line);
      offsets_.push_back(i);
      if (source[i] == '\n') ++line;
    }
    offsets_.push_back(source.size());
  }

  bool starts(std::string_view what) const { return text_.compare(at_, what.size(), what) == 0; }

  void skip_to(std::string_view end, size_t past) {
    const size_t found = text_.find(end, at_);
    at_ = found == std::string::npos ? text_.size() : found + past;
  }

  void add(TokenKind kind, size_t begin, size_t end) {
    tokens_.push_back({kind, text_.substr(begin, end - begin), lines_[begin], directive_,
                       offsets_[begin], offsets_[end - 1] + 1});
  }

  void token() {
    const size_t begin = at_;
    const char c = text_[at_];
    if (line_start_ && (c == '#' || starts("%:"))) {
      directive_ = true;
      name_is_next_ = true;
      at_ += c == '#' ? 1 : 2;
      tokens_.push_back({TokenKind::mark, "#", lines_[begin], true, offsets_[begin],
                         offsets_[at_ - 1] + 1, true});
    } else if (include_ && (c == '<' || c == '"')) {
      header(c == '<' ? '>' : '"');
    } else if (is_digit(c)) {
      while (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.')) ++at_;
      add(TokenKind::number, begin, at_);
    } else if (is_name(c)) {
      word();
    } else if (c == '"' || c == '\'') {
      quoted(begin, c);
    } else {
      at_ += starts("<<<") || starts(">>>") ? 3 : starts("::") ? 2 : 1;
      add(TokenKind::mark, begin, at_);
    }
  }

  void word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string_view name = std::string_view(text_).substr(begin, at_ - begin);
    if (at_ < text_.size() && text_[at_] == '"' && name.ends_with('R') && name.size() <= 3 &&
        (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R")) {
      raw(begin);
      return;
    }
    include_ = std::exchange(name_is_next_, false) && name == "include";
    add(TokenKind::word, begin, at_);
  }

  // A header's name ends on its line, or it is none.
  void header(char end) {
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != end && text_[at_] != '\n') ++at_;
    tokens_.push_back({TokenKind::header, text_.substr(begin, at_ - begin), lines_[begin - 1], true,
                       offsets_[begin], offsets_[at_]});
    if (at_ < text_.size() && text_[at_] == end) ++at_;
    include_ = false;
  }

  void quoted(size_t begin, char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    add(TokenKind::literal, begin, at_);
  }

  void raw(size_t begin) {
    constexpr size_t kLongestDelimiter = 16;  // [lex.string]
    const size_t open = text_.find('(', at_);
    if (open == std::string::npos || open - at_ - 1 > kLongestDelimiter) {
      quoted(begin, '"');
      return;
    }
    const std::string end = ")" + text_.substr(at_ + 1, open - at_ - 1) + "\"";
    at_ = open + 1;
    skip_to(end, end.size());
    add(TokenKind::literal, begin, at_);
  }

  std::string text_;
  std::vector<int> lines_;       ///< of each character
  std::vector<size_t> offsets_;  ///< of each character in the source, and of its end
  size_t at_ = 0;
  bool line_start_ = true;     ///< nothing but blanks and comments so far
  bool directive_ = false;     ///< until the end of the line
  bool name_is_next_ = false;  ///< of the directive
  bool include_ = false;       ///< the next token may be a header's name
  std::vector<SourceToken> tokens_;
};

// 1 for a bracket that opens, −1 for one that closes, else 0.
int step_of(const SourceToken& token, std::string_view brackets) {
  if (token.directive || token.text.size() != 1) return 0;
  const size_t found = brackets.find(token.text[0]);
  return found == std::string_view::npos ? 0 : found < brackets.size() / 2 ? 1 : -1;
}

}  // namespace

size_t closing_bracket(const std::vector<SourceToken>& tokens, size_t open, size_t end,
                       std::string_view brackets) {
  int depth = 0;
  for (size_t i = open; i < end; ++i) {
    const int step = step_of(tokens[i], brackets);
    depth += step;
    if (step < 0 && depth == 0) return i;
  }
  return end;
}

size_t opening_bracket(const std::vector<SourceToken>& tokens, size_t close,
                       std::string_view brackets) {
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    const int step = step_of(tokens[i], brackets);
    depth -= step;
    if (step > 0 && depth == 0) return i;
  }
  return std::string_view::npos;
}

std::vector<SourceToken> source_tokens(std::string_view source) {
  return Lexer(source).run();
}

bool is_declared_with(std::string_view source, std::string_view word, std::string_view name) {
  bool inside = false;
  for (const SourceToken& token : source_tokens(source)) {
    if (token.directive) continue;
    if (token.text == word) inside = true;
    if (token.text == ";") inside = false;
    if (inside && token.kind == TokenKind::word && token.text == name) return true;
  }
  return false;
}

}  // namespace warpmark
