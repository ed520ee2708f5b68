#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "unit/runtime/special_values.hpp"
#include "unit/runtime/typed_array.hpp"

// Each damage that a kernel can do to an output must fail the comparison, in every dtype.
namespace warpmark {
namespace {

constexpr size_t kCount = 5000;  // several blocks of the comparison, and a part of one

const double kTiny = 1e-3;
const double kTwo = 2;
const ComparisonRule kExact;
const ComparisonRule kUlp{.kind = ToleranceKind::ulp, .ulp = {&kTwo, 1}};
const ComparisonRule kClose{.kind = ToleranceKind::close, .rtol = {&kTiny, 1}, .atol = {&kTiny, 1}};

class Mutation : public testing::TestWithParam<std::string_view> {
 protected:
  Mutation() : expected_(GetParam(), kCount) {
    const bool is_bool = GetParam() == "bool";
    for (size_t i = 0; i < kCount; ++i) expected_.set(i, is_bool ? (i / 3) % 2 : i % 30 + 1);
  }

  std::vector<ComparisonRule> rules() const { return {kExact, kUlp, kClose}; }

  TypedArray expected_;
};

class FloatMutation : public Mutation {};

TEST_P(Mutation, NoDamagePasses) {
  for (const ComparisonRule& rule : rules()) {
    const Comparison same = compare(expected_, expected_, rule);
    EXPECT_TRUE(same.passed());
    EXPECT_EQ(same.elements, kCount);
    EXPECT_EQ(same.doubtful, 0U);
    EXPECT_FALSE(same.first || same.worst);
  }
}

TEST_P(Mutation, OneWrongElementAnywhere) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<size_t> places = {0, 1, 1023, 1024, kCount - 2, kCount - 1};
  for (int i = 0; i < 200; ++i) places.push_back(random() % kCount);
  for (const size_t place : places) {
    TypedArray actual = expected_;
    // A flip of the top bit: another sign, or another half of the unsigned numbers.
    actual.at(place)[actual.dtype().bytes - 1] ^= std::byte{0x80};
    for (const ComparisonRule& rule : rules()) {
      const Comparison damaged = compare(actual, expected_, rule);
      ASSERT_EQ(damaged.wrong, 1U) << place;
      ASSERT_EQ(damaged.first.value().index, place);
      ASSERT_EQ(damaged.first->kind, MismatchKind::value);
      ASSERT_EQ(damaged.worst.value().index, place);
    }
  }
}

TEST_P(Mutation, OneBitAnywhereFailsExact) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (uint32_t bit = 0; bit < 8 * expected_.dtype().bytes; ++bit) {
    TypedArray actual = expected_;
    const size_t place = random() % kCount;
    actual.at(place)[bit / 8] ^= std::byte{1} << (bit % 8);
    const Comparison damaged = compare(actual, expected_);
    ASSERT_EQ(damaged.wrong, 1U) << "bit " << bit << " of element " << place;
    ASSERT_EQ(damaged.first.value().index, place);
  }
}

TEST_P(Mutation, UnwrittenElements) {
  TypedArray actual = expected_;
  const std::vector<size_t> places = {0, 1024, 1025, kCount - 1};
  for (const size_t place : places) actual.poison(place);
  for (const ComparisonRule& rule : rules()) {
    const Comparison damaged = compare(actual, expected_, rule);
    EXPECT_EQ(damaged.wrong, places.size());
    EXPECT_EQ(damaged.unwritten, places.size());
    EXPECT_EQ(damaged.first.value().kind, MismatchKind::unwritten);
    EXPECT_FALSE(damaged.worst);  // what the poison is as a number says nothing of the kernel
  }
}

