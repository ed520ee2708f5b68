// Numbers of a PTX text: PTX ISA, "Constants".
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "ptx/characters.hpp"
#include "ptx/lexer.hpp"

namespace warpmark::cpu {
namespace {

constexpr unsigned digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return 99;
}

char at(std::string_view text, std::size_t index) {
  return index < text.size() ? text[index] : '\0';
}

// The end of `1.5`, `2.`, `1e-3` from behind its first digits.
std::size_t fraction_end(std::string_view text, std::size_t end) {
  // `1.5` goes on; `1.f32` is an operand and a modifier of something else.
  if (at(text, end) == '.' && (is_digit(at(text, end + 1)) || !is_name(at(text, end + 1)))) {
    ++end;
    while (is_digit(at(text, end))) ++end;
  }
  if (at(text, end) != 'e' && at(text, end) != 'E') return end;
  const bool sign = at(text, end + 1) == '+' || at(text, end + 1) == '-';
  const std::size_t power = end + (sign ? 2 : 1);
  if (!is_digit(at(text, power))) return end;
  for (end = power; is_digit(at(text, end));) ++end;
  return end;
}

// How a number is written, by the letter behind its first zero.
struct Notation {
  unsigned base;
  std::size_t first;  ///< digit
  std::size_t most;   ///< digits
  bool bits = false;  ///< of a floating-point number, all digits of which are there
};
Notation notation_of(std::string_view text) {
  switch (text[0] == '0' ? at(text, 1) : '\0') {
    case 'f':
    case 'F':
      return {16, 2, 8, true};
    case 'd':
    case 'D':
      return {16, 2, 16, true};
    case 'x':
    case 'X':
      return {16, 2, text.size()};
    case 'b':
    case 'B':
      return {2, 2, text.size()};
    default:
      if (text[0] == '0' && is_digit(at(text, 1))) return {8, 1, text.size()};
      return {10, 0, text.size()};
  }
}

}  // namespace

bool is_number_below(std::string_view digits, std::uint64_t count) {
  if (digits.empty() || digits.size() > 18 || (digits[0] == '0' && digits.size() > 1)) return false;
  std::uint64_t number = 0;
  for (const char one : digits) {
    if (!is_digit(one)) return false;
    number = number * 10 + digit(one);
  }
  return number < count;
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

// Most numbers are decimal and short: tables of initial values are millions of them.
bool Lexer::short_number(Token& token) {
  if (*at_ == '0') return false;
  const char* ahead = at_;
  std::uint64_t value = 0;
  while (ahead != end_ && ahead - at_ < 19 && is_digit(*ahead))
    value = value * 10 + static_cast<std::uint64_t>(*ahead++ - '0');
  if (ahead == end_ || std::string_view(", }];\n").find(*ahead) == std::string_view::npos)
    return false;
  const char* const begin = std::exchange(at_, ahead);
  token = finish(TokenKind::integer, begin);
  token.value = value;
  return true;
}

Token Lexer::number() {
  Token token;
  if (short_number(token)) return token;
  const char* const begin = at_;
  const std::string_view text(begin, static_cast<std::size_t>(end_ - begin));
  const auto [base, first, most, bits] = notation_of(text);
  std::uint64_t value = 0;
  std::size_t end = first;
  bool fits = true, real = bits;
  for (; end - first < most && digit(at(text, end)) < base; ++end) {
    const unsigned next = digit(text[end]);
    fits = fits && value <= (~std::uint64_t{0} - next) / base;
    value = value * base + next;
  }
  if (bits && end - first != most) refuse(1, "a floating-point constant with too few digits");
  if (end == first) refuse(1, "a number without digits");
  if (const std::size_t further = base == 10 ? fraction_end(text, end) : end; further != end) {
    double fraction = 0;
    // Unlike strtod it does not depend on the host program's locale.
    const auto [read, error] = std::from_chars(begin, begin + further, fraction);
    if (read != begin + further || error != std::errc())
      refuse(further, "a decimal fraction that cannot be read");
    std::memcpy(&value, &fraction, sizeof value);
    fits = real = true;
    end = further;
  }
  if (!real && at(text, end) == 'U') ++end;
  if (!fits) refuse(end, "a number that does not fit 64 bits");
  // NVIDIA's assembler takes `3ret` for two tokens, others need not.
  if (is_name(at(text, end))) refuse(end, "a number with letters or digits right behind it");
  at_ += end;
  token = finish(real ? TokenKind::real : TokenKind::integer, begin);
  token.single = bits && most == 8;
  token.value = value;
  return token;
}

}  // namespace warpmark::cpu
