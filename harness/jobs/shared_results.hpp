// A folder in which the tests of one ctest leave results of cases for each other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
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

/// A case's file, which its process has locked as long as this lives.
class SharedCase {
 public:
  SharedCase(UniqueFd file, std::string id);
  SharedCase(SharedCase&&) = default;
  SharedCase& operator=(SharedCase&&) = default;
  /// Releases it, also if forks of this process have the descriptor.
  ~SharedCase();

  /// True if no process had it before: this one runs the case.
  bool is_new() const { return new_; }
  /// Stores a result. Throws an environment error.
  void put(const nlohmann::json& result, const std::vector<FileStamp>& inputs);
  /// The result, once.
  std::optional<nlohmann::json> take();

 private:
  void write(const std::string& text);

  UniqueFd file_;
  std::string id_;
  bool new_ = false;
};

/// Each result is read once, by its test, and only while all files that it was made from are
/// unchanged. A missing, damaged, old or used result does not count: then the test runs its case.
///
/// The process that first runs a case holds its file, as long as it lives, so that no other process
/// waits for a dead one.
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

  /// The file of a case, once no other process holds it. Throws an environment error.
  SharedCase await(const std::string& id) const;
  /// The file of a case; nothing if another process holds it. Throws an environment error.
  std::optional<SharedCase> try_hold(const std::string& id) const;

 private:
  std::optional<SharedCase> hold(const std::string& id, int flags) const;

  std::filesystem::path folder_;
  bool first_ = false;
};

}  // namespace warpmark
