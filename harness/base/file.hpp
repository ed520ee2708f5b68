// Files, folders and descriptors: reading whole, writing atomically, temporary folders.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace warpmark {

/// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// The bytes of a file, or the first `most` of them. Throws a usage error that names the file and the
/// reason.
std::string read_file(const std::filesystem::path& path, size_t most = std::string::npos);

/// Makes the missing folders that a file is to lie in; errno, or 0. Whoever then opens the file knows
/// why its folder is not there.
int make_folder_of(const std::filesystem::path& path);

/// Writes a file under a temporary name in the same folder, then renames it, so that a reader sees
/// the old file, the new one, or none. Makes missing folders. Throws an environment error.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Makes missing folders, and throws an environment error if a file could not be written there: a
/// folder, or no permission. Better before an hour of work than after it.
void require_writable(const std::filesystem::path& path);

/// A folder that goes away with its contents.
class TemporaryFolder {
 public:
  /// Makes "TMPDIR/PREFIX-XXXXXX".
  explicit TemporaryFolder(std::string_view prefix = "warpmark");
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Closes each file of this process from that descriptor on.
void close_from(int first);

/// Shown to people: without `x/..`, and relative to the working directory where it is inside of it.
std::string display_path(const std::filesystem::path& path);

}  // namespace warpmark
