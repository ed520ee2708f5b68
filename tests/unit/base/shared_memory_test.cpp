#include "base/shared_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {
namespace {

TEST(SharedMemory, IsZeroAndSeenThroughAnotherMapping) {
  const SharedMemory first = SharedMemory::create(10000, "test");
  ASSERT_EQ(first.size(), 10000U);
  EXPECT_TRUE(std::ranges::all_of(first.bytes(), [](std::byte b) { return b == std::byte{0}; }));
  const SharedMemory second = SharedMemory::adopt(UniqueFd(::dup(first.fd())));
  ASSERT_EQ(second.size(), 10000U);
  EXPECT_NE(first.bytes().data(), second.bytes().data());
  first.bytes()[9999] = std::byte{7};
  EXPECT_EQ(second.bytes()[9999], std::byte{7});
  second.bytes()[0] = std::byte{8};
  EXPECT_EQ(first.bytes()[0], std::byte{8});
}

TEST(SharedMemory, HasTheSameIdentityInEveryMapping) {
  const SharedMemory first = SharedMemory::create(100), other = SharedMemory::create(100);
  EXPECT_EQ(first.identity(), SharedMemory::adopt(UniqueFd(::dup(first.fd()))).identity());
  EXPECT_NE(first.identity(), other.identity());
}

TEST(SharedMemory, MappingItsPagesChangesNoByte) {
  const SharedMemory memory = SharedMemory::create(size_t{40} << 20);
  memory.bytes().front() = memory.bytes().back() = std::byte{7};
  memory.populate();
  EXPECT_EQ(memory.bytes().front(), std::byte{7});
  EXPECT_EQ(memory.bytes()[size_t{20} << 20], std::byte{0});
  EXPECT_EQ(memory.bytes().back(), std::byte{7});
  SharedMemory::create(0).populate();
}

bool is_mapped(const std::string& name) {
  return read_file("/proc/self/maps").find("memfd:" + name) != std::string::npos;
}

TEST(SharedMemory, ALargeBlockIsReleasedBeforeThereIsAnother) {
  constexpr size_t kLarge = size_t{80} << 20;
  {
    const SharedMemory first = SharedMemory::create(kLarge, "first"),
                       second = SharedMemory::create(kLarge, "second");
    first.populate();
    second.populate();
    EXPECT_TRUE(is_mapped("first") && is_mapped("second"));
  }
  // A forked child has none of the threads that release, and waits for none.
  const pid_t child = ::fork();
  if (child == 0) {
    const SharedMemory other = SharedMemory::create(kLarge, "other");
    ::_exit(other.size() == kLarge ? 0 : 1);
  }
  const SharedMemory third = SharedMemory::create(kLarge, "third");
  EXPECT_FALSE(is_mapped("first") || is_mapped("second"));
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(SharedMemory, NoneAtAllIsAllowed) {
  const SharedMemory empty = SharedMemory::create(0);
  EXPECT_TRUE(empty.bytes().empty());
  EXPECT_EQ(SharedMemory::adopt(UniqueFd(::dup(empty.fd()))).size(), 0U);
}

TEST(SharedMemory, ItsSizeCannotChange) {
  const SharedMemory memory = SharedMemory::create(8192);
  EXPECT_NE(::ftruncate(memory.fd(), 4096), 0);
  EXPECT_NE(::ftruncate(memory.fd(), 16384), 0);
  EXPECT_NE(::fcntl(memory.fd(), F_GETFD) & FD_CLOEXEC, 0) << "no child inherits it by accident";
}

TEST(SharedMemory, MovesItsMapping) {
  SharedMemory a = SharedMemory::create(16);
  std::byte* address = a.bytes().data();
  SharedMemory b = std::move(a);
  EXPECT_EQ(b.bytes().data(), address);
  SharedMemory c = SharedMemory::create(32);
  c = std::move(b);
  EXPECT_EQ(c.bytes().data(), address);
  EXPECT_EQ(c.size(), 16U);
}

TEST(SharedMemory, RefusesWhatAPeerCouldShrink) {
  const auto refused = [](UniqueFd fd) {
    try {
      SharedMemory::adopt(std::move(fd));
      return false;
    } catch (const Error& error) {
      return error.code() == ExitCode::environment;
    }
  };
  EXPECT_TRUE(refused(UniqueFd(::memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING))));
  EXPECT_TRUE(refused(UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC))));
  EXPECT_TRUE(refused(UniqueFd()));
}

TEST(SharedMemory, ASizeThatCannotBeSaysSo) {
  try {
    SharedMemory::create(std::numeric_limits<size_t>::max());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_NE(error.message().find("shared memory"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpmark
