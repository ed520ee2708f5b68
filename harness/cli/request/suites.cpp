#include "cli/request/suites.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDefaultFolder = "suites";

// Folders and suites beside the missing path, spelt as the person spelt the rest of it.
std::string nearest_path(const fs::path& missing) {
  const fs::path folder = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const fs::path& path = entry->path();
    if (entry->is_directory(ignored) || path.extension() == ".yaml") {
      names.push_back(path.filename());
    }
  }
  const std::string near = nearest(missing.filename().string(), names);
  return near.empty() ? "" : (missing.parent_path() / near).string();
}

}  // namespace

void require_path(const fs::path& path, const std::string& hint) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return;
  const std::string near = nearest_path(path.has_filename() ? path : path.parent_path());
  throw usage_error(fmt::format("there is no file or folder `{}`", path.string()), {},
                    near.empty() ? hint : fmt::format("did you mean `{}`?", near));
}

FoundSuites suite_files(std::vector<fs::path> paths) {
  std::error_code ignored;
  if (paths.empty()) {
    if (!fs::is_directory(kDefaultFolder, ignored)) {
      throw usage_error("no PATHS were given, and there is no folder `suites` here", {},
                        "name suite files or folders of them, as in `warpmark list my_suites`");
    }
    paths.emplace_back(kDefaultFolder);
  }
  FoundSuites found = look_for_suites(paths);
  for (BadSuite& one : found.bad) {
    if (fs::exists(one.file, ignored)) continue;
    // With the nearest path, spelt as it was given.
    const auto given = std::ranges::find_if(paths, [&](const fs::path& path) {
      const fs::path whole = whole_path(path);
      return whole == one.file || whole.parent_path() == one.file;
    });
    try {
      require_path(given == paths.end() ? one.file : *given,
                   "PATHS are suite files and folders; cases are chosen with --case");
    } catch (const Error& error) {
      one.error = error;
    }
  }
  return found;
}

std::vector<LoadedSuite> load_suites(const std::vector<fs::path>& paths,
                                     const ListEvaluator& python) {
  std::vector<LoadedSuite> loaded;
  const FoundSuites found = suite_files(paths);
  if (!found.bad.empty()) throw found.bad.front().error;
  for (const fs::path& file : found.files) {
    const std::shared_ptr<const Suite> suite = load_suite(file);
    loaded.push_back({suite, cases(suite, python)});
  }
  return loaded;
}

}  // namespace warpmark
