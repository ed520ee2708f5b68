// Token rules of the PTX ISA, chapter "Syntax", with the freedoms that NVRTC and inline assembly
// use.
#include "ptx/lexer.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/characters.hpp"
#include "ptx/error.hpp"
#include "warpmark/ptx_number.hpp"

namespace warpmark::cpu {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
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
  const PtxNumber number = read_ptx_number({begin, static_cast<std::size_t>(end_ - begin)});
  at_ += number.length;
  if (number.kind == PtxNumberKind::malformed) {
    throw PtxError(line_, "'" + std::string(begin, at_) + "' is " + number.trouble);
  }
  Token token =
      finish(number.kind == PtxNumberKind::integer ? TokenKind::integer : TokenKind::real, begin);
  token.single = number.kind == PtxNumberKind::binary32;
  token.value = number.value;
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
