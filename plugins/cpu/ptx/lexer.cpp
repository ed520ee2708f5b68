// Token rules of the PTX ISA, chapter "Syntax", with the freedoms that NVRTC and inline assembly
// use.
#include "ptx/lexer.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

// Locale-independent classes: isalpha() depends on the host program's locale.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

std::string printable(char c) {
  if (c > ' ' && c < 0x7f) return std::string("'") + c + "'";
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

void Lexer::skip_blanks() {
  while (at_ != end_) {
    const char c = *at_;
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '/' && at_ + 1 != end_ && at_[1] == '/') {
      const void* eol = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
      at_ = eol != nullptr ? static_cast<const char*>(eol) : end_;
    } else if (c == '/' && at_ + 1 != end_ && at_[1] == '*') {
      const std::uint32_t opened = line_;
      at_ += 2;
      while (end_ - at_ >= 2 && !(at_[0] == '*' && at_[1] == '/')) {
        if (*at_ == '\n') ++line_;
        ++at_;
      }
      if (end_ - at_ < 2) throw PtxError(opened, "comment without an end");
      at_ += 2;
    } else {
      return;
    }
  }
}

Token Lexer::finish(TokenKind kind, const char* begin) const {
  Token token;
  token.kind = kind;
  token.line = line_;
  token.text = {begin, static_cast<std::size_t>(at_ - begin)};
  return token;
}

bool Lexer::next_of_list(std::uint64_t& value) {
  const char* ahead = at_;
  if (ahead == end_ || *ahead != ',') return false;
  ++ahead;
  if (ahead != end_ && *ahead == ' ') ++ahead;
  const char* const begin = ahead;
  std::uint64_t read = 0;
  while (ahead != end_ && ahead - begin < 19 && is_digit(*ahead))
    read = read * 10 + static_cast<std::uint64_t>(*ahead++ - '0');
  if (ahead == begin || ahead == end_ || (*ahead != ',' && *ahead != '}')) return false;
  if (*begin == '0' && ahead - begin > 1) return false;  // octal
  at_ = ahead;
  value = read;
  return true;
}

Token Lexer::number() {
  const char* begin = at_;
  // 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: the bits of a binary32 or binary64 number.
  if (*at_ == '0' && end_ - at_ >= 2 &&
      (at_[1] == 'f' || at_[1] == 'F' || at_[1] == 'd' || at_[1] == 'D')) {
    const bool single = at_[1] == 'f' || at_[1] == 'F';
    const int digits = single ? 8 : 16;
    at_ += 2;
    std::uint64_t bits = 0;
    int count = 0;
    for (; at_ != end_ && digit_value(*at_) < 16; ++at_, ++count) {
      bits = bits << 4 | static_cast<std::uint64_t>(digit_value(*at_));
    }
    if (count != digits || (at_ != end_ && is_name(*at_))) {
      throw PtxError(line_, "a floating-point constant needs exactly " + std::to_string(digits) +
                                " hexadecimal digits");
    }
    Token token = finish(TokenKind::real, begin);
    token.single = single;
    token.value = bits;
    return token;
  }
  // Most numbers are decimal and short: tables of initial values are millions of them.
  if (*at_ != '0') {
    const char* ahead = at_;
    std::uint64_t short_value = 0;
    while (ahead != end_ && ahead - at_ < 19 && is_digit(*ahead))
      short_value = short_value * 10 + static_cast<std::uint64_t>(*ahead++ - '0');
    if (ahead != end_ && (*ahead == ',' || *ahead == ' ' || *ahead == '}' || *ahead == ']' ||
                          *ahead == ';' || *ahead == '\n')) {
      at_ = ahead;
      Token token = finish(TokenKind::integer, begin);
      token.value = short_value;
      return token;
    }
  }
  int base = 10;
  if (*at_ == '0' && end_ - at_ >= 2) {
    if (at_[1] == 'x' || at_[1] == 'X') {
      base = 16;
      at_ += 2;
    } else if (at_[1] == 'b' || at_[1] == 'B') {
      base = 2;
      at_ += 2;
    } else if (is_digit(at_[1])) {
      base = 8;
      at_ += 1;
    }
  }
  std::uint64_t value = 0;
  int digits = 0;
  for (; at_ != end_ && digit_value(*at_) < base; ++at_, ++digits) {
    const auto digit = static_cast<std::uint64_t>(digit_value(*at_));
    if (value > (~std::uint64_t{0} - digit) / static_cast<std::uint64_t>(base)) {
      throw PtxError(line_, "integer constant does not fit 64 bits");
    }
    value = value * static_cast<std::uint64_t>(base) + digit;
  }
  if (digits == 0) throw PtxError(line_, "integer constant without digits");
  const bool fraction = base == 10 && at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E');
  if (fraction) {
    while (at_ != end_ && (is_digit(*at_) || *at_ == '.' || *at_ == 'e' || *at_ == 'E' ||
                           ((*at_ == '-' || *at_ == '+') && (at_[-1] == 'e' || at_[-1] == 'E')))) {
      ++at_;
    }
    // from_chars, unlike strtod, does not depend on the host program's locale.
    double real = 0;
    const auto [parsed, error] = std::from_chars(begin, at_, real);
    if (parsed != at_ || error != std::errc()) {
      throw PtxError(line_, "malformed number '" + std::string(begin, at_) + "'");
    }
    Token token = finish(TokenKind::real, begin);
    std::memcpy(&token.value, &real, sizeof real);
    return token;
  }
  if (at_ != end_ && *at_ == 'U') ++at_;
  if (at_ != end_ && is_name(*at_) && *at_ != '%') {
    throw PtxError(line_, "malformed number '" + std::string(begin, at_ + 1) + "'");
  }
  Token token = finish(TokenKind::integer, begin);
  token.value = value;
  return token;
}

