// Classes of characters that do not depend on the host program's locale, as isdigit() does.
#pragma once

namespace warpmark::cpu {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
/// Returns whether a character continues a name, or a number. Directly after a number it is an
/// error.
constexpr bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}
constexpr bool is_name_start(char c) {
  return (is_name(c) && !is_digit(c)) || c == '%';
}

}  // namespace warpmark::cpu
