// Token rules of the PTX ISA, chapter "Syntax", with the freedoms that NVRTC and inline assembly
// use.
#include "ptx/lexer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/characters.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {

namespace {

// The characters that skip_braces() looks at.
constexpr std::array<bool, 256> kOfBlocks = [] {
  std::array<bool, 256> set{};
  for (const char c : {'/', '\n', '{', '}', '"'}) set[static_cast<unsigned char>(c)] = true;
  return set;
}();

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
      if (end_ - at_ < 2) {
        at_ = end_;
        throw PtxError(opened, "a comment without an end");
      }
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

void Lexer::refuse(std::size_t length, const char* trouble) {
  constexpr std::size_t kMostShown = 60;
  std::string text = "'" + std::string(at_, std::min(length, kMostShown)) + "'";
  if (*at_ <= ' ' || *at_ >= 0x7f) {
    char code[8];
    std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned char>(*at_));
    text = code;
  }
  at_ += length;
  throw PtxError(line_, text + " is " + trouble);
}

// Moves over the first character of a name, and over all that goes on in it.
void Lexer::skip_name(bool modifiers) {
  ++at_;
  while (at_ != end_) {
    if (is_name(*at_)) {
      ++at_;
    } else if (modifiers && *at_ == '.' && at_ + 1 != end_ && is_name(at_[1])) {
      at_ += 2;
    } else if (*at_ == ':' && end_ - at_ > 2 && at_[1] == ':' && is_name(at_[2])) {
      at_ += 3;
    } else {
      return;
    }
  }
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
    skip_name(true);
    return finish(TokenKind::word, begin);
  }
  if (c == '.' && at_ + 1 != end_ && is_name(at_[1])) {
    skip_name(false);
    return finish(TokenKind::directive, begin);
  }
  if (c == '"') {
    ++at_;
    // A backslash is a character like any other, also before the quote: so NVIDIA's assembler.
    while (at_ != end_ && *at_ != '"' && *at_ != '\n') ++at_;
    if (at_ == end_ || *at_ != '"')
      throw PtxError(line_, "a string over lines or without an end, which PTX does not have");
    Token token = finish(TokenKind::string, begin + 1);
    ++at_;
    return token;
  }
  if (std::strchr("()[]{}<>,;:+-@!|=*/%~&^?", c) != nullptr && c != '\0') {
    ++at_;
    return finish(TokenKind::symbol, begin);
  }
  refuse(1, "a character that PTX does not have");
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

bool Lexer::skip_braces() {
  int depth = 1;
  bool quoted = false, agreed = true;
  const std::uint32_t opened = line_;
  while (depth > 0) {
    while (at_ != end_ && !kOfBlocks[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ == end_) throw PtxError(opened, "'{' without '}'");
    const char* const before = at_;
    if (*at_ == '/' || *at_ == '\n') skip_blanks();  // a comment, or blanks
    if (at_ != before) {
      const std::string_view skipped(before, static_cast<std::size_t>(at_ - before));
      agreed = agreed && skipped.find_first_of("{}") == std::string_view::npos;
      continue;
    }
    quoted = quoted != (*at_ == '"');
    if (*at_ == '{' || *at_ == '}') {
      depth += *at_ == '{' ? 1 : -1;
      agreed = agreed && !quoted;
    }
    ++at_;
  }
  return agreed;
}

}  // namespace warpmark::cpu
