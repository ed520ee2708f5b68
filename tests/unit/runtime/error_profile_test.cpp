// How far outputs are off as a whole: histograms, and the tolerance that would do.
#include "runtime/error_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unit/runtime/typed_array.hpp"

namespace warpmark {
namespace {

using Values = std::vector<double>;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kBeyondAll = std::numeric_limits<double>::infinity();

std::string sufficient(const Values& actual, const Values& expected, const ComparisonRule& rule,
                       std::string_view dtype = "float32", std::string_view reference = "float64") {
  const TypedArray x = TypedArray::of(dtype, actual), e = TypedArray::of(reference, expected);
  return sufficient_tolerance(x.view(), e.view(), rule, compare(x, e, rule));
}

ErrorHistogram histogram(const Values& actual, const Values& expected, const ComparisonRule& rule) {
  return error_histogram(TypedArray::of("float32", actual).view(),
                         TypedArray::of("float32", expected).view(), rule);
}

const double kTwoTimes = 2, kMillionth = 1e-6, kNought = 0, kOneHalf = 0.5;
const ComparisonRule kExactly{};
const ComparisonRule kTwoUlps{.kind = ToleranceKind::ulp, .ulp = {&kTwoTimes, 1}};
const ComparisonRule kRelative{.kind = ToleranceKind::close, .rtol = {&kMillionth, 1}};
const ComparisonRule kBoth{
    .kind = ToleranceKind::close, .rtol = {&kMillionth, 1}, .atol = {&kOneHalf, 1}};

TEST(SufficientTolerance, IsTheSmallestWholeUlp) {
  const double ulp = 0x1p-23;
  EXPECT_EQ(sufficient({1 + ulp, 2}, {1, 2}, kExactly), "{ulp: 1}");
  EXPECT_EQ(sufficient({1 + 3 * ulp, 2 + 4 * ulp}, {1, 2}, kExactly), "{ulp: 3}");
  EXPECT_EQ(sufficient({1 - ulp / 2, 2}, {1, 2}, kExactly), "{ulp: 1}") << "half of one, below 1";
  EXPECT_EQ(sufficient({1 + 1024 * ulp}, {1}, kExactly), "{ulp: 1024}");
  EXPECT_EQ(sufficient({1 + 1025 * ulp}, {1}, kExactly), "");
  EXPECT_EQ(sufficient({1 + 9 * ulp, 1 + ulp}, {1, 1}, kTwoUlps), "{ulp: 9}");
  EXPECT_EQ(sufficient({1.0009765625}, {1}, kExactly, "float16", "float32"), "{ulp: 1}");
  EXPECT_EQ(sufficient({1 + 0x1p-51}, {1}, kExactly, "float64"), "{ulp: 2}");
}

TEST(SufficientTolerance, NearZeroIsAbsolute) {
  const double ulp = 0x1p-23;
  EXPECT_EQ(sufficient({1 + 2 * ulp, 3e-8}, {1, 0}, kExactly), "{ulp: 2, atol: 1e-07}");
  EXPECT_EQ(sufficient({1, 3e-8}, {1, 0}, kExactly), "{ulp: 1, atol: 1e-07}");
  EXPECT_EQ(sufficient({1, 0.1}, {1, 0}, kExactly), "") << "as far off as a tenth of all";
  EXPECT_EQ(sufficient({1, 0.6}, {1, 0.5}, kExactly), "") << "0.5 is not near zero";
  const ComparisonRule with_atol{
      .kind = ToleranceKind::ulp, .ulp = {&kNought, 1}, .atol = {&kMillionth, 1}};
  EXPECT_EQ(sufficient({1, 64 + 64 * ulp}, {1 + 1e-7, 64}, with_atol), "{ulp: 1, atol: 1e-06}");
}

TEST(SufficientTolerance, OfCloseIsAPowerOfTen) {
  EXPECT_EQ(sufficient({1.00005}, {1}, kRelative), "{rtol: 1e-4}");
  EXPECT_EQ(sufficient({1.0005, -2}, {1, -2}, kRelative), "{rtol: 1e-3}");
  EXPECT_EQ(sufficient({1.002}, {1}, kRelative), "");
  EXPECT_EQ(sufficient({1e-9}, {0}, kRelative), "") << "nothing is relative to 0";
  EXPECT_EQ(sufficient({1001.25}, {1000}, kBoth), "{rtol: 1e-3, atol: 0.5}");
}

TEST(SufficientTolerance, IsOfValuesAlone) {
  const double nan = std::nan("");
  EXPECT_EQ(sufficient({1, 2}, {1, 2}, kExactly), "") << "nothing is wrong";
  EXPECT_EQ(sufficient({1 + 0x1p-23, nan}, {1, 2}, kExactly), "");
  EXPECT_EQ(sufficient({1 + 0x1p-23, kBeyondAll}, {1, 2}, kExactly), "");
  EXPECT_EQ(sufficient({2}, {1}, kExactly, "int32", "int32"), "");
  EXPECT_EQ(sufficient({1 + 0x1p-23, nan}, {1, nan}, kExactly), "{ulp: 1}");
  ComparisonRule forbid;
  forbid.nan = NanPolicy::forbid;
  EXPECT_EQ(sufficient({1 + 0x1p-23}, {1}, forbid), "{ulp: 1, nan: forbid}");
  const double bounds[] = {1, 1};
  const ComparisonRule varying{.kind = ToleranceKind::ulp, .ulp = bounds};
  EXPECT_EQ(sufficient({1 + 0x1p-20, 1}, {1, 1}, varying), "");
  TypedArray actual = TypedArray::of<double>("float32", {1 + 0x1p-23, 1});
  actual.poison(1);
  const TypedArray expected = TypedArray::of<double>("float32", {1, 1});
  EXPECT_EQ(
      sufficient_tolerance(actual.view(), expected.view(), kExactly, compare(actual, expected)),
      "");
}

TEST(ErrorHistogram, CountsByPowersOfTwo) {
  const double ulp = 0x1p-23;
  const ErrorHistogram got =
      histogram({1, 1 + ulp, 1 + 3 * ulp, 1 + 2 * ulp, 1 - ulp / 2, std::nan("")},
                {1, 1, 1, 1, 1, 1}, kExactly);
  EXPECT_EQ(got.unit, "ulp");
  EXPECT_THAT(got.buckets,
              ElementsAre(ErrorBucket{0.5, 1, 1}, ErrorBucket{1, 2, 1}, ErrorBucket{2, 4, 2}));
  EXPECT_THAT(histogram({1, 2}, {1, 2}, kExactly).buckets, IsEmpty());
}

TEST(ErrorHistogram, HasTwelveBucketsAtMost) {
  Values actual, expected;
  for (int power = 0; power < 23; ++power) {
    expected.push_back(1);
    actual.push_back(1 + std::ldexp(1.0, power - 23));
  }
  const ErrorHistogram got = histogram(actual, expected, kExactly);
  ASSERT_EQ(got.buckets.size(), kMostBuckets);
  EXPECT_EQ(got.buckets.front(), (ErrorBucket{1, 4, 2}));
  EXPECT_EQ(got.buckets.back(), (ErrorBucket{1 << 22, 1 << 24, 1}));
}

TEST(ErrorHistogram, OfCloseIsInMultiplesOfTheBound) {
  const ComparisonRule rule{.kind = ToleranceKind::close, .rtol = {&kOneHalf, 1}};
  const ErrorHistogram got = histogram({1.25, 3, 1, 0.5}, {1, 1, 1, 0}, rule);
  EXPECT_EQ(got.unit, "bound");
  EXPECT_EQ(got.buckets.front(), (ErrorBucket{0.5, 1, 1}));
  EXPECT_EQ(got.buckets.at(3), (ErrorBucket{4, 8, 1}));
  EXPECT_EQ(got.buckets.back(), (ErrorBucket{8, kBeyondAll, 1})) << "0 has no bound";
}

}  // namespace
}  // namespace warpmark
