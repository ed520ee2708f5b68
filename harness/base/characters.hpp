// Classes of ASCII characters, whatever the locale; bytes of other characters are in none.
#pragma once

namespace warpmark {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// True for what an identifier of C may begin with.
constexpr bool is_word_start(char c) {
  return is_letter(c) || c == '_';
}
/// True for what an identifier of C may consist of.
constexpr bool is_word_character(char c) {
  return is_word_start(c) || is_digit(c);
}
/// True for blanks within a line of C.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

}  // namespace warpmark
