#include "base/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

// The size from which memory is released by a thread: the kernel takes a tenth of a second for each
// gigabyte.
constexpr size_t kReleasedLater = size_t{64} << 20;

// The releases that have not ended, and the process that began them. A forked child has none of
// the threads.
std::atomic<int> releases = 0;
std::atomic<pid_t> releaser = 0;

void release(UniqueFd /*closed last*/, std::span<std::byte> bytes) {
  ::munmap(bytes.data(), bytes.size());
}

// Does nothing, and leaves `fd` as it is, if there can be no further thread.
bool release_later(UniqueFd& fd, std::span<std::byte> bytes) {
  if (releaser.exchange(::getpid()) != ::getpid()) releases = 0;
  ++releases;
  try {
    std::thread([bytes, file = fd.get()] {
      release(UniqueFd(file), bytes);
      --releases;
      releases.notify_all();
    }).detach();
  } catch (const std::system_error&) {
    --releases;
    return false;
  }
  fd.release();
  return true;
}

// Memory that is being released counts as used until then.
void wait_for_releases() {
  if (releaser != ::getpid()) return;
  for (int left = releases; left > 0; left = releases) releases.wait(left);
}

}  // namespace

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
  if (bytes >= kReleasedLater) wait_for_releases();
  UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) throw fail("memfd_create", errno);
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) throw fail("ftruncate", errno);
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw fail("fcntl(F_ADD_SEALS)", errno);
  }
  return {std::move(fd), bytes};
}

SharedMemory SharedMemory::create_readable(size_t bytes) {
  static std::atomic<uint64_t> numbers = 0;
  // Each has its own descriptor, because one that was opened before a fork is of the parent's memory.
  UniqueFd file(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  if (bytes == 0 || !file) return create(bytes);
  if (bytes >= kReleasedLater) wait_for_releases();
  void* address =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return create(bytes);  // its error tells the size
  ::madvise(address, bytes, MADV_HUGEPAGE);
  SharedMemory made;
  made.fd_ = std::move(file);
  made.bytes_ = {static_cast<std::byte*>(address), bytes};
  made.place_ = {reinterpret_cast<uint64_t>(address), ++numbers, ::getpid()};
  return made;
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
  // More threads would wait for the lock of the file's pages.
  constexpr size_t kGrain = size_t{16} << 20, kThreads = 8;
  const size_t grain = (bytes_.size() / kThreads + kGrain) / kGrain * kGrain;
  in_parallel(ranges_of(bytes_.size(), grain), [&](size_t /*number*/, Range range) {
    if (range.end == range.begin) return;
    ::madvise(bytes_.data() + range.begin, range.end - range.begin, MADV_POPULATE_WRITE);
  });
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      place_(std::exchange(other.place_, std::nullopt)),
      bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(place_, other.place_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (bytes_.empty()) return;
  if (bytes_.size() < kReleasedLater || !release_later(fd_, bytes_))
    release(std::move(fd_), bytes_);
}

}  // namespace warpmark
