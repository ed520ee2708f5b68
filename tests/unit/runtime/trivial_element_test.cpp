// Elements that need no computing: casts, numbers in a dtype, and constants near to all elements.
#include "runtime/trivial_element.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unit/runtime/special_values.hpp"
#include "unit/runtime/typed_array.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;

DType dtype(std::string_view name) {
  return find_dtype(name).value();
}

// The elements as texts.
std::vector<std::string> texts(const DType& type, std::span<const std::byte> bytes) {
  const TypedBytes array{type, bytes};
  std::vector<std::string> all;
  for (size_t i = 0; i < array.count(); ++i) all.push_back(element_text(array, i));
  return all;
}

template <typename T>
std::vector<std::string> cast(std::string_view from, const std::vector<T>& values,
                              std::string_view to) {
  const TypedArray source = TypedArray::of(from, values);
  std::vector<std::byte> out(values.size() * dtype(to).bytes);
  cast_elements(source.view(), dtype(to), out.data());
  return texts(dtype(to), out);
}

std::vector<std::string> constants(std::string_view from, const std::vector<double>& values,
                                   std::string_view to) {
  const TypedArray source = TypedArray::of(from, values);
  std::vector<std::string> all;
  for (const auto& bytes : likely_constants(source.view(), dtype(to))) {
    all.push_back(texts(dtype(to), bytes).front());
  }
  return all;
}

TEST(CastElements, AsCppDoes) {
  EXPECT_THAT(cast<double>("float64", {0.1, -2.5, 1e300}, "float32"),
              ElementsAre("0.1", "-2.5", "inf"));
  EXPECT_THAT(cast<double>("float32", {1.0, 70000.0}, "float16"), ElementsAre("1", "inf"));
  EXPECT_THAT(cast<int>("int32", {-1, 300}, "uint8"), ElementsAre("255", "44"));
  EXPECT_THAT(cast<int64_t>("int64", {int64_t{1} << 40, -3}, "float64"),
              ElementsAre("1099511627776", "-3"));
  EXPECT_THAT(cast<int64_t>("int64", {(int64_t{1} << 61) + (int64_t{1} << 37) + 1}, "float32"),
              ElementsAre("2.3058433e+18"))
      << "rounded once";
  EXPECT_THAT(cast<int>("bool", {1, 0}, "float32"), ElementsAre("1", "0"));
  EXPECT_THAT(cast<double>("float32", {0.5, 0.0, -0.0}, "bool"),
              ElementsAre("True", "False", "False"));
}

TEST(CastElements, FloatsThatNoIntegerHolds) {
  EXPECT_THAT(cast<double>("float64", {kNan, kInfinity, -kInfinity, 1e30, -2.9}, "int32"),
              ElementsAre("0", "2147483647", "-2147483648", "2147483647", "-2"));
  EXPECT_THAT(cast<double>("float64", {-1.5, 0x1p63, 0x1p64}, "uint64"),
              ElementsAre("0", "9223372036854775808", "18446744073709551615"));
  EXPECT_THAT(cast<double>("float64", {0x1p63, -0x1p63}, "int64"),
              ElementsAre("9223372036854775807", "-9223372036854775808"));
}

TEST(ElementBytes, OfEveryDtype) {
  for (const DType& type : all_dtypes()) {
    if (!is_single_number(type)) continue;
    const bool is_bool = type.kind == DTypeKind::boolean;
    EXPECT_THAT(texts(type, element_bytes(type, 1)), ElementsAre(is_bool ? "True" : "1"));
    EXPECT_THAT(texts(type, element_bytes(type, 0)), ElementsAre(is_bool ? "False" : "0"));
  }
  EXPECT_THAT(texts(dtype("float16"), element_bytes(dtype("float16"), kNan)), ElementsAre("nan"));
}

TEST(LikelyConstants, TheFirstAndTheMiddles) {
  // Mean and harmonic mean of the least and the greatest: (1 + 4) / 2, 2 / (1 + 1/4).
  EXPECT_THAT(constants("float64", {2, 1, 4}, "float64"), ElementsAre("2", "2.5", "1.6"));
  EXPECT_THAT(constants("float64", {-2, -1, -4}, "float32"), ElementsAre("-2", "-2.5", "-1.6"));
  EXPECT_THAT(constants("float32", {0, -1, 3}, "float32"), ElementsAre("0", "1"));
  EXPECT_THAT(constants("float32", {7, 7, 7}, "float32"), ElementsAre("7"));
  EXPECT_THAT(constants("int32", {5, 1, 9}, "int32"), ElementsAre("5"));
  EXPECT_THAT(constants("int64", {-1}, "uint32"), ElementsAre("4294967295"));
  EXPECT_THAT(constants("int64", {2, 1, 4}, "float32"), ElementsAre("2", "2.5", "1.6"));
  EXPECT_THAT(constants("bool", {1, 0}, "bool"), ElementsAre("True"));
}

TEST(LikelyConstants, OfWhatIsNotFinite) {
  EXPECT_THAT(constants("float32", {}, "float32"), ElementsAre());
  EXPECT_THAT(constants("float32", {kNan, 1}, "float32"), ElementsAre());
  EXPECT_THAT(constants("float32", {kInfinity, kInfinity}, "float32"), ElementsAre("inf"));
  EXPECT_THAT(constants("float32", {1, kInfinity, 3, kNan}, "float32"),
              ElementsAre("1", "2", "1.5"));
  // The greatest doubles have a mean although their sum has not.
  EXPECT_THAT(constants("float64", {1.5e308, 1.7e308}, "float64"),
              ElementsAre("1.5e+308", "1.6e+308", testing::_));
}

}  // namespace
}  // namespace warpmark
