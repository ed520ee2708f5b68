// Initial values in the front's own memory, which a worker reads.
#include "worker/initial_value.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "support/fake_driver.hpp"

namespace warpmark {
namespace {

constexpr size_t kValueBytes =
    (size_t{33} << 20) + 567;  // in several rounds, but on many processors

class InitialValueTest : public testing::Test {
 protected:
  void SetUp() override {
    for (size_t i = 0; i < kValueBytes; ++i) front_.bytes()[i] = std::byte(i % 251);
  }

  InitialValue value(SharedMemory::Place place) const {
    return {UniqueFd(::dup(front_.fd())), place, kValueBytes};
  }

  void expect_values(const InitialValue& value) {
    EXPECT_TRUE(std::ranges::equal(value.bytes(), front_.bytes()));
    const auto context = Context::create(fake_.device());
    DeviceMemory buffer(context, kValueBytes, "x");
    value.upload_to(buffer, context);
    std::vector<std::byte> got(kValueBytes);
    buffer.download(got);
    EXPECT_TRUE(std::ranges::equal(got, front_.bytes()));
  }

  SharedMemory front_ = SharedMemory::create_readable(kValueBytes);
  FakeDriver fake_;
};

TEST_F(InitialValueTest, IsReadFromTheFront) {
  ASSERT_TRUE(front_.place());
  const InitialValue read = value(*front_.place());
  EXPECT_EQ(read.size(), kValueBytes);
  EXPECT_EQ(read.mapped(), nullptr);
  expect_values(read);
}

TEST_F(InitialValueTest, IsReadWhereProcessesMayNotTraceEachOther) {
  SharedMemory::Place place = *front_.place();
  place.process = std::numeric_limits<int>::max();  // no process has it: the call is refused
  expect_values(value(place));
}

TEST_F(InitialValueTest, OfAFrontThatIsGoneIsAnError) {
  SharedMemory::Place place = *front_.place();
  place.process = std::numeric_limits<int>::max();
  const InitialValue gone(UniqueFd(::open("/dev/null", O_RDONLY)), place, kValueBytes);
  EXPECT_THROW(gone.bytes(), Error);
}

TEST_F(InitialValueTest, HasItsOwnIdentity) {
  const uint64_t first = value(*front_.place()).identity();
  EXPECT_EQ(first, value(*front_.place()).identity());
  // The next block may have the address of one that is gone.
  front_ = SharedMemory::create_readable(kValueBytes);
  EXPECT_NE(first, value(*front_.place()).identity());
  const SharedMemory file = SharedMemory::create(kValueBytes);
  EXPECT_NE(first, file.identity());
  EXPECT_FALSE(file.place());
  const InitialValue mapped(SharedMemory::adopt(UniqueFd(::dup(file.fd()))));
  EXPECT_EQ(mapped.identity(), file.identity());
  EXPECT_NE(mapped.mapped(), nullptr);
}

}  // namespace
}  // namespace warpmark
