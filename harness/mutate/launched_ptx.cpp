#include "mutate/launched_ptx.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace warpmark {

namespace {

// The symbol of a line such as ".visible .entry scale(": "".
std::string entry_of(std::string_view line) {
  constexpr std::string_view kWord = ".entry ";
  const size_t at = line.find(kWord);
  if (at == std::string_view::npos) return "";
  const std::string_view name = trim(line.substr(at + kWord.size()));
  return std::string(name.substr(0, std::min(name.find_first_of("( \t"), name.size())));
}

bool is_about_lines(std::string_view line) {
  return line.empty() || line.starts_with("//") || line.starts_with(".loc") ||
         line.starts_with(".file") || line.starts_with("$L__tmp") || line.starts_with("$L__func");
}

}  // namespace

std::string launched_ptx(std::string_view ptx, const std::vector<std::string>& kernels) {
  std::string kept;
  bool left_out = false, section = false;
  for (const std::string& whole : split(ptx, '\n')) {
    const std::string_view line = trim(whole);
    // Sections stand behind all code, with the names and lines of the source.
    if (line.starts_with(".section")) section = true;
    if (section) {
      if (line == "}") section = false;
      continue;
    }
    if (const std::string entry = entry_of(line); !entry.empty()) {
      left_out = std::ranges::find(kernels, entry) == kernels.end();
    }
    if (!left_out && !is_about_lines(line)) kept.append(line).append("\n");
    if (whole == "}") left_out = false;
  }
  return kept;
}

}  // namespace warpmark
