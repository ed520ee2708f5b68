// A folder in which the tests of one ctest leave results of cases for each other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace warpmark {

/// Identifies the file that a result was made from.
struct FileStamp {
  std::string file;  ///< absolute
  uint64_t device = 0, inode = 0, bytes = 0;
  int64_t modified_ns = 0, changed_ns = 0;  ///< since 1970

  /// The present state of the file; nothing if it cannot be read.
  static std::optional<FileStamp> of(const std::filesystem::path& file);
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// The exit code of the program for one case, and its output.
struct SharedResult {
  int exit_code = 0;
  std::string out, err;
};

/// Each result is read once, by its test, and only while all files that it was made from are
/// unchanged. A missing, damaged, old or used result does not count: then the test runs its case.
///
/// The process that first runs a case claims it. A claim is held as long as its process lives, so
/// that no other process waits for a dead one.
class SharedResults {
 public:
  /// The results of the ctest that started this process, for one command line and environment,
  /// below `folder`. Nothing if no ctest started it. Removes the folders of dead processes. Throws
  /// an environment error if the folder cannot be made.
  static std::optional<SharedResults> of_ctest(const std::filesystem::path& folder,
                                               const std::vector<std::string>& key);
  explicit SharedResults(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  /// True if this process made the folder: the first test of its kind.
  bool is_first() const { return first_; }

  /// The lock of a claim, released by its destructor; nothing if the case was claimed before.
  std::optional<UniqueFd> claim(const std::string& id) const;
  /// Waits until the process that claimed the case has a result, or is gone.
  void wait_for(const std::string& id) const;

  /// Stores a result. Throws an environment error.
  void put(const std::string& id, const SharedResult& result,
           const std::vector<FileStamp>& inputs) const;
  bool has(const std::string& id) const;
  std::optional<SharedResult> take(const std::string& id) const;

  /// Makes every later test of this kind run its own case.
  void give_up() const;
  bool given_up() const;

 private:
  std::filesystem::path file_of(std::string_view id, std::string_view suffix) const;

  std::filesystem::path folder_;
  bool first_ = false;
};

}  // namespace warpmark
