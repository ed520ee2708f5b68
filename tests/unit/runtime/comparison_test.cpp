#include "runtime/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "unit/runtime/special_values.hpp"
#include "unit/runtime/typed_array.hpp"

namespace warpmark {
namespace {

constexpr std::string_view kInt = "int32";

ComparisonRule ulps(const double& ulp) {
  return {.kind = ToleranceKind::ulp, .ulp = {&ulp, 1}};
}
ComparisonRule close_to(const double& rtol, const double& atol) {
  return {.kind = ToleranceKind::close, .rtol = {&rtol, 1}, .atol = {&atol, 1}};
}

template <typename X, typename E>
Comparison integers(std::string_view output, X x, std::string_view reference, E e) {
  return compare(TypedArray::of<X>(output, {x}), TypedArray::of<E>(reference, {e}));
}

TEST(CompareIntegers, InTheIntegerDomain) {
  constexpr int64_t kPast = (int64_t{1} << 53) + 1;  // its double is that of the number below
  EXPECT_TRUE(integers("int64", kPast, "int64", kPast).passed());
  const Comparison off = integers("int64", kPast, "int64", kPast - 1);
  EXPECT_EQ(off.wrong, 1U);
  EXPECT_EQ(off.first.value().actual, "9007199254740993");
  EXPECT_EQ(off.first->expected, "9007199254740992");
  EXPECT_EQ(off.first->error, "1");
  EXPECT_EQ(off.first->bound, "0");
  EXPECT_EQ(integers("uint64", UINT64_MAX, "uint64", UINT64_MAX - 1).wrong, 1U);
}

TEST(CompareIntegers, OfDifferentSignednessByValueNotByBits) {
  const Comparison wrapped = integers("uint64", UINT64_MAX, "int64", int64_t{-1});
  EXPECT_EQ(wrapped.wrong, 1U);
  EXPECT_EQ(wrapped.first.value().error, "18446744073709551616");
  EXPECT_EQ(integers("int64", int64_t{-1}, "uint64", UINT64_MAX).wrong, 1U);
  EXPECT_EQ(integers("int64", INT64_MIN, "uint64", UINT64_MAX).first.value().error,
            "27670116110564327423");  // 2^63 + 2^64 − 1
  EXPECT_EQ(integers("uint32", UINT32_MAX, "int64", int64_t{-1}).wrong, 1U);
  EXPECT_EQ(integers("uint8", uint8_t{255}, "int8", -1).wrong, 1U);
  EXPECT_TRUE(integers("int8", -1, "int64", int64_t{-1}).passed());
  EXPECT_TRUE(integers("uint8", uint8_t{200}, "int16", int16_t{200}).passed());
}

TEST(CompareIntegers, UnsignedUnderflowIsAnErrorOfItsTrueSize) {
  const Comparison below = integers("uint32", uint32_t{3}, "uint32", uint32_t{5});
  EXPECT_EQ(below.first.value().error, "2");
  const Comparison wrapped = integers("uint32", uint32_t{0} - 2U, "uint32", uint32_t{0});
  EXPECT_EQ(wrapped.first.value().error, "4294967294");
}

TEST(CompareIntegers, ExactlyWhateverTheTolerance) {
  const double loose = 1000;
  const auto x = TypedArray::of<int>("int32", {10});
  const auto e = TypedArray::of<int>("int32", {11});
  EXPECT_FALSE(compare(x, e, ulps(loose)).passed());
  EXPECT_FALSE(compare(x, e, close_to(loose, loose)).passed());
}

TEST(CompareBools, AKernelMustWriteOneForTrue) {
  const auto bools = [](uint8_t x, uint8_t e) { return integers("bool", x, "bool", e); };
  EXPECT_TRUE(bools(1, 1).passed());
  EXPECT_TRUE(bools(0, 0).passed());
  EXPECT_FALSE(bools(1, 0).passed());
  EXPECT_FALSE(bools(2, 1).passed());
  EXPECT_FALSE(bools(2, 2).passed());  // a view in NumPy may hold a 2, which means True
  EXPECT_TRUE(bools(1, 2).passed());
  const auto twos = TypedArray::of<int>("bool", {2, 2, 1});
  EXPECT_EQ(compare(twos, twos).wrong, 2U) << "equal bytes are no bools for that";
  EXPECT_EQ(bools(2, 1).first.value().actual, "2");
  EXPECT_EQ(bools(2, 1).first->expected, "True");
  EXPECT_EQ(bools(2, 1).first->error, "1");
  EXPECT_EQ(bools(0xA5, 1).unwritten, 1U);
}

TEST(CompareFloats, ZerosOfEitherSignAreEqual) {
  for (const std::string_view dtype : {"float16", "float32", "float64"}) {
    EXPECT_TRUE(compare_reals(dtype, {-0.0, 0.0}, dtype, {0.0, -0.0}).passed()) << dtype;
  }
}

TEST(CompareFloats, NansOfAnyPayloadAreEqualUnlessForbidden) {
  auto x = TypedArray("float32", 1);
  auto e = TypedArray("float32", 1);
  const uint32_t quiet = 0x7fc00000, negative_signalling = 0xff800001;
  std::memcpy(x.at(0), &quiet, 4);
  std::memcpy(e.at(0), &negative_signalling, 4);
  EXPECT_TRUE(compare(x, e).passed());
  EXPECT_FALSE(compare(x, e, {.nan = NanPolicy::forbid}).passed());
  EXPECT_FALSE(compare(x, x, {.nan = NanPolicy::forbid}).passed());
}

TEST(CompareFloats, ExactRoundsAWiderReferenceOnce) {
  EXPECT_TRUE(compare_reals("float32", {0.1}, "float64", {0.1}).passed());
  EXPECT_TRUE(compare_reals("float16", {0.1}, "float32", {0.1}).passed());
  EXPECT_TRUE(compare_reals("float16", {0.1}, "float64", {0.1}).passed());
  // 1 + 2^-11 lies halfway, and is even below; a trace more goes up. By way of float32 it would
  // not.
  const double more = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_TRUE(compare_reals("float16", {1}, "float64", {1 + 0x1p-11}).passed());
  EXPECT_TRUE(compare_reals("float16", {1 + 0x1p-10}, "float64", {more}).passed());
  EXPECT_FALSE(compare_reals("float16", {1}, "float64", {more}).passed());
  EXPECT_TRUE(compare_reals("float16", {0x1p-24}, "float64", {0x1.8p-25}).passed());
  EXPECT_FALSE(compare_reals("float32", {std::nextafterf(0.1F, 1)}, "float64", {0.1}).passed());
}

TEST(CompareFloats, AReferenceTooGreatForTheOutputIsInfinityButNotUnderClose) {
  const double one = 1;
  const struct {
    std::string_view output;
    double overflows, greatest;
  } cases[] = {{"float16", 65520, 65504}, {"float32", 1e39, std::numeric_limits<float>::max()}};
  for (const auto& [output, overflows, greatest] : cases) {
    for (const double sign : {1.0, -1.0}) {
      const double e = sign * overflows;
      EXPECT_TRUE(compare_reals(output, {sign * kInfinity}, "float64", {e}).passed());
      EXPECT_FALSE(compare_reals(output, {-sign * kInfinity}, "float64", {e}).passed());
      EXPECT_FALSE(compare_reals(output, {sign * greatest}, "float64", {e}).passed());
      EXPECT_TRUE(compare_reals(output, {sign * kInfinity}, "float64", {e}, ulps(one)).passed());
      const Comparison near =
          compare_reals(output, {sign * kInfinity}, "float64", {e}, close_to(one, one));
      EXPECT_EQ(near.first.value().kind, MismatchKind::infinity);
    }
  }
  EXPECT_TRUE(compare_reals("float16", {65504}, "float64", {65519.99}).passed());
}

TEST(CompareFloats, UlpCountsSpacingsOfTheOutputAtTheRoundedReference) {
  const double zero = 0, one = 1, half = 0.5;
  const struct {
    std::string_view dtype;
    double epsilon, subnormal;
  } formats[] = {{"float16", 0x1p-10, 0x1p-24},
                 {"float32", 0x1p-23, 0x1p-149},
                 {"float64", 0x1p-52, 0x1p-1074}};
  for (const auto& format : formats) {
    const auto& [dtype, epsilon, subnormal] = format;
    SCOPED_TRACE(dtype);
    const auto passes = [&](double x, double e, const double& ulp) {
      return compare_reals(format.dtype, {x}, format.dtype, {e}, ulps(ulp)).passed();
    };
    EXPECT_TRUE(passes(1 + epsilon, 1, one));
    EXPECT_FALSE(passes(1 + epsilon, 1, half));
    EXPECT_FALSE(passes(1 + epsilon, 1, zero));
    EXPECT_FALSE(passes(1 + 2 * epsilon, 1, one));
    EXPECT_TRUE(passes(1 - epsilon, 1, one));  // two steps down: they are half as long there
    EXPECT_FALSE(passes(1 - 1.5 * epsilon, 1, one));
    EXPECT_TRUE(passes(-2 + epsilon, -2 + 2 * epsilon, one));
    EXPECT_TRUE(passes(subnormal, 0, one));
    EXPECT_FALSE(passes(2 * subnormal, 0, one));
    EXPECT_FALSE(passes(5 * subnormal, 3 * subnormal, one));
    EXPECT_TRUE(passes(-subnormal, 0, one));
  }
  // Measured from 0.1 itself the second would be 0.84 spacings off; from 0.1 rounded it is 1.
  const float rounded = 0.1F;
  EXPECT_TRUE(compare_reals("float32", {rounded}, "float64", {0.1}, ulps(zero)).passed());
  EXPECT_FALSE(compare_reals("float32", {std::nextafterf(rounded, 0)}, "float64", {0.1}, ulps(0.9))
                   .passed());
}

TEST(CompareFloats, CloseIsAtTheReferencesWidth) {
  const double zero = 0, small = 1e-9, enough = 1e-7;
  EXPECT_FALSE(compare_reals("float32", {0.1}, "float64", {0.1}, close_to(zero, small)).passed());
  EXPECT_TRUE(compare_reals("float32", {0.1}, "float64", {0.1}, close_to(zero, enough)).passed());
  EXPECT_TRUE(compare_reals("float64", {1.25}, "float64", {1}, close_to(0.25, zero)).passed());
  EXPECT_FALSE(compare_reals("float64", {1.25}, "float64", {1}, close_to(0.24, zero)).passed());
  EXPECT_TRUE(compare_reals("float64", {1.5}, "float64", {1}, close_to(0.25, 0.25)).passed());
  EXPECT_FALSE(compare_reals("float64", {1}, "float64", {0}, close_to(1000.0, zero)).passed());
}

TEST(CompareFloats, Float64ErrorsAndBoundsDoNotOverflowOrRoundToDoubles) {
  constexpr double kMax = std::numeric_limits<double>::max();
  const double one = 1, two = 2;
  if (std::numeric_limits<long double>::digits <= 53) GTEST_SKIP() << "long double is double";
  EXPECT_FALSE(compare_reals("float64", {-kMax}, "float64", {kMax}, close_to(one, one)).passed());
  EXPECT_TRUE(compare_reals("float64", {-kMax}, "float64", {kMax}, close_to(two, one)).passed());
  // In doubles 1 − 2^-54 rounds to 1, and would pass for a bound of 1 − 2^-53.
  const double bound = 1 - 0x1p-53, tail = 0x1p-55;
  EXPECT_FALSE(compare_reals("float64", {1}, "float64", {tail}, close_to(0.0, bound)).passed());
  EXPECT_FALSE(compare_reals("float64", {1}, "float64", {-0x1p-60}, close_to(0.0, one)).passed());
}

// 2^24 + 1 lies halfway between floats, so that it is even below; what is more goes up. By way of a
// double 2^53 + 1 would be halfway first, and then a tie.
TEST(CompareFloats, IntegersAreRoundedOnce) {
  const auto equal = [](std::string_view output, double x, int64_t e) {
    return compare(TypedArray::of<double>(output, {x}), TypedArray::of<int64_t>("int64", {e}))
        .passed();
  };
  constexpr int64_t kFloats = int64_t{1} << 24;
  EXPECT_TRUE(equal("float32", kFloats, kFloats + 1));
  EXPECT_FALSE(equal("float32", kFloats + 2, kFloats + 1));
  EXPECT_TRUE(equal("float32", kFloats + 4, kFloats + 3));
  constexpr int64_t kHalf = int64_t{1} << 37;  // half a spacing of floats at 2^61
  constexpr int64_t kAt = int64_t{1} << 61;
  EXPECT_TRUE(equal("float32", static_cast<double>(kAt), kAt + kHalf));
  EXPECT_TRUE(equal("float32", static_cast<double>(kAt + 2 * kHalf), kAt + kHalf + 1));
  EXPECT_FALSE(equal("float32", static_cast<double>(kAt), kAt + kHalf + 1));
  EXPECT_TRUE(equal("float32", static_cast<double>(-kAt - 2 * kHalf), -kAt - kHalf - 1));
  EXPECT_TRUE(equal("float64", 0x1p53, (int64_t{1} << 53) + 1));
  EXPECT_TRUE(equal("float64", 0x1p53 + 4, (int64_t{1} << 53) + 3));
  EXPECT_TRUE(equal("float16", 2048, 2049));
  EXPECT_TRUE(equal("float16", 2052, 2051));
  EXPECT_TRUE(equal("float16", 65504, 65519));
  EXPECT_TRUE(equal("float16", kInfinity, 65520));
  EXPECT_TRUE(equal("float16", -kInfinity, INT64_MIN));
  const auto greatest = TypedArray::of<uint64_t>("uint64", {UINT64_MAX});
  EXPECT_TRUE(compare(TypedArray::of<double>("float32", {0x1p64}), greatest).passed());
  EXPECT_TRUE(compare(TypedArray::of<double>("float64", {0x1p64}), greatest).passed());
  EXPECT_TRUE(
      compare(TypedArray::of<double>("float64", {-7}), TypedArray::of<int>("int8", {-7})).passed());
}

TEST(CompareFloats, IntegersHaveTheirOwnWidthUnderClose) {
  constexpr int64_t kPast = (int64_t{1} << 53) + 1;
  const auto x = TypedArray::of<double>("float64", {0x1p53});
  const auto e = TypedArray::of<int64_t>("int64", {kPast});
  const double less = 0.5, one = 1, zero = 0;
  const Comparison off = compare(x, e, close_to(zero, less));
  EXPECT_EQ(off.first.value().expected, "9007199254740993");
  EXPECT_EQ(off.first->error, "1");
  EXPECT_TRUE(compare(x, e, close_to(zero, one)).passed());
  EXPECT_TRUE(compare(x, e, ulps(zero)).passed()) << "rounded to a tie, which is even below";
}

// Finite bounds may add up to more than a double holds: that is no infinity.
TEST(CompareFloats, BoundsDoNotOverflow) {
  const double great = 1e308, huge = 1.7e308, zero = 0;
  for (const std::string_view dtype : {"float16", "float32", "float64"}) {
    SCOPED_TRACE(dtype);
    const auto passes = [&](double x, double e, const ComparisonRule& rule) {
      const Comparison got = compare_reals(dtype, {x}, "float64", {e}, rule);
      if (got.first) {
        EXPECT_NE(got.first->kind, MismatchKind::bound);
      }
      return got.passed();
    };
    EXPECT_TRUE(passes(1, 100, close_to(great, huge)));
    EXPECT_TRUE(passes(1, 100, close_to(huge, huge)));
    EXPECT_TRUE(passes(1, 100, ulps(great)));
    EXPECT_FALSE(passes(kInfinity, 100, close_to(great, huge)));
    EXPECT_FALSE(passes(std::nan(""), 100, close_to(great, huge)));
    EXPECT_TRUE(passes(0, 1, close_to(huge, zero)));
  }
  EXPECT_TRUE(
      compare_reals("float64", {-1.7e308}, "float64", {1.7e308}, close_to(2.0, zero)).passed());
  EXPECT_FALSE(
      compare_reals("float64", {-1.7e308}, "float64", {1.7e308}, close_to(1.5, zero)).passed());
  const double nan = std::nan("");
  for (const double* bad : {&kInfinity, &nan}) {
    const Comparison got = compare_reals("float32", {1}, "float32", {1}, close_to(*bad, huge));
    EXPECT_EQ(got.first.value().kind, MismatchKind::bound);
  }
}

TEST(CompareFloats, BoundsOfTheirOwnForEachElement) {
  const std::vector<double> atol = {0.5, 0.25, 0, 1};
  const ComparisonRule rule{.kind = ToleranceKind::close, .atol = atol};
  const Comparison got = compare_reals("float32", {0.5, 0.5, 0.5, 0.5}, "float32", {0.0}, rule);
  EXPECT_EQ(got.wrong, 2U);
  EXPECT_EQ(got.first.value().index, 1U);
  EXPECT_EQ(got.first->bound, "0.25");
  EXPECT_EQ(got.worst.value().index, 2U);
}

TEST(CompareFloats, EachBoundMustBeGoodWhereElementsAreEqual) {
  const std::vector<double> rtol = {0.5, 0.5, -0.5, 0.5}, others = {1, 1, 1, 1};
  const ComparisonRule rule{
      .kind = ToleranceKind::close, .ulp = others, .rtol = rtol, .atol = others};
  const std::vector<double> same = {1, 2, 3, 4};
  const Comparison got = compare_reals("float32", same, "float32", same, rule);
  EXPECT_EQ(got.wrong, 1U);
  EXPECT_EQ(got.first.value().index, 2U);
  EXPECT_EQ(got.first->kind, MismatchKind::bound);
}

TEST(CompareFloats, TheWorstExceedsItsBoundByTheGreatestFactor) {
  const double tenth = 0.125, zero = 0;
  const Comparison got = compare_reals("float32", {1, 3, 1500, kInfinity}, "float32",
                                       {1, 1, 1000, 1}, close_to(tenth, zero));
  EXPECT_EQ(got.wrong, 3U);
  EXPECT_EQ(got.first.value().index, 1U);
  EXPECT_EQ(got.worst.value().index, 1U);
  EXPECT_EQ(got.worst->error, "2");
  EXPECT_EQ(got.worst->bound, "0.125");
  // With no bound at all the greatest error is the worst, and the first of equal ones.
  EXPECT_EQ(compare_reals("float32", {2, 5, 5}, "float32", {1}).worst.value().index, 1U);
}

TEST(Compare, OneExpectedElementStandsForAll) {
  EXPECT_TRUE(compare_reals("float32", {2, 2, 2}, "float64", {2}).passed());
  const Comparison got = compare_reals("float32", {2, 2, 3}, "float64", {2});
  EXPECT_EQ(got.first.value().index, 2U);
  EXPECT_EQ(got.first->expected, "2");
  EXPECT_FALSE(compare_reals("int16", {7, 8}, "int32", {7}).passed());
}

// Bytes before and behind an array belong to others, and may look like what is looked for.
TEST(Compare, NothingBesideTheArraysIsLookedAt) {
  const TypedArray ones = TypedArray::of(kInt, std::vector<int>(2048, 1));
  std::vector<int> numbers(3072, 2);
  std::fill_n(numbers.begin(), 1024, 1);
  const TypedArray behind_ones = TypedArray::of(kInt, numbers);
  const auto part = [](const TypedArray& array, size_t from, size_t count) {
    TypedBytes view = array.view();
    view.bytes = view.bytes.subspan(4 * from, 4 * count);
    return view;
  };
  // The second half of the output has the values that lie before the reference.
  std::rotate(numbers.begin(), numbers.begin() + 1024, numbers.end() - 1024);
  const TypedArray output = TypedArray::of(kInt, numbers);
  EXPECT_EQ(compare(part(output, 0, 2048), part(behind_ones, 1024, 2048), {}, kPoison).wrong,
            1024U);
  // One element of the reference stands for all; the bytes behind it are not part of it.
  EXPECT_EQ(compare(part(behind_ones, 1020, 8), part(behind_ones, 1020, 1), {}, kPoison).wrong, 4U);
  // The last block is not full.
  EXPECT_TRUE(compare(part(behind_ones, 0, 1000), part(ones, 0, 1000), {}, kPoison).passed());
  EXPECT_EQ(compare(part(behind_ones, 0, 1024), part(ones, 0, 1), {}, kPoison).elements, 1024U);
  EXPECT_TRUE(compare(part(behind_ones, 0, 1024), part(ones, 0, 1), {}, kPoison).passed());
  EXPECT_TRUE(compare(part(behind_ones, 100, 920), part(ones, 0, 1), {}, kPoison).passed());
}

// Each block is looked through for the poison, one that holds nothing else, too.
TEST(Compare, WholeBlocksOfThePoisonAreDoubtful) {
  TypedArray x(kInt, 2500);
  for (size_t i = 0; i < x.count(); ++i) x.poison(i);
  const Comparison got = compare(x, x);
  EXPECT_TRUE(got.passed());
  EXPECT_EQ(got.doubtful, 2500U);
}

TEST(Compare, APoisonedElementUnderABadBoundBlamesTheBound) {
  const double bad = std::numeric_limits<double>::quiet_NaN();
  TypedArray x("float32", 1);
  x.poison(0);
  const Comparison got = compare(x, x, ulps(bad));
  EXPECT_EQ(got.first.value().kind, MismatchKind::bound);
  EXPECT_EQ(got.first->bound, "nan");
  EXPECT_EQ(got.unwritten, 0U);
}

TEST(Compare, RandomFloat16AgainstAStraightforwardOracle) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  TypedArray x("float16", 1), e("float16", 1);
  for (int trial = 0; trial < 100000; ++trial) {
    const auto e_bits = static_cast<uint16_t>(random());
    const auto x_bits = static_cast<uint16_t>(e_bits + static_cast<int>(random() % 7) - 3);
    std::memcpy(x.at(0), &x_bits, 2);
    std::memcpy(e.at(0), &e_bits, 2);
    const double a = to_float({x_bits}), b = to_float({e_bits});
    const double step = std::ldexp(1, std::max(b == 0 ? -14 : std::ilogb(b), -14) - 10);
    bool right = std::isnan(a) == std::isnan(b) && std::isinf(a) == std::isinf(b);
    if (right && std::isinf(a)) right = a == b;
    if (right && std::isfinite(a)) right = std::fabs(a - b) <= step;
    const double one = 1;
    ASSERT_EQ(compare(x.view(), e.view(), ulps(one), std::nullopt).passed(), right)
        << a << " for " << b;
  }
}

TEST(CompareFloats, UlpAndAtolAllowTheGreaterOfBoth) {
  const auto passes = [](double x, double e, double ulp, double atol) {
    const ComparisonRule rule{.kind = ToleranceKind::ulp, .ulp = {&ulp, 1}, .atol = {&atol, 1}};
    return compare_reals("float32", {x}, "float32", {e}, rule).passed();
  };
  constexpr double kUlp = 0x1p-23;
  EXPECT_TRUE(passes(1 + 2 * kUlp, 1, 2, 0));
  EXPECT_FALSE(passes(1 + 3 * kUlp, 1, 2, 0));
  EXPECT_TRUE(passes(1 + 3 * kUlp, 1, 2, 3 * kUlp));
  EXPECT_FALSE(passes(1 + 4 * kUlp, 1, 2, 3 * kUlp)) << "the greater, not the sum";
  EXPECT_TRUE(passes(0x1p-20, 0, 1, 0x1p-20));
  EXPECT_FALSE(passes(0x1p-20, 0, 1, 0x1p-21));
  EXPECT_TRUE(passes(1024 + 1024 * kUlp, 1024, 1, 0x1p-30)) << "an ulp there";
  EXPECT_FALSE(passes(1, 1, 2, -1)) << "a bad bound is wrong even behind a good one";
  EXPECT_FALSE(passes(1, 1, -1, 2));
  EXPECT_FALSE(passes(1, 1, 2, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(passes(1, 1, 2, std::numeric_limits<double>::infinity()));
}

TEST(CompareFloats, TheFirstFewWrongOnesAreListedInOrder) {
  std::vector<double> actual(3000, 1);
  for (const size_t index : {2U, 5U, 1023U, 1024U, 2000U, 2500U}) actual[index] = 2;
  actual[1024] = 5;
  const Comparison got = compare_reals("float32", actual, "float32", std::vector<double>(3000, 1));
  EXPECT_EQ(got.wrong, 6U);
  EXPECT_EQ(got.by_value, 6U);
  EXPECT_EQ(got.first.value().index, 2U);
  std::vector<size_t> next;
  for (const Mismatch& one : got.next) next.push_back(one.index);
  EXPECT_EQ(next, (std::vector<size_t>{5, 1023, 1024, 2000}));
  EXPECT_EQ(got.next[2].actual, "5");
  EXPECT_EQ(got.worst.value().index, 1024U);
}

TEST(CompareFloats, TellsTheDistanceInUlpOfTheRoundedReference) {
  const auto ulp = [](std::string_view output, double x, std::string_view reference, double e,
                      const ComparisonRule& rule = {}) {
    return compare_reals(output, {x}, reference, {e}, rule).first.value().ulp;
  };
  EXPECT_EQ(ulp("float32", 1 + 0x1p-22, "float32", 1), "2");
  EXPECT_EQ(ulp("float32", 1 - 0x1p-24, "float32", 1), "0.5");
  EXPECT_EQ(ulp("float16", 1.5, "float32", 1), "512");
  EXPECT_EQ(ulp("float64", 1 + 0x1p-52, "float64", 1), "1");
  EXPECT_EQ(ulp("float32", 0x1p-149, "float32", 0), "1");
  EXPECT_EQ(ulp("float32", 1 + 0x1p-23, "float64", 1 + 0x1p-30), "1") << "it rounds to 1";
  const double tiny = 1e-12;
  EXPECT_EQ(ulp("float32", 1 + 0x1p-23, "float64", 1, close_to(tiny, tiny)), "1");
  EXPECT_EQ(ulp("float32", std::numeric_limits<double>::quiet_NaN(), "float32", 1), "");
  EXPECT_EQ(ulp("float16", 1, "float64", 1e9, close_to(tiny, tiny)), "") << "beyond float16";
  EXPECT_EQ(compare_reals("int32", {2}, "int32", {1}).first.value().ulp, "");
}

// Several threads each compare a part; what they find must be that of one pass.
TEST(CompareLarge, FindsTheSameInAnyNumberOfParts) {
  constexpr size_t kCount = (size_t{3} << 20) + 11;
  TypedArray actual("float32", kCount), expected("float32", kCount);
  for (size_t i = 0; i < kCount; ++i) {
    actual.set(i, static_cast<float>(i % 1000));
    expected.set(i, static_cast<float>(i % 1000));
  }
  EXPECT_TRUE(compare(actual.view(), expected.view(), {}, {}).passed());
  const std::vector<size_t> wrong = {5,         1'048'575, 1'048'576, 2'000'000,
                                     2'000'001, 3'145'730, kCount - 1};
  for (const size_t index : wrong) actual.set(index, static_cast<float>(2000 + index % 7));
  actual.set(2'000'001, 9e9F);
  std::memset(actual.at(3'145'730), std::to_integer<int>(kPoison), sizeof(float));
  const Comparison found = compare(actual.view(), expected.view(), {}, kPoison);
  EXPECT_EQ(found.elements, kCount);
  EXPECT_EQ(found.wrong, wrong.size());
  EXPECT_EQ(found.unwritten, 1U);
  EXPECT_EQ(found.by_value, wrong.size() - 1);
  ASSERT_TRUE(found.first && found.worst);
  EXPECT_EQ(found.first->index, 5U);
  EXPECT_EQ(found.worst->index, 2'000'001U);
  ASSERT_EQ(found.next.size(), kMostListed - 1);
  for (size_t i = 0; i < found.next.size(); ++i) EXPECT_EQ(found.next[i].index, wrong[i + 1]);
}

}  // namespace
}  // namespace warpmark
