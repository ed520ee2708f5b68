#include "base/schemas.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

bool plain(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view("/._-+~").find(c) != std::string_view::npos;
}

std::string file_url(const fs::path& absolute) {
  std::string url = "file://";
  for (const char c : absolute.string()) {
    url += plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return url;
}

bool all_plain(const std::string& text) {
  return std::ranges::all_of(text, plain);
}

}  // namespace

std::vector<std::string> schema_names(const fs::path& schemas) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(schemas, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::optional<fs::path> schema_file(const fs::path& schemas, std::string_view name) {
  const std::vector<std::string> names = schema_names(schemas);
  if (std::ranges::find(names, name) == names.end()) return std::nullopt;
  // A build folder has a link to the sources' schemas.
  std::error_code ignored;
  const fs::path file = schemas / (std::string(name) + ".json");
  const fs::path real = fs::weakly_canonical(file, ignored);
  return ignored ? file : real;
}

std::string schema_line(const fs::path& schemas, std::string_view name, const fs::path& folder) {
  const auto file = schema_file(schemas, name);
  if (!file) return "";
  std::error_code ignored;
  const fs::path from = fs::weakly_canonical(fs::absolute(folder, ignored), ignored);
  const fs::path tree = file->parent_path().parent_path();
  const fs::path inside = from.lexically_relative(tree);
  const bool together = !inside.empty() && *inside.begin() != "..";
  std::string way = together ? file->lexically_relative(from).generic_string() : file->string();
  if (!all_plain(way)) way = file_url(*file);
  return fmt::format("# yaml-language-server: $schema={}\n", way);
}

}  // namespace warpmark
