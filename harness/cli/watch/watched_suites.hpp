// The suites that `watch` knows, their files, and the changes in these.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warpmark {

/// Identifies one state of a file, without reading it.
struct FileState {
  bool is_there = false;
  uint64_t device = 0, inode = 0, bytes = 0;
  int64_t changed_ns = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};

struct WatchedSuite {
  bool is_there = true;
  std::map<std::filesystem::path, FileState> inputs;  ///< by their absolute paths
  /// For a suite that cannot be loaded: the files beside it, any of which may be the missing one.
  std::set<std::string> neighbours;
};

struct WatchedSuites {
  std::map<std::filesystem::path, WatchedSuite> suites;  ///< by their files
  std::set<std::filesystem::path> folders;               ///< real paths of folders to watch
  std::set<std::filesystem::path> open;   ///< the watched folders in which new names matter
  std::set<std::filesystem::path> files;  ///< by their real paths, and folders of PATHS

  /// True if it may matter that this real path was written, or came or went.
  bool concerns(const std::filesystem::path& path, bool was_written) const;
};

/// Looks at the suites of PATHS. A suite that cannot be loaded keeps the files that `before` has
/// for it.
WatchedSuites look_at_suites(const std::vector<std::filesystem::path>& paths,
                             const WatchedSuites& before);

struct SuiteChanges {
  std::vector<std::filesystem::path> suites;  ///< suites to check again
  std::vector<std::string> texts;             ///< "k.cu", "t.yaml is gone", each cause once
};

/// `written` are real paths of files that count as changed even if they look the same.
SuiteChanges changes_between(const WatchedSuites& before, const WatchedSuites& after,
                             const std::set<std::filesystem::path>& written);

}  // namespace warpmark
