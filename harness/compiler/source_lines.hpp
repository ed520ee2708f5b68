// Lines of sources that go on: a backslash at the end of a line, blanks behind it included, joins it
// with the next.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/characters.hpp"

namespace warpmark {

/// The place behind what is in front of blanks that end at `at`.
inline size_t before_blanks(std::string_view text, size_t at) {
  while (at > 0 && is_blank(text[at - 1])) --at;
  return at;
}

/// Tells whether the line that ends at `newline` goes on.
inline bool goes_on(std::string_view text, size_t newline) {
  const size_t at = before_blanks(text, newline);
  return at > 0 && text[at - 1] == '\\';
}

/// The newline behind the last line that goes on from `at`, or the text's end.
inline size_t end_of_lines(std::string_view text, size_t at) {
  size_t end = text.find('\n', at);
  while (end != std::string_view::npos && goes_on(text, end)) end = text.find('\n', end + 1);
  return std::min(end, text.size());
}

}  // namespace warpmark
