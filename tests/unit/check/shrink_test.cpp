// Failing points are made as small as a person would write them.
#include "check/shrink.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "suite/suite.hpp"

namespace warpmark {
namespace {

constexpr const char* kSuite = R"(warpmark: 1
kernel: {entry: k, source: "__global__ void k(float *y, const float *x) {}"}
axes:
  dtype: [float32, float64]
  n: {any: [1, 100000]}
  m: {any: [16, 4096], multiple_of: 16}
arguments:
  y: {out: n}
  x: {in: np.zeros(n), values: {any: adversarial}}
launch: {block: 128}
reference: {y: x}
)";

class Shrink : public testing::Test {
 protected:
  // The smallest point of those that fail, from a large one on.
  SearchPoint from(int64_t n, int64_t m, const std::function<bool(const SearchPoint&)>& fails,
                   size_t kind = 1, uint64_t trial = 77, size_t pattern = 9) {
    const SearchPoint point{kind, {n, m}, {pattern}, trial};
    EXPECT_TRUE(fails(point));
    const SearchPoint smallest = shrunk(space_, point, space_.edges(sizes_), sizes_, 400, fails);
    EXPECT_TRUE(fails(smallest));
    return smallest;
  }

  std::shared_ptr<const Suite> suite_ = parse_suite(kSuite, "/tmp/s.yaml");
  SearchSpace space_{suite_, cases(suite_)};
  std::vector<int64_t> sizes_ = {128, 1000};
};

TEST_F(Shrink, WhatDoesNotMatterBecomesTheLeast) {
  const SearchPoint smallest = from(5000, 64, [](const SearchPoint&) { return true; });
  EXPECT_EQ(smallest, (SearchPoint{0, {1, 16}, {0}, 0}));
}

TEST_F(Shrink, ThresholdsAreExact) {
  for (const int64_t least : {2, 9, 33, 129, 777, 4097, 54321}) {
    const auto fails = [&](const SearchPoint& point) { return point.numbers[0] >= least; };
    EXPECT_EQ(from(99999, 64, fails).numbers[0], least);
  }
}

TEST_F(Shrink, RestsOfBlocksLoseTheirWholeBlocks) {
  const auto rest = [](const SearchPoint& point) { return point.numbers[0] % 128 == 55; };
  EXPECT_EQ(from(128 * 300 + 55, 64, rest).numbers[0], 55);
  const auto beyond = [](const SearchPoint& point) {
    return point.numbers[0] % 128 == 55 && point.numbers[0] > 128;
  };
  EXPECT_EQ(from(128 * 300 + 55, 64, beyond).numbers[0], 128 + 55);
}

TEST_F(Shrink, EqualNumbersStayEqual) {
  const auto square = [](const SearchPoint& point) {
    return point.numbers[0] == point.numbers[1] && point.numbers[0] > 40;
  };
  EXPECT_EQ(from(1024, 1024, square).numbers, (std::vector<int64_t>{48, 48}));
}

TEST_F(Shrink, MultiplesStayMultiples) {
  const auto fails = [](const SearchPoint& point) { return point.numbers[1] > 100; };
  EXPECT_EQ(from(5, 4096, fails).numbers[1], 112);
}

TEST_F(Shrink, TrialsPatternsAndKindsMatterIfTheyDo) {
  const auto trial = [](const SearchPoint& point) { return point.trial % 7 == 5; };
  EXPECT_EQ(from(5, 64, trial, 1, 12).trial, 5);
  const auto only = [](const SearchPoint& point) { return point.trial == 900; };
  EXPECT_EQ(from(5, 64, only, 1, 900).trial, 900);
  const auto pattern = [](const SearchPoint& point) { return point.patterns[0] >= 4; };
  EXPECT_EQ(from(5, 64, pattern).patterns[0], 4);
  const auto kind = [](const SearchPoint& point) { return point.kind == 1; };
  EXPECT_EQ(from(5, 64, kind).kind, 1);
}

TEST_F(Shrink, EdgesAreBesidePowersAndSizes) {
  const std::vector<std::vector<int64_t>> all = space_.edges(sizes_);
  const std::vector<int64_t>& edges = all.front();
  for (const int64_t number :
       {1, 2, 31, 32, 33, 127, 128, 129, 255, 999, 1000, 2001, 99999, 100000})
    EXPECT_TRUE(std::binary_search(edges.begin(), edges.end(), number)) << number;
  for (const int64_t number : all.back()) EXPECT_EQ(number % 16, 0) << number;
}

TEST_F(Shrink, PointsAreWrittenAsCases) {
  EXPECT_EQ(space_.listed({1, {33, 16}, {4}, 0}), "{dtype: float64, n: 33, m: 16, x: descending}");
  EXPECT_EQ(space_.case_of({0, {33, 16}, {4}, 0}).id, "s.dtype=float32,n=33,m=16,x=descending");
  const auto possible = possible_case(suite_, "s.dtype=float32,n=33,m=16,x=descending");
  ASSERT_TRUE(possible);
  EXPECT_EQ(possible->contents, (std::vector<ArgumentContents>{{"x", "descending"}}));
  for (const char* id :
       {"s.dtype=float32,n=0,m=16", "s.dtype=float32,n=1,m=17", "s.dtype=int8,n=1,m=16",
        "s.n=1,m=16", "s.dtype=float32,n=1,m=16,y=zeros", "t.n=1", "s.default"})
    EXPECT_FALSE(possible_case(suite_, id)) << id;
}

}  // namespace
}  // namespace warpmark
