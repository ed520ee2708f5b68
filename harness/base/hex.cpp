#include "base/hex.hpp"

#include <stdexcept>

#include "base/characters.hpp"

namespace warpmark {

namespace {

unsigned value_of(char digit) {
  if (is_digit(digit)) return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10;
  throw std::invalid_argument("bytes are not hexadecimal");
}

}  // namespace

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 15];
  }
  return digits;
}

std::string from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) throw std::invalid_argument("bytes are not hexadecimal");
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(value_of(digits[i]) << 4 | value_of(digits[i + 1]));
  }
  return bytes;
}

}  // namespace warpmark
