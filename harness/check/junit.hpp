// The JUnit file of a run: checked before, replaced at once after.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.hpp"

namespace warpmark {

/// GoogleTest writes its XML where it likes and cannot say that it failed: it writes to memory, of
/// which a process that is killed leaves nothing behind, and what arrived whole there becomes the
/// file that was asked for.
class JunitFile {
 public:
  /// `comment` is added behind the first line, if there is one. Throws an environment error if
  /// `target` could not be written, or if there is no memory.
  explicit JunitFile(std::filesystem::path target, std::string comment = {});

  /// Where GoogleTest is to write, in this process.
  std::filesystem::path draft() const;
  /// Replaces the target. Throws an environment error.
  void publish() const;
  /// The same with a test `warpmark.run` that had this error, for what failed after the last case.
  /// A device or a pipe, which got the report already, stays as it is.
  void publish_with(const std::string& error) const;

 private:
  std::string draft_text() const;

  std::filesystem::path target_;
  std::string comment_;
  bool special_ = false;  ///< a device or a pipe: written to, not replaced
  UniqueFd draft_;        ///< a memfd
};

/// The report of GoogleTest with one test suite more, in which `warpmark.run` had this error; the
/// report itself if it has no end.
std::string with_run_error(std::string xml, const std::string& error);

}  // namespace warpmark
