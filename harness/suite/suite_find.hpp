// Which files are suites, and what stands where a suite should be and is none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

/// A file or folder that gives no suite, and why. It takes no other one away.
struct BadSuite {
  std::string name;  ///< as a suite's name, and no other one's of the same search
  std::filesystem::path file;
  Error error;
};

struct FoundSuites {
  std::vector<std::filesystem::path> files;  ///< sorted, each once
  std::vector<BadSuite> bad;
};

/// As find_suites, but throws nothing for what is bad: a path that is not there, a folder that
/// cannot be read or has no suite, a name that no suite can have, files that share one.
FoundSuites look_for_suites(const std::vector<std::filesystem::path>& paths);

/// The absolute path without `.` and `..`; `path` itself where the working directory is gone.
std::filesystem::path whole_path(const std::filesystem::path& path);

/// The suite's name of a path, with `_` for what a name cannot have.
std::string bad_suite_name(const std::filesystem::path& path);

}  // namespace warpmark
