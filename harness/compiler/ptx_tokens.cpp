#include "compiler/ptx_tokens.hpp"

#include <algorithm>

#include "warpmark/ptx_number.hpp"

namespace warpmark {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool is_name(char c) {
  return (starts_name(c) && c != '%') || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

}  // namespace

PtxToken PtxTokens::take(PtxTokenKind kind, size_t end) {
  PtxToken token{kind, text_.substr(at_, end - at_), line_, ""};
  line_ += static_cast<int>(std::count(token.text.begin(), token.text.end(), '\n'));
  at_ = end;
  return token;
}

// Blanks and comments; false if there was none.
bool PtxTokens::skip_blanks() {
  const size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (is_blank(c)) {
      line_ += c == '\n' ? 1 : 0;
      ++at_;
    } else if (c == '/' && at(at_ + 1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && at(at_ + 1) == '*') {
      const size_t close = text_.find("*/", at_ + 2);
      open_comment_ = close == std::string_view::npos;
      take(PtxTokenKind::odd, open_comment_ ? text_.size() : close + 2);
    } else {
      break;
    }
  }
  return at_ != begin;
}

PtxToken PtxTokens::next() {
  skip_blanks();
  if (at_ >= text_.size()) {
    PtxToken token{PtxTokenKind::end, {}, line_, ""};
    if (open_comment_) token.trouble = "a comment without an end";
    return token;
  }
  const char c = text_[at_];
  if (is_digit(c)) {
    const PtxNumber number = read_ptx_number(text_.substr(at_));
    PtxToken token = take(PtxTokenKind::number, at_ + number.length);
    token.trouble = number.trouble;
    token.value = number.value;
    token.whole = number.kind == PtxNumberKind::integer;
    return token;
  }
  size_t end = at_ + 1;
  if (starts_name(c)) {
    while (is_name(at(end))) ++end;
    return take(PtxTokenKind::name, end);
  }
  if (c == '.' && (is_name(at(end)) || at(end) == '%')) {
    while (is_name(at(end))) ++end;
    if (at(end) == ':' && at(end + 1) == ':' && is_name(at(end + 2))) {
      end += 2;
      while (is_name(at(end))) ++end;
    }
    return take(PtxTokenKind::directive, end);
  }
  if (c == '"') {
    const size_t close = text_.find('"', end);
    PtxToken token =
        take(PtxTokenKind::text, close == std::string_view::npos ? text_.size() : close + 1);
    token.text.remove_prefix(1);
    if (close == std::string_view::npos) {
      token.kind = PtxTokenKind::odd;
    } else {
      token.text.remove_suffix(1);
    }
    return token;
  }
  constexpr std::string_view kMarks = "()[]{}<>,;:+-@!|=*/~&^?.";
  const bool known = kMarks.find(c) != std::string_view::npos;
  return take(known ? PtxTokenKind::mark : PtxTokenKind::odd, end);
}

bool PtxTokens::skip_braces() {
  bool agreed = true;
  for (size_t depth = 1; depth > 0;) {
    const size_t before = at_;
    if (skip_blanks()) {
      const std::string_view skipped = text_.substr(before, at_ - before);
      agreed = agreed && skipped.find_first_of("{}") == std::string_view::npos;
    }
    const PtxToken token = next();
    if (token.kind == PtxTokenKind::end) return false;
    if (token.kind == PtxTokenKind::text) {
      agreed = agreed && token.text.find_first_of("{}") == std::string_view::npos;
    }
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
  }
  return agreed;
}

}  // namespace warpmark
