#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

namespace warpmark {
namespace {

TEST(Parallel, RangesCoverAllElementsInWholeGrains) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{999}, size_t{1000}, size_t{123456}}) {
    const std::vector<Range> ranges = ranges_of(count, 1000);
    ASSERT_FALSE(ranges.empty());
    EXPECT_EQ(ranges.front().begin, 0U);
    EXPECT_EQ(ranges.back().end, count);
    for (size_t i = 1; i < ranges.size(); ++i) {
      EXPECT_EQ(ranges[i].begin, ranges[i - 1].end);
      EXPECT_EQ(ranges[i].begin % 1000, 0U);
    }
  }
  EXPECT_EQ(ranges_of(999, 1000).size(), 1U);
}

TEST(Parallel, EachRangeIsWorkedOnOnce) {
  std::vector<int> touched(10'000);
  in_parallel(ranges_of(touched.size(), 10), [&](size_t /*number*/, Range range) {
    for (size_t i = range.begin; i < range.end; ++i) ++touched[i];
  });
  EXPECT_EQ(touched, std::vector<int>(10'000, 1));
}

TEST(Parallel, RethrowsTheFirstRangesException) {
  const std::vector<Range> ranges = {{0, 1}, {1, 2}, {2, 3}};
  try {
    in_parallel(ranges, [](size_t number, Range /*range*/) {
      if (number > 0) throw std::runtime_error(std::to_string(number));
    });
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "1");
  }
}

TEST(Parallel, ComparesBytesToTheLast) {
  std::vector<std::byte> one(9'000'001), other = one;
  EXPECT_TRUE(same_bytes(one, other));
  other.back() = std::byte{1};
  EXPECT_FALSE(same_bytes(one, other));
  EXPECT_FALSE(same_bytes(one, std::span(one).first(1)));
  EXPECT_TRUE(same_bytes({}, {}));
}

}  // namespace
}  // namespace warpmark
