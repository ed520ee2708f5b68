// Elements that no launch wrote, found by two launches over two poisons.
#include <gtest/gtest.h>

#include <random>

#include "unit/runtime/typed_array.hpp"

namespace warpmark {
namespace {

constexpr std::byte kOther{0x5A};  // each bit the opposite of kPoison's

class Unwritten : public testing::TestWithParam<std::string_view> {
 protected:
  static TypedArray ones(size_t count) {
    return TypedArray::of<int>(GetParam(), std::vector<int>(count, 1));
  }
  static size_t width() { return find_dtype(GetParam())->bytes; }
  // The least number of bytes that a store writes.
  static size_t piece() { return width() > 2 ? 2 : 1; }

  static void fill(TypedArray& array, size_t index, size_t from, size_t bytes, std::byte poison) {
    std::memset(array.at(index) + from, static_cast<int>(poison), bytes);
  }

  static Comparison second(const TypedArray& first, const TypedArray& second,
                           const TypedArray& expected, const ComparisonRule& rule = {}) {
    return compare(second.view(), expected.view(), rule, kOther, {first.view().bytes, kPoison});
  }

  static bool is_float() { return find_dtype(GetParam())->kind == DTypeKind::floating; }
};

// So loose that every finite number is right.
const double kLoose = 1e300;
const ComparisonRule kAnything{.kind = ToleranceKind::close, .rtol = {&kLoose, 1}};

TEST_P(Unwritten, WhatIsPoisonInBothIsNeverRight) {
  const TypedArray expected = ones(2000);
  TypedArray one = ones(2000), two = ones(2000);
  for (const size_t index : {0, 1023, 1024, 1999}) {
    one.poison(index);
    fill(two, index, 0, width(), kOther);
  }
  for (const ComparisonRule& rule : {ComparisonRule{}, kAnything}) {
    const Comparison got = second(one, two, expected, rule);
    EXPECT_EQ(got.wrong, 4U);
    EXPECT_EQ(got.unwritten, 4U);
    EXPECT_EQ(got.in_part, 0U);
    EXPECT_EQ(got.first.value().index, 0U);
    EXPECT_EQ(got.first->kind, MismatchKind::unwritten);
    EXPECT_FALSE(got.worst);
  }
  if (!is_float()) return;
  // By itself each launch could have left such values.
  const Comparison first = compare(one, expected, kAnything);
  EXPECT_TRUE(first.passed());
  EXPECT_EQ(first.doubtful, 4U);
  EXPECT_EQ(second(one, two, expected, kAnything).first->error, "") << "near enough, yet unwritten";
}

TEST_P(Unwritten, WhatIsPoisonInOneWasWritten) {
  if (GetParam() == "bool") return;  // neither poison is one
  for (const std::byte value : {kPoison, kOther}) {
    TypedArray expected = ones(3);
    fill(expected, 1, 0, width(), value);
    const Comparison got = second(expected, expected, expected);
    EXPECT_TRUE(got.passed());
    EXPECT_EQ(got.doubtful, 0U) << "two launches have decided";
  }
}

TEST_P(Unwritten, AllPiecesCount) {
  for (size_t from = 0; from < width(); from += piece()) {
    const TypedArray expected = ones(2);
    TypedArray one = ones(2), two = ones(2);
    fill(one, 1, from, piece(), kPoison);
    fill(two, 1, from, piece(), kOther);
    const Comparison got = second(one, two, expected, kAnything);
    EXPECT_EQ(got.unwritten, 1U) << from;
    EXPECT_EQ(got.in_part, width() == piece() ? 0U : 1U);
    EXPECT_EQ(second(one, two, two, kAnything).unwritten, 1U) << "equal to the reference by chance";
    // The other poison in the first launch, or none in one of the two, is what the kernel stored.
    EXPECT_EQ(second(two, two, expected, kAnything).unwritten, 0U);
    EXPECT_EQ(second(one, expected, expected, kAnything).unwritten, 0U);
    EXPECT_EQ(second(expected, two, expected, kAnything).unwritten, 0U);
  }
}

TEST_P(Unwritten, PiecesOfTwoPlacesAreTwoPieces) {
  if (width() == piece()) return;
  TypedArray one = ones(1), two = ones(1);
  fill(one, 0, 0, piece(), kPoison);
  fill(two, 0, piece(), piece(), kOther);
  EXPECT_EQ(second(one, two, ones(1), kAnything).unwritten, 0U);
}

TEST_P(Unwritten, LessThanAPieceIsNoPiece) {
  if (piece() == 1) return;
  TypedArray one = ones(1), two = ones(1);
  fill(one, 0, 0, 1, kPoison);
  fill(two, 0, 0, 1, kOther);
  EXPECT_EQ(second(one, two, ones(1), kAnything).unwritten, 0U);
}

TEST_P(Unwritten, AnEarlierLaunchMustBeOfThisOutput) {
  const TypedArray two = ones(2), one = ones(1);
  EXPECT_THROW(compare(two.view(), two.view(), {}, kOther, {one.view().bytes, kPoison}), Error);
  EXPECT_THROW(compare(two.view(), two.view(), {}, std::nullopt, {two.view().bytes, kPoison}),
               Error);
  const TypedArray none = ones(0);
  EXPECT_TRUE(compare(none.view(), none.view(), {}, kOther, {none.view().bytes, kPoison}).passed());
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> names;
  for (const DType& type : all_dtypes()) {
    if (is_single_number(type)) names.push_back(type.name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(EveryDType, Unwritten, testing::ValuesIn(names()),
                         [](const auto& test) { return std::string(test.param); });

// 0x3f80a5a5 is 1.005 and 0x3f805a5a is 1.003: who stores only the upper half of 1 leaves them.
TEST(UnwrittenInPart, IsADoubtWhereAnyRestWouldBeRight) {
  TypedArray x("float32", 1), e = TypedArray::of<double>("float32", {1});
  const auto doubtful = [&](uint32_t bits, double atol) {
    std::memcpy(x.at(0), &bits, sizeof bits);
    const Comparison got = compare(x, e, {.kind = ToleranceKind::close, .atol = {&atol, 1}});
    EXPECT_TRUE(got.passed());
    return got.doubtful == 1;
  };
  EXPECT_TRUE(doubtful(0x3f80a5a5, 0.0060));
  EXPECT_FALSE(doubtful(0x3f80a5a4, 0.0060)) << "no piece of it is the poison";
  EXPECT_FALSE(doubtful(0x3f80a4a5, 0.0060));
  EXPECT_FALSE(doubtful(0x3f805a5a, 0.0060)) << "that is the other poison";
  const uint32_t bits = 0x3f80a5a5;
  std::memcpy(x.at(0), &bits, sizeof bits);
  const double near = 0.0060;
  const Comparison unpoisoned =
      compare(x.view(), e.view(), {.kind = ToleranceKind::close, .atol = {&near, 1}}, std::nullopt);
  EXPECT_TRUE(unpoisoned.passed());
  EXPECT_EQ(unpoisoned.doubtful, 0U) << "nothing was there before";
  // Right by chance: over another poison it would be 1.0028, and a second launch would be right
  // only for what was written.
  e = TypedArray::of<double>("float32", {1.00505});
  EXPECT_FALSE(doubtful(0x3f80a5a5, 0.0010));
  EXPECT_FALSE(doubtful(0x3f800000, 0.0060));
}

TEST_P(Unwritten, WithoutAReferenceOnlyTheTwoPoisonsCount) {
  TypedArray one = ones(2000), two = ones(2000);
  EXPECT_EQ(compare_written(one.view(), kPoison).doubtful, 0U);
  for (const size_t index : {3, 1999}) {
    one.poison(index);
    fill(two, index, 0, width(), kOther);
  }
  one.poison(5);  // a kernel that writes it by chance
  const Comparison first = compare_written(one.view(), kPoison);
  EXPECT_TRUE(first.passed());
  EXPECT_EQ(first.doubtful, 3U);
  const Comparison got = compare_written(two.view(), kOther, {one.view().bytes, kPoison});
  EXPECT_EQ(got.elements, 2000U);
  EXPECT_EQ(got.wrong, 2U);
  EXPECT_EQ(got.unwritten, 2U);
  EXPECT_EQ(got.first.value().index, 3U);
  EXPECT_EQ(got.first->expected, "");
  ASSERT_EQ(got.next.size(), 1U);
  EXPECT_EQ(got.next[0].index, 1999U);
  EXPECT_EQ(got.next[0].expected, "");
  EXPECT_THROW(compare_written(two.view(), kOther, {one.view().bytes.first(width()), kPoison}),
               Error);
}

TEST_P(Unwritten, WithoutAReferenceAPartCountsToo) {
  if (width() == piece()) return;
  TypedArray one = ones(4), two = ones(4);
  fill(one, 2, 0, piece(), kPoison);
  fill(two, 2, 0, piece(), kOther);
  EXPECT_EQ(compare_written(one.view(), kPoison).doubtful, 1U);
  const Comparison got = compare_written(two.view(), kOther, {one.view().bytes, kPoison});
  EXPECT_EQ(got.unwritten, 1U);
  EXPECT_EQ(got.in_part, 1U);
}

}  // namespace
}  // namespace warpmark
