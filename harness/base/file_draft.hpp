// A file that takes its place when it is whole.
#pragma once

#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {

/// A new file under a temporary name beside `path`, which goes away unless it takes that place.
class FileDraft {
 public:
  /// Makes missing folders. Throws an environment error.
  explicit FileDraft(std::filesystem::path path);
  FileDraft(const FileDraft&) = delete;
  FileDraft& operator=(const FileDraft&) = delete;
  ~FileDraft();

  const std::filesystem::path& draft() const { return draft_; }
  int fd() const { return fd_.get(); }
  /// Renames it, to be read by others as far as the umask allows. Throws an environment error.
  void keep();
  /// An error that says that `path` cannot be written, and why: an errno.
  Error failure(int code) const;

 private:
  std::filesystem::path path_, draft_;  ///< the draft is "" once it is kept
  UniqueFd fd_;
};

}  // namespace warpmark
