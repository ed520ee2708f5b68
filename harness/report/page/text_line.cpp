#include "report/page/text_line.hpp"

#include <fmt/format.h>

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
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, size_t width, bool to_the_right) {
  const std::string space(width > columns(text) ? width - columns(text) : 0, ' ');
  return to_the_right ? space + text : text + space;
}

std::vector<std::string> wrapped(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    std::string row;
    for (const std::string& word : split(line, ' ')) {
      if (!row.empty() && columns(row) + 1 + columns(word) > width) {
        lines.push_back(std::move(row));
        row = word;
      } else {
        row += (row.empty() ? "" : " ") + word;
      }
    }
    lines.push_back(std::move(row));
  }
  return lines;
}

std::string behind_margin(std::string_view text, std::string_view margin, size_t most) {
  std::string out;
  const std::vector<std::string> lines = split(printable(trim(text)), '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i == most && lines.size() > most + 1) {
      return out + fmt::format("{}… ({} lines left out)\n", margin, lines.size() - i);
    }
    out += fmt::format("{}{}", margin, lines[i]);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

}  // namespace warpmark
