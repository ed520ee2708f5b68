#include "report/text_line.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace warpmark {

std::string in_one_line(std::string_view text) {
  std::string line = printable(text);
  for (char& c : line) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return line;
}

size_t columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string& text, size_t width, bool to_the_right) {
  const std::string space(width > columns(text) ? width - columns(text) : 0, ' ');
  return to_the_right ? space + text : text + space;
}

}  // namespace warpmark
