#include "cli/watch/watched_suites.hpp"

#include <sys/stat.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "runtime/suite_inputs.hpp"
#include "suite/suite.hpp"
#include "suite/suite_find.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

FileState state_of(const fs::path& file) {
  struct stat found = {};
  FileState state;
  if (::stat(file.c_str(), &found) != 0) return state;
  state.is_there = true;
  state.device = found.st_dev;
  state.inode = found.st_ino;
  state.bytes = static_cast<uint64_t>(found.st_size);
  state.changed_ns = int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
  return state;
}

// The path in the form that the kernel reports: the folder's real path, with the file's own name.
fs::path real_path(const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(file.parent_path(), error);
  return error ? file : folder / file.filename();
}

class Look {
 public:
  explicit Look(const WatchedSuites& before) : before_(before) {}

  void at(const fs::path& file, bool is_bad) {
    WatchedSuite one;
    one.is_there = !is_bad || state_of(file).is_there;
    std::vector<std::string> inputs = {file.string()};
    if (!is_bad) {
      try {
        inputs = suite_inputs(*load_suite(file));
      } catch (const Error&) {
        is_bad = true;
      }
    }
    if (is_bad) {
      const auto known = before_.suites.find(file);
      if (known != before_.suites.end()) {
        for (const auto& [input, state] : known->second.inputs) inputs.push_back(input.string());
      }
      one.neighbours = names_beside(file);
    }
    for (const std::string& input : inputs) add(one, input);
    made_.suites.emplace(file, std::move(one));
  }

  // Watches a path as it was given. It may come back when it has gone.
  void path(const fs::path& given) {
    std::error_code error;
    const fs::path real = fs::canonical(given, error);
    if (error || !fs::is_directory(real, error)) {
      watch_folder(given.parent_path());
      return;
    }
    made_.files.insert(real);
    made_.folders.insert(real.parent_path());
    below(real);
  }

  void plugins(const fs::path& folder) { watch_folder(folder); }

  WatchedSuites take() { return std::move(made_); }

 private:
  // New suites may appear in any folder below it.
  void below(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    // Another path may have led to it already.
    if (error || !looked_.insert(real).second) return;
    made_.folders.insert(real);
    made_.open.insert(real);
    fs::directory_iterator entry(real, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code ignored;
      const bool hidden = entry->path().filename().string().starts_with('.');
      if (!hidden && entry->is_directory(ignored)) below(entry->path());
    }
  }

  void add(WatchedSuite& one, const fs::path& input) {
    if (!one.inputs.emplace(input, state_of(input)).second) return;
    made_.files.insert(real_path(input));
    watch_folder(input.parent_path());
    // A link's target may be written, too.
    std::error_code error;
    if (!fs::is_symlink(input, error)) return;
    const fs::path target = fs::weakly_canonical(input, error);
    if (error) return;
    made_.files.insert(target);
    watch_folder(target.parent_path());
  }

  // Watches a folder or, if it does not exist, the nearest one above: it may come back.
  void watch_folder(fs::path folder) {
    std::error_code error;
    while (!fs::is_directory(folder, error) && folder != folder.parent_path()) {
      folder = folder.parent_path();
    }
    const fs::path real = fs::canonical(folder, error);
    if (error) return;
    made_.folders.insert(real);
    made_.open.insert(real);
  }

  static std::set<std::string> names_beside(const fs::path& file) {
    std::set<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(file.parent_path(), error), end; !error && entry != end;
         entry.increment(error)) {
      names.insert(entry->path().filename().string());
    }
    return names;
  }

  const WatchedSuites& before_;
  WatchedSuites made_;
  std::set<fs::path> looked_;
};

std::string change_text(const fs::path& file, const FileState& before, const FileState& after) {
  const std::string name = printable(display_path(file));
  if (before.is_there && !after.is_there) return name + " is gone";
  return before.is_there || !after.is_there ? name : name + " is new";
}

class SuiteComparison {
 public:
  SuiteComparison(const WatchedSuites& before, const WatchedSuites& after,
                  const std::set<fs::path>& written)
      : before_(before), after_(after), written_(written) {}

  SuiteChanges run() {
    for (const auto& [file, suite] : after_.suites) {
      if (is_touched(file, suite) && suite.is_there) changes_.suites.push_back(file);
    }
    for (const auto& [file, suite] : before_.suites) {
      if (after_.suites.count(file) == 0 && !state_of(file).is_there) note(file, {true}, {});
    }
    return std::move(changes_);
  }

 private:
  bool is_touched(const fs::path& file, const WatchedSuite& suite) {
    const auto known = before_.suites.find(file);
    if (known == before_.suites.end()) {
      // A folder that is gone is listed in place of its suites.
      suite.is_there ? note(file, {}, {true}) : note(file, {true}, {});
      return true;
    }
    bool touched = false;
    for (const auto& [input, state] : suite.inputs) {
      const auto was = known->second.inputs.find(input);
      const FileState old = was == known->second.inputs.end() ? FileState() : was->second;
      if (state == old && written_.count(real_path(input)) == 0) continue;
      note(input, old, state);
      touched = true;
    }
    // Includes may be gone because a line of a source went: the source itself is listed as changed.
    const bool lacks = !suite.neighbours.empty() || !known->second.neighbours.empty();
    if (!touched && lacks && suite.neighbours != known->second.neighbours) {
      note(file.parent_path(), {true}, {true});
      touched = true;
    }
    return touched;
  }

  void note(const fs::path& file, const FileState& before, const FileState& after) {
    if (noted_.insert(file).second) changes_.texts.push_back(change_text(file, before, after));
  }

  const WatchedSuites& before_;
  const WatchedSuites& after_;
  const std::set<fs::path>& written_;
  std::set<fs::path> noted_;
  SuiteChanges changes_;
};

}  // namespace

bool WatchedSuites::concerns(const fs::path& path, bool was_written) const {
  if (files.count(path) != 0) return true;
  // A new file is reported when it is created, and again when it is written: then only suites
  // matter.
  return open.count(path.parent_path()) != 0 && (!was_written || path.extension() == ".yaml");
}

WatchedSuites look_at_suites(const std::vector<fs::path>& paths, const WatchedSuites& before) {
  Look look(before);
  const FoundSuites found = look_for_suites(paths);
  for (const fs::path& file : found.files) look.at(file, false);
  for (const BadSuite& bad : found.bad) look.at(bad.file, true);
  for (const fs::path& path : paths) look.path(whole_path(path));
  for (const fs::path& folder : library_search_path()) look.plugins(folder);
  return look.take();
}

SuiteChanges changes_between(const WatchedSuites& before, const WatchedSuites& after,
                             const std::set<fs::path>& written) {
  return SuiteComparison(before, after, written).run();
}

}  // namespace warpmark
