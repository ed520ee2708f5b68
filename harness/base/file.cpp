#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

namespace fs = std::filesystem;

UniqueFd::~UniqueFd() {
  if (fd_ >= 0) ::close(fd_);
}

std::string read_file(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto fail = [&](int code) -> Error {
    return usage_error("cannot read " + display_path(path) + ": " + std::strerror(code));
  };
  if (!fd) throw fail(errno);
  std::string bytes;
  std::vector<char> chunk(1 << 16);
  for (;;) {
    const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
    if (count == 0) return bytes;
    if (count > 0) {
      bytes.append(chunk.data(), static_cast<size_t>(count));
    } else if (errno != EINTR) {
      throw fail(errno);
    }
  }
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  const auto fail = [&](int code) -> Error {
    return environment_error("cannot write " + display_path(path) + ": " + std::strerror(code));
  };
  std::error_code ignored;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
  std::string temporary = path.string() + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) throw fail(errno);
  const auto abandon = [&](int code) {
    ::unlink(temporary.c_str());
    return fail(code);
  };
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd.get(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      throw abandon(errno);
    }
  }
  // mkostemp makes the file private; results are to be read by others as far as the umask allows.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd.get(), 0666 & ~mask);
  if (::close(fd.release()) != 0) throw abandon(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) throw abandon(errno);
}

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  std::error_code code;
  fs::path base = fs::temp_directory_path(code);
  if (code) base = "/tmp";
  std::string name = (base / (std::string(prefix) + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw environment_error("cannot make a temporary folder in " + base.string() + ": " +
                            std::strerror(errno));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path program_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

std::string display_path(const fs::path& path) {
  std::error_code code;
  const fs::path absolute = fs::absolute(path, code).lexically_normal();
  const fs::path relative = absolute.lexically_relative(fs::current_path(code));
  if (code || relative.empty() || *relative.begin() == "..") return path.string();
  return relative.string();
}

}  // namespace warpmark
