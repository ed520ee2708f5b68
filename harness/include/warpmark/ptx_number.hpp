// How PTX spells numbers: one reader for all that read PTX, so that no two of them differ.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace warpmark {

enum class PtxNumberKind : std::uint8_t {
  integer,   ///< value holds it
  binary32,  ///< 0f40000000: value holds its bits
  binary64,  ///< 0d4000000000000000, or a decimal fraction: value holds its bits
  malformed
};

struct PtxNumber {
  PtxNumberKind kind = PtxNumberKind::malformed;
  std::uint64_t value = 0;
  std::size_t length = 0;    ///< characters; of a malformed one what ptxas would take, at least one
  const char* trouble = "";  ///< why it is malformed: "a number that does not fit 64 bits"
};

namespace ptx_number {

constexpr int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

constexpr bool goes_on(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

constexpr PtxNumber malformed(std::size_t length, const char* trouble) {
  return {PtxNumberKind::malformed, 0, length, trouble};
}

// A name right behind a number: NVIDIA's assembler takes `3ret` for two tokens, others need not.
constexpr PtxNumber whole(PtxNumber number, std::string_view text) {
  if (number.length < text.size() && goes_on(text[number.length])) {
    return malformed(number.length, "a number with letters or digits right behind it");
  }
  return number;
}

constexpr PtxNumber bits(std::string_view text, std::size_t digits) {
  PtxNumber number;
  std::size_t at = 2;
  for (; at < text.size() && at < digits + 2 && digit(text[at]) < 16; ++at) {
    number.value = number.value << 4 | static_cast<std::uint64_t>(digit(text[at]));
  }
  if (at != digits + 2) return malformed(1, "a floating-point constant with too few digits");
  number.kind = digits == 8 ? PtxNumberKind::binary32 : PtxNumberKind::binary64;
  number.length = at;
  return whole(number, text);
}

// The end of `1.5`, `2.`, `1e-3`, from the first digit.
constexpr std::size_t fraction_end(std::string_view text, std::size_t at) {
  const auto is_digit = [&](std::size_t i) { return i < text.size() && digit(text[i]) < 10; };
  if (at < text.size() && text[at] == '.') {
    ++at;
    while (is_digit(at)) ++at;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const bool sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-');
    if (is_digit(at + (sign ? 2 : 1))) {
      at += sign ? 2 : 1;
      while (is_digit(at)) ++at;
    }
  }
  return at;
}

inline PtxNumber fraction(std::string_view text, std::size_t end) {
  PtxNumber number{PtxNumberKind::binary64, 0, end, ""};
  double value = 0;
  // Unlike strtod it does not depend on the host program's locale.
  const auto [parsed, error] = std::from_chars(text.data(), text.data() + end, value);
  if (parsed != text.data() + end || error != std::errc()) {
    return malformed(end, "a decimal fraction that cannot be read");
  }
  std::memcpy(&number.value, &value, sizeof value);
  return whole(number, text);
}

}  // namespace ptx_number

/// The number at the beginning of `text`, which begins with a digit (PTX ISA, "Constants"):
/// decimal, hexadecimal `0x1F`, octal `017`, binary `0b101`, each with `U` or without; the bits of
/// `0f` and `0d`; decimal fractions.
inline PtxNumber read_ptx_number(std::string_view text) {
  using namespace ptx_number;
  const auto at_char = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  std::uint64_t base = 10;
  std::size_t at = 0;
  if (text[0] == '0') {
    switch (at_char(1)) {
      case 'f':
      case 'F':
        return bits(text, 8);
      case 'd':
      case 'D':
        return bits(text, 16);
      case 'x':
      case 'X':
        base = 16;
        at = 2;
        break;
      case 'b':
      case 'B':
        base = 2;
        at = 2;
        break;
      default:
        if (digit(at_char(1)) < 10) {
          base = 8;
          at = 1;
        }
    }
  }
  PtxNumber number;
  number.kind = PtxNumberKind::integer;
  bool fits = true;
  const std::size_t first = at;
  for (; at < text.size() && static_cast<std::uint64_t>(digit(text[at])) < base; ++at) {
    const auto next = static_cast<std::uint64_t>(digit(text[at]));
    fits = fits && number.value <= (~std::uint64_t{0} - next) / base;
    number.value = number.value * base + next;
  }
  if (at == first) return malformed(1, "a number without digits");
  if (base == 10) {
    // `1.5` goes on; `1.f32` is an operand and a modifier of something else.
    const bool point =
        at_char(at) == '.' && (digit(at_char(at + 1)) < 10 || !goes_on(at_char(at + 1)));
    const bool power = at_char(at) == 'e' || at_char(at) == 'E';
    const std::size_t end = point || power ? fraction_end(text, at) : at;
    if (end != at) return fraction(text, end);
  }
  if (at_char(at) == 'U') ++at;
  number.length = at;
  if (!fits) return malformed(at, "a number that does not fit 64 bits");
  return whole(number, text);
}

}  // namespace warpmark
