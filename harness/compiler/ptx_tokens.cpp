#include "compiler/ptx_tokens.hpp"

#include <algorithm>

namespace warpmark {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
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
  PtxToken token{kind, text_.substr(at_, end - at_), line_};
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
      take(PtxTokenKind::odd, close == std::string_view::npos ? text_.size() : close + 2);
    } else {
      break;
    }
  }
  return at_ != begin;
}

// Integers in four bases, 0f and 0d with their 8 and 16 digits, and decimal fractions.
size_t PtxTokens::number_end() const {
  const char mark = static_cast<char>(at(at_ + 1) | 0x20);  // lower case
  size_t end = at_ + 2;
  if (text_[at_] == '0' && (mark == 'f' || mark == 'd')) {
    const size_t digits = mark == 'f' ? 8 : 16;
    while (end - at_ - 2 < digits && is_hex_digit(at(end))) ++end;
    if (end - at_ - 2 == digits) return end;
  } else if (text_[at_] == '0' && (mark == 'x' || mark == 'b')) {
    while (mark == 'x' ? is_hex_digit(at(end)) : at(end) == '0' || at(end) == '1') ++end;
    if (end > at_ + 2) return at(end) == 'U' ? end + 1 : end;
  }
  end = at_;
  while (is_digit(at(end))) ++end;
  if (at(end) == '.' && !starts_name(at(end + 1))) {
    ++end;
    while (is_digit(at(end))) ++end;
  }
  if (at(end) == 'e' || at(end) == 'E') {
    const size_t sign = at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0;
    if (is_digit(at(end + 1 + sign))) {
      end += 1 + sign;
      while (is_digit(at(end))) ++end;
    }
  }
  return at(end) == 'U' ? end + 1 : end;
}

PtxToken PtxTokens::next() {
  skip_blanks();
  if (at_ >= text_.size()) return {PtxTokenKind::end, {}, line_};
  const char c = text_[at_];
  if (is_digit(c)) return take(PtxTokenKind::number, number_end());
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
