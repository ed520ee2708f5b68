// Which files are suites, and what they are called.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/file.hpp"
#include "suite/suite.hpp"

namespace warpmark {

namespace fs = std::filesystem;

std::string suite_name(const fs::path& file) {
  const fs::path whole = fs::absolute(file).lexically_normal();
  fs::path root = whole.parent_path();
  for (fs::path folder = root; folder != folder.parent_path(); folder = folder.parent_path()) {
    if (folder.filename() == "suites") {
      root = folder;
      break;
    }
  }
  fs::path relative = whole.lexically_relative(root);
  relative.replace_extension();
  if (relative.filename() == "suite") {
    relative = relative.parent_path();
    if (relative.empty()) relative = root.filename();
  }
  std::string name = relative.generic_string();
  for (char& c : name) {
    if (c == '-') c = '~';
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '/' || c == '~';
    if (!fits) {
      throw usage_error(
          fmt::format("`{}` is no name of a suite: case ids have letters, digits, _ and -",
                      relative.generic_string()),
          {display_path(whole), 0, 0}, "rename the file or its folder");
    }
  }
  return name;
}

namespace {

void collect(const fs::path& folder, std::set<fs::path>& files) {
  size_t found = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (name[0] == '.') entry.disable_recursion_pending();
    } else if (name[0] != '.' && entry->path().extension() == ".yaml") {
      files.insert(entry->path().lexically_normal());
      ++found;
    }
  }
  if (error) {
    throw usage_error(
        fmt::format("cannot read the folder {}: {}", display_path(folder), error.message()));
  }
  if (found == 0) {
    throw usage_error(fmt::format("the folder {} has no suite", display_path(folder)), {},
                      "suites are files called *.yaml");
  }
}

}  // namespace

std::vector<fs::path> find_suites(const std::vector<fs::path>& paths) {
  std::set<fs::path> files;
  for (const fs::path& path : paths) {
    fs::path whole = fs::absolute(path).lexically_normal();
    if (!whole.has_filename()) whole = whole.parent_path();  // "folder/" ends in an empty name
    std::error_code ignored;
    if (fs::is_directory(whole, ignored)) {
      collect(whole, files);
    } else if (fs::exists(whole, ignored)) {
      files.insert(whole);
    } else {
      throw usage_error(fmt::format("there is no suite {}", display_path(whole)));
    }
  }
  std::map<std::string, fs::path> names;
  for (const fs::path& file : files) {
    const auto [other, is_new] = names.emplace(suite_name(file), file);
    if (is_new) continue;
    throw usage_error(fmt::format("two files make the suite `{}`: {} and {}", other->first,
                                  display_path(other->second), display_path(file)),
                      {}, "rename one of them");
  }
  return {files.begin(), files.end()};
}

}  // namespace warpmark
