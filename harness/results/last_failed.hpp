// Which cases failed when they last ran, kept between runs for `--last-failed`.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace warpmark {

/// A folder for each suite file (named by the hash of its path) with a small file for each failed
/// case (named by the hash of its id, holding the id), so that any number of processes, as ctest
/// starts them, need no lock. Damage there costs memory only: what is no case's id selects none.
class LastFailed {
 public:
  /// Keeps them in `folder`; an empty path remembers nothing.
  explicit LastFailed(std::filesystem::path folder) : folder_(std::move(folder)) {}

  bool enabled() const { return !folder_.empty(); }
  /// The ids of a suite's failed cases; none if the folder cannot be read.
  std::set<std::string> of(const std::filesystem::path& suite_file) const;
  /// Throws an environment error if that cannot be written.
  void remember(const std::filesystem::path& suite_file, const std::string& id) const;
  void forget(const std::filesystem::path& suite_file, const std::string& id) const;

 private:
  std::filesystem::path folder_of(const std::filesystem::path& suite_file) const;

  std::filesystem::path folder_;
};

}  // namespace warpmark