Token Lexer::next() {
  skip_blanks();
  const char* begin = at_;
  if (at_ == end_) return finish(TokenKind::end, begin);
  const char c = *at_;
  if (is_digit(c)) return number();
  // `%` alone is an operator; `a %b` is not.
  const bool modulo = c == '%' && (at_ + 1 == end_ || !is_name(at_[1]));
  if (is_name_start(c) && !modulo) {
    // An opcode carries its modifiers: ld.global.nc.v4.f32, ld.shared::cta.u32, %tid.x.
    ++at_;
    while (at_ != end_) {
      if (is_name(*at_)) {
        ++at_;
      } else if (*at_ == '.' && at_ + 1 != end_ && is_name(at_[1])) {
        at_ += 2;
      } else if (*at_ == ':' && end_ - at_ > 2 && at_[1] == ':' && is_name(at_[2])) {
        at_ += 3;
      } else {
        break;
      }
    }
    return finish(TokenKind::word, begin);
  }
  if (c == '.' && at_ + 1 != end_ && is_name_start(at_[1])) {
    ++at_;
    while (at_ != end_ && is_name(*at_)) ++at_;
    return finish(TokenKind::directive, begin);
  }
  if (c == '"') {
    ++at_;
    // A backslash is a character like any other, also before the quote: so NVIDIA's assembler.
    while (at_ != end_ && *at_ != '"' && *at_ != '\n') ++at_;
    if (at_ >= end_ || *at_ != '"') throw PtxError(line_, "string without an end");
    Token token = finish(TokenKind::string, begin + 1);
    ++at_;
    return token;
  }
  if (std::strchr("()[]{}<>,;:+-@!|=*/%~&^?", c) != nullptr && c != '\0') {
    ++at_;
    return finish(TokenKind::symbol, begin);
  }
  throw PtxError(line_, "unexpected character " + printable(c));
}

bool Lexer::name_follows() const {
  Lexer ahead = *this;
  ahead.skip_blanks();
  return ahead.at_ != ahead.end_ && is_name_start(*ahead.at_);
}

bool Lexer::real_follows() const {
  Lexer ahead = *this;
  ahead.skip_blanks();
  return ahead.at_ != ahead.end_ && is_digit(*ahead.at_) && ahead.number().kind == TokenKind::real;
}

void Lexer::skip_braces() {
  int depth = 1;
  const std::uint32_t opened = line_;
  while (depth > 0) {
    if (at_ == end_) throw PtxError(opened, "'{' without '}'");
    const char c = *at_;
    if (c == '/' || c == '\n') {
      const char* before = at_;
      skip_blanks();  // a comment, or blanks
      if (at_ != before) continue;
    }
    if (c == '{') ++depth;
    if (c == '}') --depth;
    ++at_;
  }
}

}  // namespace warpmark::cpu
