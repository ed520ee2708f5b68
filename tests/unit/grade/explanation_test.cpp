// Explanations of wrong results for beginners: every sentence, word for word.
#include "grade/feedback/explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "unit/runtime/typed_array.hpp"

namespace warpmark {
namespace {

using Values = std::vector<double>;

// An output `out` of float32 judged as the harness does, exactly unless a tolerance is given.
class Judged {
 public:
  Judged(const Values& actual, const Values& expected, const std::string& dtype = "float32")
      : actual_(TypedArray::of(dtype, actual)), expected_(TypedArray::of(dtype, expected)) {
    shape_ = {static_cast<int64_t>(actual.size())};
    LaunchStep launch;
    launch.entry = "scale";
    launch.block = {int64_t{4}, int64_t{1}, int64_t{1}};
    plan_.steps.emplace_back(launch);
  }
  Judged& unwritten(const std::vector<size_t>& indices) {
    for (const size_t i : indices) actual_.poison(i);
    return *this;
  }
  Judged& shape(const std::vector<int64_t>& shape) {
    shape_ = shape;
    return *this;
  }
  Judged& input(const std::string& name, const Values& values) {
    inputs_.emplace_back(name, TypedArray::of("float32", values));
    return *this;
  }
  Judged& without_values() {
    with_values_ = false;
    return *this;
  }

  std::string explanation() const {
    OutputVerdict verdict{"out", std::string(actual_.dtype().name), shape_,
                          compare(actual_, expected_)};
    Outcome outcome;
    outcome.verdict = Verdict::failed;
    outcome.failure = verdict.comparison.unwritten == verdict.comparison.wrong
                          ? FailureKind::unwritten
                          : FailureKind::wrong;
    outcome.outputs.push_back(verdict);
    ExplainContext context;
    context.plan = &plan_;
    if (with_values_) context.outputs["out"] = {actual_.view(), expected_.view()};
    for (const auto& [name, array] : inputs_) context.inputs[name] = array.view();
    return explain(outcome, context);
  }

