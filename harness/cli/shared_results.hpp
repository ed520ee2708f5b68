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

  /// As the file is now; nothing if it cannot be looked at.
  static std::optional<FileStamp> of(const std::filesystem::path& file);
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// How the program ended for one case, and what it printed.
struct SharedResult {
  int exit_code = 0;
  std::string out, err;
};

/// Each result is read once, by the test that it is for, and only while all that it was made from
/// is as it was. A missing, damaged, old or used result is none: then the test runs its case.
///
/// A case is claimed by who runs it first. A claim is held as long as its process lives, so that
/// who waits for it never waits for a dead one.
class SharedResults {
 public:
  /// Of the ctest that started this process, for one command line and environment, below `folder`.
  /// Nothing if no ctest started it. Removes what dead ones left. Throws an environment error if
  /// the folder cannot be made.
  static std::optional<SharedResults> of_ctest(const std::filesystem::path& folder,
                                               const std::vector<std::string>& key);
  explicit SharedResults(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  /// Whether this process made the folder: the first test of its kind.
  bool is_first() const { return first_; }

  /// The lock of a claim, free when it goes; nothing if the case was claimed before.
  std::optional<UniqueFd> claim(const std::string& id) const;
  /// Waits until who claimed the case has a result, or is gone.
  void wait_for(const std::string& id) const;

  /// Throws an environment error.
  void put(const std::string& id, const SharedResult& result,
           const std::vector<FileStamp>& inputs) const;
  bool has(const std::string& id) const;
  std::optional<SharedResult> take(const std::string& id) const;

  /// From now on every test of this kind runs its own case.
  void give_up() const;
  bool given_up() const;

 private:
  std::filesystem::path file_of(std::string_view id, std::string_view suffix) const;

  std::filesystem::path folder_;
  bool first_ = false;
};

}  // namespace warpmark
