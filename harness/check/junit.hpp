// The JUnit file of a run: checked before, replaced at once after.
#pragma once

#include <filesystem>

#include "base/file.hpp"

namespace warpmark {

/// GoogleTest writes its XML where it likes and cannot say that it failed: it writes to a folder of
/// ours, and what arrived whole there is moved to the file that was asked for.
class JunitFile {
 public:
  /// Throws an environment error if `target` could not be written.
  explicit JunitFile(std::filesystem::path target);

  /// Where GoogleTest is to write.
  std::filesystem::path draft() const { return folder_.path() / "junit.xml"; }
  /// Replaces the target. Throws an environment error.
  void publish() const;

 private:
  std::filesystem::path target_;
  TemporaryFolder folder_;
};

}  // namespace warpmark
