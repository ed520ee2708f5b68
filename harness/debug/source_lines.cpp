#include "debug/source_lines.hpp"

#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark::debugging {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::filesystem::path SourceLines::path(const std::string& file) const {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::weakly_canonical(folder_ / file, error);
  const std::filesystem::path root = std::filesystem::weakly_canonical(folder_, error);
  const bool inside = artifacts_ == nullptr || path.string().starts_with(root.string() + "/");
  return inside && std::filesystem::is_regular_file(path, error) ? path : std::filesystem::path();
}

const std::vector<std::string>& SourceLines::lines_of(const std::string& file) {
  const auto [known, fresh] = known_.try_emplace(file);
  if (!fresh) return known->second;
  try {
    // A text in the suite has the suite's own lines.
    if (const std::filesystem::path own = path(file); !own.empty()) {
      known->second = split(read_file(own));
    } else if (artifacts_ != nullptr) {
      for (const UnitArtifacts& unit : artifacts_->units) {
        if (unit.name == file) known->second = split(unit.source);
      }
    }
  } catch (const Error&) {  // a file that cannot be read has no lines
  }
  return known->second;
}

std::optional<std::string> SourceLines::line(const std::string& file, uint32_t number) {
  const std::vector<std::string>& lines = lines_of(file);
  if (number == 0 || number > lines.size()) return std::nullopt;
  return lines[number - 1];
}

}  // namespace warpmark::debugging