TEST_P(Mutation, AnElementWrittenInPartIsWrongAndNotUnwritten) {
  for (uint32_t written = 0; written < expected_.dtype().bytes; ++written) {
    TypedArray actual = expected_;
    actual.poison(7);
    actual.at(7)[written] = expected_.at(7)[written] ^ std::byte{1};
    const Comparison damaged = compare(actual, expected_);
    EXPECT_EQ(damaged.wrong, 1U);
    EXPECT_EQ(damaged.unwritten, 0U);
  }
}

TEST_P(Mutation, ARightElementThatEqualsThePoisonIsDoubtful) {
  expected_.poison(1030);
  if (GetParam() == "bool") {  // this poison is no bool, so it is never right
    EXPECT_EQ(compare(expected_, expected_).unwritten, 1U);
    return;
  }
  for (const ComparisonRule& rule : rules()) {
    const Comparison same = compare(expected_, expected_, rule);
    EXPECT_TRUE(same.passed());
    EXPECT_EQ(same.doubtful, 1U);
    EXPECT_EQ(compare(expected_.view(), expected_.view(), rule, std::nullopt).doubtful, 0U);
  }
}

TEST_P(FloatMutation, NanAndInfinityOnEitherSide) {
  std::vector<double> special = {kNan, 1.0};
  const bool has_infinity = GetParam() != "float8_e4m3fn";
  if (has_infinity) special.insert(special.end(), {kInfinity, -kInfinity});
  for (const double x : special) {
    for (const double e : special) {
      TypedArray actual = expected_;
      TypedArray expected = expected_;
      actual.set(2000, x);
      expected.set(2000, e);
      const bool both_nan = std::isnan(x) && std::isnan(e);
      for (ComparisonRule rule : rules()) {
        SCOPED_TRACE(std::to_string(x) + " for " + std::to_string(e));
        const Comparison got = compare(actual, expected, rule);
        EXPECT_EQ(got.passed(), x == e || both_nan);
        if (!got.passed()) {
          const bool nan = std::isnan(x) || std::isnan(e);
          EXPECT_EQ(got.first.value().kind, nan ? MismatchKind::nan : MismatchKind::infinity);
          EXPECT_EQ(got.first->error + got.first->bound, "");
          EXPECT_FALSE(got.worst);
        }
        rule.nan = NanPolicy::forbid;
        EXPECT_EQ(compare(actual, expected, rule).passed(), x == e);
      }
    }
  }
}

TEST_P(FloatMutation, BadBoundsFailEvenEqualElements) {
  for (const double bad : {kNan, -1.0, -1e-300, kInfinity, -kInfinity}) {
    const double large = 1e4;
    const ComparisonRule bad_rules[] = {
        {.kind = ToleranceKind::ulp, .ulp = {&bad, 1}},
        {.kind = ToleranceKind::close, .rtol = {&bad, 1}},
        {.kind = ToleranceKind::close, .atol = {&bad, 1}},
        {.kind = ToleranceKind::close, .rtol = {&large, 1}, .atol = {&bad, 1}},
        {.kind = ToleranceKind::close, .rtol = {&bad, 1}, .atol = {&large, 1}},
    };
    for (const ComparisonRule& rule : bad_rules) {
      const Comparison got = compare(expected_, expected_, rule);
      EXPECT_EQ(got.wrong, kCount) << bad;
      EXPECT_EQ(got.first.value().kind, MismatchKind::bound);
    }
    // An exact comparison does not look at bounds.
    EXPECT_TRUE(compare(expected_, expected_, {.ulp = {&bad, 1}}).passed());
  }
}

TEST_P(FloatMutation, OneBadBoundAmongMany) {
  std::vector<double> bounds(kCount, 0.5);
  bounds[4321] = kNan;
  for (const ComparisonRule& rule :
       {ComparisonRule{.kind = ToleranceKind::ulp, .ulp = bounds},
        ComparisonRule{.kind = ToleranceKind::close, .rtol = bounds},
        ComparisonRule{.kind = ToleranceKind::close, .atol = bounds}}) {
    const Comparison got = compare(expected_, expected_, rule);
    EXPECT_EQ(got.wrong, 1U);
    EXPECT_EQ(got.first.value().index, 4321U);
  }
}

