#include "compiler/compiler_log.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.hpp"

namespace warpmark {

std::string clean_compiler_log(std::string_view raw) {
  constexpr size_t kLimit = 256 * 1024;  // bytes; a hostile source can make any amount
  std::vector<std::string> lines;
  for (const std::string& line : split(printable(raw.substr(0, kLimit)), '\n')) {
    if (line.find("Compile time = ") == std::string::npos) lines.push_back(line);
  }
  std::string out(trim(join(lines, "\n")));
  if (raw.size() > kLimit) out += "\n… (the log goes on)";
  return out;
}

Position first_error_in(const std::string& log) {
  const size_t error = log.find("): error");
  const size_t catastrophic = log.find("): catastrophic error");
  const size_t close = std::min(error, catastrophic);
  if (close == std::string::npos) return {};
  const size_t open = log.rfind('(', close);
  if (open == std::string::npos) return {};
  const size_t start = log.rfind('\n', open);
  const size_t begin = start == std::string::npos ? 0 : start + 1;
  int line = 0;
  std::from_chars(log.data() + open + 1, log.data() + close, line);
  return {log.substr(begin, open - begin), line, 0};
}

std::string undefined_name(std::string_view error) {
  constexpr std::string_view kBefore = "identifier \"";
  const size_t at = error.find(kBefore);
  if (at == std::string_view::npos) return "";
  const size_t begin = at + kBefore.size();
  const size_t end = error.find("\" is undefined", begin);
  return end == std::string_view::npos ? "" : std::string(error.substr(begin, end - begin));
}

std::string without_folder(std::string text, const std::filesystem::path& folder) {
  const std::string prefix = std::filesystem::absolute(folder).lexically_normal().string() + "/";
  std::string out;
  size_t from = 0;
  for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, from)) {
    out.append(text, from, at - from);
    from = at + prefix.size();
  }
  return out.append(text, from);
}

}  // namespace warpmark
