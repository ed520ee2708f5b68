// The JUnit file of a run: checked before, replaced at once after.
#pragma once

#include <filesystem>

#include "base/file.hpp"

namespace warpmark {

/// GoogleTest writes its XML where it likes and cannot say that it failed: it writes to memory, of
/// which a process that is killed leaves nothing behind, and what arrived whole there becomes the
/// file that was asked for.
class JunitFile {
 public:
  /// Throws an environment error if `target` could not be written, or if there is no memory.
  explicit JunitFile(std::filesystem::path target);

  /// Where GoogleTest is to write, in this process.
  std::filesystem::path draft() const;
  /// Replaces the target. Throws an environment error.
  void publish() const;

 private:
  std::filesystem::path target_;
  UniqueFd draft_;  ///< a memfd
};

}  // namespace warpmark