TEST_P(FloatMutation, NegativeReferenceDoesNotTurnTheBound) {
  if (expected_.dtype().bytes == 1) return;  // numbers of 8 bits are not as fine
  const ComparisonRule tenth{.kind = ToleranceKind::close, .rtol = {&kTiny, 1}};
  EXPECT_FALSE(compare_reals(GetParam(), {100}, GetParam(), {-100}, tenth).passed());
  EXPECT_FALSE(compare_reals(GetParam(), {-101}, GetParam(), {-100}, tenth).passed());
  EXPECT_TRUE(compare_reals(GetParam(), {-100}, GetParam(), {-100.0625}, tenth).passed());
}

TEST_P(Mutation, WrongCountsThrow) {
  const TypedArray shorter(GetParam(), kCount - 1);
  EXPECT_THROW(compare(shorter, expected_), Error);
  EXPECT_THROW(compare(expected_, shorter), Error);
  EXPECT_THROW(compare(expected_, TypedArray(GetParam(), 0)), Error);
  EXPECT_TRUE(compare(TypedArray(GetParam(), 0), TypedArray(GetParam(), 0)).passed());
  EXPECT_TRUE(compare(TypedArray(GetParam(), 0), TypedArray(GetParam(), 1)).passed());
  const std::vector<double> bounds(3);
  EXPECT_THROW(compare(expected_, expected_, {.ulp = bounds}), Error);
  EXPECT_THROW(compare(expected_, expected_, {.rtol = bounds}), Error);
  EXPECT_THROW(compare(expected_, expected_, {.atol = bounds}), Error);
  if (expected_.dtype().bytes > 1) {
    TypedBytes odd = expected_.view();
    odd.bytes = odd.bytes.first(odd.bytes.size() - 1);
    EXPECT_THROW(compare(odd, odd, {}, kPoison), Error);
  }
}

TEST_P(Mutation, WrongDtypesThrow) {
  const DType& output = expected_.dtype();
  const auto integer = [](const DType& type) {
    return type.kind != DTypeKind::boolean && type.kind != DTypeKind::floating;
  };
  for (const DType& reference : all_dtypes()) {
    if (!is_single_number(reference)) continue;
    // A type that NumPy lacks is compared with its own values and with wider ones that NumPy has.
    const bool narrow = is_narrow_float(output) || is_narrow_float(reference);
    const bool numpys = reference.name == "float32" || reference.name == "float64";
    const bool rounded = output.kind == DTypeKind::floating && integer(reference);
    const bool fits =
        narrow ? output == reference || (is_narrow_float(output) && numpys)
               : rounded ||
                     (reference.bytes >= output.bytes &&
                      (reference.kind == output.kind || (integer(reference) && integer(output))));
    const TypedArray one = TypedArray::of<int>(reference.name, {1});
    const TypedArray output_one = TypedArray::of<int>(GetParam(), {1});
    if (fits) {
      EXPECT_TRUE(compare(output_one, one).passed()) << reference.name;
    } else {
      EXPECT_THROW(compare(output_one, one), Error) << reference.name;
    }
  }
}

std::vector<std::string_view> names(bool floats_only) {
  std::vector<std::string_view> names;
  for (const DType& type : all_dtypes()) {
    if (!is_single_number(type)) continue;
    if (!floats_only || type.kind == DTypeKind::floating) names.push_back(type.name);
  }
  return names;
}
std::string test_name(const testing::TestParamInfo<std::string_view>& test) {
  return std::string(test.param);
}
INSTANTIATE_TEST_SUITE_P(EveryDType, Mutation, testing::ValuesIn(names(false)), test_name);
INSTANTIATE_TEST_SUITE_P(EveryDType, FloatMutation, testing::ValuesIn(names(true)), test_name);

}  // namespace
}  // namespace warpmark