 private:
  TypedArray actual_, expected_;
  std::vector<int64_t> shape_;
  std::vector<std::pair<std::string, TypedArray>> inputs_;
  Plan plan_;
  bool with_values_ = true;
};

// Values without any order or pattern of their own, nonzero.
Values some(size_t count) {
  Values out(count);
  for (size_t i = 0; i < count; ++i) out[i] = 1.5 + static_cast<double>(i * 37 % 101);
  return out;
}

// Returns `right` with the elements for which `is_wrong` holds moved far away, each by another
// amount.
template <typename Predicate>
Values spoilt(Values right, Predicate is_wrong) {
  for (size_t i = 0; i < right.size(); ++i) {
    if (is_wrong(i)) right[i] = 1000.25 + static_cast<double>(i * i % 89);
  }
  return right;
}

TEST(Explanation, APassNeedsNone) {
  EXPECT_EQ(explain(Outcome{}, {}), "");
}

TEST(Explanation, OneWrongElementAmongMany) {
  EXPECT_EQ(Judged(spoilt(some(10), [](size_t i) { return i == 3; }), some(10)).explanation(),
            "`out[3]` is 1009.25, but 11.5 was expected. It is the only wrong element of 10.");
}

TEST(Explanation, OnlyTheLastElement) {
  EXPECT_EQ(
      Judged(spoilt(some(10), [](size_t i) { return i == 9; }), some(10)).explanation(),
      "`out[9]` is 1081.25, but 31.5 was expected. It is the only wrong element of 10. Only "
      "the last element is wrong: does the index stop one too early, as with `i < n - 1` instead "
      "of `i < n`?");
}

TEST(Explanation, OnlyTheFirstElement) {
  EXPECT_EQ(Judged(some(10), some(10)).unwritten({0}).explanation(),
            "`out[0]` got no value from the kernel; all other elements of `out` did. Only the "
            "first element "
            "is without a value: does the index start at 1, or is `i > 0` asked?");
}

TEST(Explanation, NothingWritten) {
  Values all(6);
  std::vector<size_t> indices(6);
  std::iota(indices.begin(), indices.end(), 0);
  EXPECT_EQ(
      Judged(some(6), some(6)).unwritten(indices).explanation(),
      "The kernel gave `out` no value. Results must be stored there, as in `out[…] = …`; what "
      "nothing has written before, as in shared memory, is no value either.");
}

TEST(Explanation, OnlyTheFirstBlockWritten) {
  EXPECT_EQ(Judged(some(10), some(10)).unwritten({4, 5, 6, 7, 8, 9}).explanation(),
            "6 of 10 elements of `out` got no value from the kernel; the first is `out[4]`. Only "
            "the first 4 "
            "elements are given a value, as many as one block has threads: does the index lack "
            "`blockIdx.x * blockDim.x`?");
}

TEST(Explanation, OnlyTheFirstBlockRight) {
  EXPECT_EQ(
      Judged(spoilt(some(10), [](size_t i) { return i >= 4; }), some(10)).explanation(),
      "`out[4]` is 1016.25, but 48.5 was expected. 6 of 10 elements are wrong, this is the first. "
      "Only the first 4 elements are right, as many as one block has threads: does the index "
      "lack `blockIdx.x * blockDim.x`?");
}

TEST(Explanation, TheTailIsMissing) {
  EXPECT_EQ(Judged(some(11), some(11)).unwritten({8, 9, 10}).explanation(),
            "3 of 11 elements of `out` got no value from the kernel; the first is `out[8]`. All "
            "full blocks "
            "of 4 elements are given a value, and the 3 that are left over at the end are not: "
            "elements of a block that is only partly used count, too.");
}

TEST(Explanation, AFixedSize) {
  EXPECT_EQ(
      Judged(some(11), some(11)).unwritten({5, 6, 7, 8, 9, 10}).explanation(),
      "6 of 11 elements of `out` got no value from the kernel; the first is `out[5]`. The first 5 "
      "elements are given a value, and all from index 5 on are not: is the number of elements or "
      "threads taken from the arguments, or is it a fixed one?");
}

TEST(Explanation, OnlyOneThreadWorks) {
  EXPECT_EQ(
      Judged(some(5), some(5)).unwritten({1, 2, 3, 4}).explanation(),
      "4 of 5 elements of `out` got no value from the kernel; the first is `out[1]`. Only the "
      "first "
      "element is given a value: does each thread use a different index, such as `blockIdx.x * "
      "blockDim.x + threadIdx.x`?");
}

TEST(Explanation, EverySecond) {
  EXPECT_EQ(Judged(spoilt(some(10), [](size_t i) { return i % 2 == 1; }), some(10)).explanation(),
            "`out[1]` is 1001.25, but 38.5 was expected. 5 of 10 elements are wrong, this is the "
            "first. Every second element is wrong: those with an odd index.");
}

TEST(Explanation, OnlyEveryFourth) {
  EXPECT_EQ(
      Judged(some(12), some(12)).unwritten({1, 2, 3, 5, 6, 7, 9, 10, 11}).explanation(),
      "9 of 12 elements of `out` got no value from the kernel; the first is `out[1]`. Only every "
      "4th "
      "element is given a value (index 0, 4, 8 …): is the index multiplied by something that it "
      "should not be?");
}

TEST(Explanation, AllZero) {
  EXPECT_EQ(Judged(Values(8), some(8)).explanation(),
            "`out[0]` is 0, but 1.5 was expected. All 8 elements are wrong. They are all 0: is the "
            "result computed, or is something left out that should add to it?");
}

TEST(Explanation, AllNan) {
  EXPECT_EQ(
      Judged(Values(8, std::nan("")), some(8)).explanation(),
      "`out[0]` is nan, but 1.5 was expected. All 8 elements are wrong. They are all NaN "
      "(not a number), which comes of something like 0/0, of the square root of a negative number, "
      "or of memory that was read before anything was written to it.");
}

TEST(Explanation, ACopyOfAnInput) {
  Values half = some(8);
  for (double& value : half) value /= 2;
  EXPECT_EQ(Judged(half, some(8)).input("src", half).explanation(),
            "`out[0]` is 0.75, but 1.5 was expected. All 8 elements are wrong. They are the same "
            "as in `src`: is anything computed?");
}

TEST(Explanation, UnchangedInPlace) {
  Values half = some(8);
  for (double& value : half) value /= 2;
  EXPECT_EQ(Judged(half, some(8)).input("out", half).explanation(),
            "`out[0]` is 0.75, but 1.5 was expected. All 8 elements are wrong. They are as they "
            "were before the launch: the kernel has not changed them.");
}

TEST(Explanation, ShiftedByOne) {
  Values next = some(9);
  std::rotate(next.begin(), next.begin() + 1, next.end());
  next.back() = 7777;
  EXPECT_EQ(Judged(next, some(9)).explanation(),
            "`out[0]` is 38.5, but 1.5 was expected. All 9 elements are wrong. The values are "
            "shifted by one place: each is what belongs to the next index.");
  Values before = some(9);
  std::rotate(before.begin(), before.end() - 1, before.end());
  before.front() = 7777;
  EXPECT_EQ(Judged(before, some(9)).explanation(),
            "`out[0]` is 7777, but 1.5 was expected. All 9 elements are wrong. The values are "
            "shifted by one place: each is what belongs to the index before.");
}

TEST(Explanation, InReverse) {
  Values reverse = some(8);
  std::reverse(reverse.begin(), reverse.end());
  EXPECT_EQ(Judged(reverse, some(8)).explanation(),
            "`out[0]` is 58.5, but 1.5 was expected. All 8 elements are wrong. The values are in "
            "reverse order.");
}

TEST(Explanation, RowsAndColumnsExchanged) {
  const Values right = some(9);
  Values turned(9);
  for (size_t i = 0; i < 9; ++i) turned[i] = right[i % 3 * 3 + i / 3];
  EXPECT_EQ(Judged(turned, right).shape({3, 3}).explanation(),
            "`out[0, 1]` is 11.5, but 38.5 was expected. 6 of 9 elements are wrong, this is the "
            "first. Rows and columns are exchanged: element [r, c] is what belongs to [c, r].");
}

TEST(Explanation, DigitsCutOff) {
  Values whole = some(8);
  for (double& value : whole) value = std::trunc(value);
  EXPECT_EQ(Judged(whole, some(8)).explanation(),
            "`out[0]` is 1, but 1.5 was expected. All 8 elements are wrong. The digits after the "
            "point are cut off: is an `int` used somewhere where a `float` is needed (in C++ 1 / 2 "
            "is 0)?");
}

TEST(Explanation, AFactorOrADifference) {
  const auto with = [](const auto& change) {
    Values values = some(8);
    for (double& value : values) value = change(value);
    const std::string text = Judged(values, some(8)).explanation();
    return text.substr(text.find("wrong. ") + 7);
  };
  EXPECT_EQ(with([](double x) { return 2 * x; }), "All are 2 times what they should be.");
  EXPECT_EQ(with([](double x) { return x / 2; }), "All are 1/2 of what they should be.");
  EXPECT_EQ(with([](double x) { return -x; }), "All have the wrong sign.");
  EXPECT_EQ(with([](double x) { return x + 1; }), "All are 1 too great.");
  EXPECT_EQ(with([](double) { return 5.0; }),
            "They all have the same value: does every thread compute its own element?");
}

TEST(Explanation, OneNumberOfMany) {
  const Values x = {3.25, 4.5, -1.125, 8.75, 2.5, -7.125};
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  const auto reduced = [&](double value) {
    const std::string text = Judged({value}, {sum}).input("x", x).explanation();
    return text.substr(text.find("expected.") + 9);
  };
  EXPECT_EQ(Judged({0}, {sum}).input("x", x).explanation(),
            "`out[0]` is 0, but 10.75 was expected. Was nothing added to it?");
  EXPECT_EQ(reduced(3.25), " It is the same as the first element of `x`.");
  EXPECT_EQ(reduced(-7.125),
            " It is the same as the last element of `x`: is the result overwritten where something "
            "should be added to it?");
  EXPECT_EQ(reduced(x[0] + x[1] + x[2] + x[3]),
            " It is the sum of the first 4 elements of `x` only, as many as one block has "
            "threads: what becomes of the others?");
  EXPECT_EQ(reduced(sum + 7.125), " The last element of `x` is missing in it.");
  EXPECT_EQ(reduced(2 * sum),
            " It is twice what it should be: is something counted "
            "twice?");
  EXPECT_EQ(reduced(123.5), "");
}

TEST(Explanation, WithoutTheArraysThereIsNoPattern) {
  EXPECT_EQ(Judged(Values(8), some(8)).without_values().explanation(),
            "`out[0]` is 0, but 1.5 was expected. All 8 elements are wrong.");
}

TEST(Explanation, SomeWrongSomeNeverWritten) {
  EXPECT_EQ(Judged(spoilt(some(7), [](size_t i) { return i == 1; }), some(7))
                .unwritten({4})
                .explanation(),
            "`out[1]` is 1001.25, but 38.5 was expected. 2 of 7 elements are wrong, this is the "
            "first. 1 of them got no value.");
}

TEST(Explanation, IntegersAndBooleans) {
  EXPECT_EQ(Judged({1, 2, 4}, {1, 2, 3}, "int32").explanation(),
            "`out[2]` is 4, but 3 was expected. It is the only wrong element of 3. Only the last "
            "element is wrong: does the index stop one too early, as with `i < n - 1` instead "
            "of `i < n`?");
  EXPECT_EQ(Judged({1, 0, 1, 0}, {1, 1, 1, 0}, "bool").explanation(),
            "`out[1]` is False, but True was expected. It is the only wrong element of 4.");
}

Outcome failed(FailureKind kind, const std::string& reason) {
  Outcome outcome;
  outcome.verdict = Verdict::failed;
  outcome.failure = kind;
  outcome.reason = reason;
  return outcome;
}

TEST(Explanation, AChangedInput) {
  EXPECT_EQ(
      explain(failed(FailureKind::input_changed,
                     "the kernel changed its input `a`: a[3] was 1 and is 2"),
              {}),
      "The kernel changed its input `a`: a[3] was 1 and is 2. This array is only for reading: "
      "write results to the output, and declare the input as `const`, so that the compiler "
      "finds such a write.");
}

TEST(Explanation, WhatIsNotTheStudentsFault) {
  EXPECT_EQ(
      explain(failed(FailureKind::reference, "the reference of `out` raises ValueError"), {}),
      "The grader could not prepare this case: the reference of `out` raises ValueError. That "
      "is no mistake of yours; please tell your teacher.");
  Outcome skipped;
  skipped.verdict = Verdict::skipped;
  skipped.reason = "needs 2 GiB and there is 1 GiB";
  EXPECT_EQ(explain(skipped, {}), "This case was not run: needs 2 GiB and there is 1 GiB.");
}

// Random arrays may have any pattern, but nothing that is said may be about no element.
TEST(Explanation, RandomArraysNeverBreakIt) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const std::vector<std::string> dtypes = {"float16", "float32", "float64", "int32",
                                           "uint8",   "int64",   "bool"};
  for (int round = 0; round < 2000; ++round) {
    const size_t count = 1 + random() % 40;
    const std::string& dtype = dtypes[random() % dtypes.size()];
    const double range = dtype == "bool" ? 2 : 7;
    Values expected(count);
    for (double& value : expected) value = static_cast<double>(random() % 100) / 100 * range;
    Values actual = expected;
    for (double& value : actual) {
      if (random() % 3 == 0) value = static_cast<double>(random() % 7);
      if (dtype.starts_with("float") && random() % 20 == 0) {
        value = random() % 2 == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
      }
    }
    if (compare(TypedArray::of(dtype, actual), TypedArray::of(dtype, expected)).passed()) continue;
    const std::string text =
        Judged(actual, expected, dtype).input("x", expected).input("out", actual).explanation();
    EXPECT_THAT(text, testing::StartsWith("`out["));
  }
}

TEST(Explanation, NeverNamesATolerance) {
  OutputVerdict verdict{
      "out", "float32", {2}, compare_reals("float32", {1 + 0x1p-22, 2}, "float32", {1, 2})};
  verdict.sufficient = "{ulp: 2}";
  Outcome outcome;
  outcome.verdict = Verdict::failed;
  outcome.failure = FailureKind::wrong;
  outcome.outputs = {verdict};
  EXPECT_EQ(explain(outcome, {}).find("ulp"), std::string::npos);
}

TEST(Explanation, OfACheckIsItsReason) {
  Outcome outcome;
  outcome.verdict = Verdict::failed;
  outcome.failure = FailureKind::check;
  outcome.reason = "`a` is not sorted: a[1] = 2.0 comes before a[2] = 1.0";
  EXPECT_EQ(explain(outcome, {}), "The result is not as it must be: " + outcome.reason + ".");
}

}  // namespace
}  // namespace warpmark
