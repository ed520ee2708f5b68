#include "debug/source_lines.hpp"

#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark::debugging {

namespace {

const std::vector<UnitArtifacts> kNoUnits;

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

std::string SourceLines::text_of(const std::string& file) const {
  try {
    // A text in the suite has the suite's own lines.
    if (const std::filesystem::path own = path(file); !own.empty()) return read_file(own);
  } catch (const Error&) {  // a file that cannot be read has no lines
    return "";
  }
  if (artifacts_ == nullptr) return "";
  for (const UnitArtifacts& unit : artifacts_->units) {
    if (unit.name == file) return unit.source;
  }
  return "";
}

const std::vector<std::string>& SourceLines::lines_of(const std::string& file) {
  const auto [known, fresh] = known_.try_emplace(file);
  if (fresh) known->second = split(text_of(file));
  return known->second;
}

std::vector<std::string> SourceLines::texts(const LaunchText& launch) const {
  std::set<std::string> files;
  for (const StatementText& one : launch.statements) files.insert(one.place.file);
  std::vector<std::string> texts;
  // A text of the suite is what was compiled, without the suite around it.
  for (const UnitArtifacts& unit : artifacts_ != nullptr ? artifacts_->units : kNoUnits) {
    files.erase(unit.name);
    texts.push_back(unit.source);
  }
  for (const std::string& file : files) {
    if (std::string text = text_of(file); !text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

std::optional<std::string> SourceLines::line(const std::string& file, uint32_t number) {
  const std::vector<std::string>& lines = lines_of(file);
  if (number == 0 || number > lines.size()) return std::nullopt;
  return lines[number - 1];
}

}  // namespace warpmark::debugging
