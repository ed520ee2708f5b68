// The machine and the revision that a result comes from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/spawn.hpp"

namespace warpmark {

/// The facts of a machine that matter to a result. Its name is left out: results are published.
struct Host {
  std::string system;     ///< "Linux 6.1.0-25-amd64"
  std::string processor;  ///< "AMD EPYC 9554 64-Core Processor"; the architecture if unnamed
  int64_t processors = 0;
  int64_t memory_bytes = 0;
};
Host this_host();

struct GitState {
  std::string commit;  ///< 40 or 64 hexadecimal digits
  bool dirty = false;  ///< files that git knows differ from it
};

/// Asks git for the state of the repository that `folder` lies in. It may take seconds in a large
/// tree, or one that was copied, and runs beside other work.
class GitQuery {
 public:
  explicit GitQuery(const std::filesystem::path& folder);
  /// Waits for git, once. Nothing if there is no git, no repository, no commit yet, or git refuses to
  /// read it: a result is worth as much without.
  std::optional<GitState> answer();

 private:
  StartedProgram commit_, changes_;
};

}  // namespace warpmark
