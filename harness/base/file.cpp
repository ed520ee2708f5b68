#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file_draft.hpp"

namespace warpmark {

namespace fs = std::filesystem;

UniqueFd::~UniqueFd() {
  if (fd_ >= 0) ::close(fd_);
}

std::string read_file(const fs::path& path, size_t most) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto fail = [&](int code) -> Error {
    return usage_error("cannot read " + display_path(path) + ": " + std::strerror(code));
  };
  if (!fd) throw fail(errno);
  // A file's size tells how much there is to read; of a pipe or of one in /proc it tells nothing.
  constexpr size_t kChunk = 1 << 16;
  struct stat status {};
  const bool has_size = ::fstat(fd.get(), &status) == 0 && status.st_size > 0;
  std::string bytes(std::min(has_size ? static_cast<size_t>(status.st_size) + 1 : kChunk, most),
                    '\0');
  for (size_t size = 0;;) {
    const ssize_t count = ::read(fd.get(), bytes.data() + size, bytes.size() - size);
    if (count == 0) {
      bytes.resize(size);
      return bytes;
    }
    if (count > 0) {
      size += static_cast<size_t>(count);
      if (size == bytes.size()) bytes.resize(std::min(size + std::max(size, kChunk), most));
    } else if (errno != EINTR) {
      throw fail(errno);
    }
  }
}

namespace {

// Errno, or 0.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// A rename would put a file in the place of a device or pipe: seen to replace /dev/full, for root.
bool is_special(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  return fs::is_character_file(status) || fs::is_fifo(status) || fs::is_block_file(status);
}

}  // namespace

int make_folder_of(const fs::path& path) {
  std::error_code code;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), code);
  return code.value();
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  const auto fail = [&](int code) -> Error {
    return environment_error("cannot write " + display_path(path) + ": " + std::strerror(code));
  };
  if (is_special(path)) {
    const UniqueFd special(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!special) throw fail(errno);
    if (const int code = write_all(special.get(), bytes); code != 0) throw fail(code);
    return;
  }
  FileDraft file(path);
  if (const int code = write_all(file.fd(), bytes); code != 0) throw file.failure(code);
  file.keep();
}

void require_writable(const fs::path& path) {
  std::error_code code;
  const fs::path folder = fs::absolute(path, code).parent_path();
  const int missing = make_folder_of(folder / path.filename());
  if (fs::is_directory(path, code)) {
    throw environment_error("cannot write " + display_path(path) + ": it is a folder");
  }
  // A device or a pipe is written to; a file is replaced in its folder.
  const bool special = fs::exists(path, code) && !fs::is_regular_file(path, code);
  if (::access(special ? path.c_str() : folder.c_str(), special ? W_OK : W_OK | X_OK) != 0) {
    const int reason = errno == ENOENT && missing != 0 ? missing : errno;
    throw environment_error("cannot write " + display_path(path) + ": " + std::strerror(reason));
  }
}

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  std::error_code code;
  fs::path base = fs::temp_directory_path(code);
  if (code) base = "/tmp";
  std::string name = (base / (std::string(prefix) + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw environment_error(
        "cannot make a temporary folder in " + base.string() + ": " + std::strerror(errno),
        "set TMPDIR to a folder that can be written");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void close_from(int first) {
#ifdef __NR_close_range  // Linux 5.9; glibc has a function for it from 2.34 on
  if (::syscall(__NR_close_range, first, ~0U, 0) == 0) return;
#endif
  std::vector<int> open;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", code)) {
    const int fd = std::atoi(entry.path().filename().c_str());
    if (fd >= first) open.push_back(fd);
  }
  for (const int fd : open) ::close(fd);  // that of the listing is closed by now
}

std::string display_path(const fs::path& path) {
  std::error_code code;
  const fs::path absolute = fs::absolute(path, code).lexically_normal();
  const fs::path relative = absolute.lexically_relative(fs::current_path(code));
  if (code || relative.empty() || *relative.begin() == "..")
    return path.lexically_normal().string();
  return relative.string();
}

}  // namespace warpmark
