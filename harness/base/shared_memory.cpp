#include "base/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"

namespace warpmark {

SharedMemory SharedMemory::create(size_t bytes, const std::string& name) {
  const auto fail = [&](const char* what, int code) {
    return environment_error("cannot get " + format_bytes(bytes) + " of shared memory: " + what +
                                 ": " + std::strerror(code),
                             code == EMFILE || code == ENFILE
                                 ? "raise the limit of open files (`ulimit -n`)"
                                 : "free memory, or raise its limit");
  };
  if (bytes > static_cast<size_t>(std::numeric_limits<off_t>::max())) {
    throw fail("ftruncate", EFBIG);
  }
  UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) throw fail("memfd_create", errno);
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) throw fail("ftruncate", errno);
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw fail("fcntl(F_ADD_SEALS)", errno);
  }
  return {std::move(fd), bytes};
}

SharedMemory SharedMemory::adopt(UniqueFd fd) {
  // Not by fstat: that takes a path where glibc makes it of fstatat, which the sandbox forbids.
  const off_t bytes = ::lseek(fd.get(), 0, SEEK_END);
  if (bytes < 0) {
    throw environment_error(std::string("cannot adopt shared memory: lseek: ") +
                            std::strerror(errno));
  }
  const int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    throw environment_error(
        "cannot adopt shared memory: it is not a memfd sealed against shrinking");
  }
  return {std::move(fd), static_cast<size_t>(bytes)};
}

SharedMemory::SharedMemory(UniqueFd fd, size_t bytes) : fd_(std::move(fd)) {
  if (bytes == 0) return;
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (address == MAP_FAILED) {
    throw environment_error(
        "cannot map " + format_bytes(bytes) + " of shared memory: " + std::strerror(errno),
        "free memory, or raise its limit");
  }
  bytes_ = {static_cast<std::byte*>(address), bytes};
}

uint64_t SharedMemory::identity() const {
  struct stat facts {};
  if (::fstat(fd_.get(), &facts) != 0) {
    throw environment_error(std::string("cannot look at shared memory: ") + std::strerror(errno));
  }
  return facts.st_ino;
}

void SharedMemory::populate() const {
#ifndef MADV_POPULATE_WRITE
  constexpr int MADV_POPULATE_WRITE = 23;  // Linux 5.14; older kernels refuse it, and lose nothing
#endif
  constexpr size_t kGrain = size_t{16} << 20;
  in_parallel(ranges_of(bytes_.size(), kGrain), [&](size_t /*number*/, Range range) {
    if (range.end == range.begin) return;
    ::madvise(bytes_.data() + range.begin, range.end - range.begin, MADV_POPULATE_WRITE);
  });
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)), bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace warpmark
