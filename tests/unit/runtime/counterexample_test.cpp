// Which elements of a trial break a claim, and how that reads.
#include "runtime/counterexample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace warpmark::counterexample_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Results = std::map<std::string, Array>;

template <typename T>
void add(Results& results, const std::string& name, const char* dtype,
         const std::vector<T>& values) {
  const DType type = find_dtype(dtype).value();
  const size_t bytes = values.size() * sizeof(T);
  Array array(type, {static_cast<int64_t>(bytes / type.bytes)});
  std::memcpy(array.bytes().data(), values.data(), bytes);
  results.emplace(name, array);
}

template <typename T>
std::string found(const char* dtype, const std::vector<T>& a, const std::vector<T>& left,
                  const std::vector<T>& right, const std::vector<T>& between = {}) {
  Results results;
  add(results, "a", dtype, a);
  add(results, "left", dtype, left);
  add(results, "right", dtype, right);
  Claim claim{"no law", "", "", {"L", "left"}, {"R", "right"}, {{"a", "a"}}, {}};
  if (!between.empty()) {
    add(results, "between", dtype, between);
    claim.between = {"between"};
  }
  return counterexample(claim, results).value_or("none");
}

std::string floats(float a, float left, float right) {
  return found<float>("float32", {a}, {left}, {right});
}

TEST(Counterexample, IsTheFirstElementThatDiffers) {
  EXPECT_EQ(found<int>("int32", {1, 2, 3}, {4, 5, 6}, {4, 5, 6}), "none");
  EXPECT_EQ(found<int>("int32", {1, 2, 3}, {4, 5, 7}, {4, -6, 6}), "L is 5, but R is -6 for a = 2");
}

TEST(Counterexample, OfIntegersIsAnyDifference) {
  const int64_t large = int64_t{1} << 60;
  EXPECT_EQ(found<int64_t>("int64", {large}, {large}, {large + 1}),
            "L is 1152921504606846976, but R is 1152921504606846977 for a = 1152921504606846976");
  EXPECT_EQ(found<uint8_t>("bool", {1}, {1}, {0}), "L is True, but R is False for a = True");
}

TEST(Counterexample, OfFloatsIsMoreThanRounding) {
  EXPECT_EQ(floats(1, 1, 1 + 1e-4F), "none");
  EXPECT_EQ(floats(1, 1, 1 + 1e-3F), "L is 1, but R is 1.001 for a = 1");
  EXPECT_EQ(floats(1000, 0, 1e-2F), "none");  // relative to what it was made of
  EXPECT_EQ(floats(1, 0, 1e-2F), "L is 0, but R is 0.01 for a = 1");
  EXPECT_EQ(floats(1, 0.0F, -0.0F), "none");
}

TEST(Counterexample, OfFloatsIsAnotherClass) {
  EXPECT_EQ(floats(kNan, kNan, kNan), "none");
  EXPECT_EQ(floats(kInf, kInf, kInf), "none");
  EXPECT_EQ(floats(kNan, kNan, 1), "L is nan, but R is 1 for a = nan");
  EXPECT_EQ(floats(kInf, kInf, -kInf), "L is inf, but R is -inf for a = inf");
  EXPECT_EQ(floats(1, kInf, 1), "L is inf, but R is 1 for a = 1");
}

TEST(Counterexample, IsNotWhatLeftTheRangeOnTheWay) {
  const auto between = [](float a, float left, float right, float on_the_way) {
    return found<float>("float32", {a}, {left}, {right}, {on_the_way});
  };
  EXPECT_EQ(between(1e30F, kInf, 1e30F, 1), "none");
  EXPECT_EQ(between(1e30F, 1, 2, kInf), "none");
  EXPECT_EQ(between(1, 1, 2, 3), "L is 1, but R is 2 for a = 1");
  EXPECT_NE(between(kInf, 1, kInf, kInf), "none");
  EXPECT_EQ(between(1, 0, 1e-2F, 1000), "none");  // nor what rounding on the way costs
}

TEST(Counterexample, OfAStructNamesItsFields) {
  struct Best {
    float value;
    int index;
  };
  const auto best = [](float value, int index) {
    return found<Best>("{value:float32,index:int32}", {{1, 2}}, {{1, 2}}, {{value, index}});
  };
  EXPECT_EQ(best(1, 2), "none");
  EXPECT_EQ(best(1.00001F, 2), "none");
  EXPECT_EQ(
      best(1, 3),
      "L is {value: 1, index: 2}, but R is {value: 1, index: 3} for a = {value: 1, index: 2}");
  EXPECT_NE(best(1.5F, 2), "none");
  const std::vector<int> left = {1, 2, 3, 4}, right = {1, 2, 3, 5};
  EXPECT_EQ(found<int>("{x:int32[2]}", left, left, right),
            "L is {x: [3, 4]}, but R is {x: [3, 5]} for a = {x: [3, 4]}");
  const std::vector<float> complex = {1, 2}, other = {1, 3};
  EXPECT_EQ(found<float>("complex64", complex, complex, other),
            "L is {real: 1, imag: 2}, but R is {real: 1, imag: 3} for a = {real: 1, imag: 2}");
}

TEST(Counterexample, NamesAnOperandOnce) {
  Results results;
  add<int>(results, "a", "int32", {3});
  add<int>(results, "left", "int32", {4});
  const Claim claim{"no law", "", "", {"a∘e", "left"}, {"a", "a"}, {{"a", "a"}}, {}};
  EXPECT_EQ(counterexample(claim, results), "a∘e is 4 for a = 3");
}

}  // namespace
}  // namespace warpmark::counterexample_test
