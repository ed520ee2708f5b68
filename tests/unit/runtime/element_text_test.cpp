#include "runtime/element_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>

#include "base/error.hpp"
#include "unit/runtime/special_values.hpp"
#include "unit/runtime/typed_array.hpp"

namespace warpmark {
namespace {

std::string text(std::string_view dtype, double value) {
  return element_text(TypedArray::of<double>(dtype, {value}).view(), 0);
}

TEST(ElementText, IsThePythonTextOfIntegersAndBools) {
  EXPECT_EQ(text("bool", 0), "False");
  EXPECT_EQ(text("bool", 1), "True");
  EXPECT_EQ(text("bool", 165), "165");
  EXPECT_EQ(text("int8", -128), "-128");
  EXPECT_EQ(text("uint8", 65), "65");  // a number, not a letter
  EXPECT_EQ(text("int16", -3), "-3");
  EXPECT_EQ(text("uint16", 65535), "65535");
  EXPECT_EQ(text("int32", -2147483648.0), "-2147483648");
  EXPECT_EQ(text("uint32", 4294967295.0), "4294967295");
  EXPECT_EQ(text("int64", -9223372036854775808.0), "-9223372036854775808");
  const auto greatest = TypedArray::of<uint64_t>("uint64", {UINT64_MAX});
  EXPECT_EQ(element_text(greatest.view(), 0), "18446744073709551615");
}

TEST(ElementText, IsTheShortestOfTheElementsOwnWidth) {
  for (const std::string_view dtype : {"float16", "float32", "float64"}) {
    EXPECT_EQ(text(dtype, 0.1), "0.1") << dtype;
    EXPECT_EQ(text(dtype, -0.5), "-0.5") << dtype;
    EXPECT_EQ(text(dtype, -0.0), "-0") << dtype;
    EXPECT_EQ(text(dtype, kInfinity), "inf") << dtype;
    EXPECT_EQ(text(dtype, -kInfinity), "-inf") << dtype;
    EXPECT_EQ(text(dtype, std::numeric_limits<double>::quiet_NaN()), "nan") << dtype;
    EXPECT_EQ(text(dtype, -std::numeric_limits<double>::quiet_NaN()), "nan") << dtype;
  }
  EXPECT_EQ(text("float16", 65504), "65500");
  EXPECT_EQ(text("float16", 0x1p-24), "6e-08");
  EXPECT_EQ(text("float32", 16777217.0), "16777216");
  EXPECT_EQ(text("float64", 1e300), "1e+300");
}

TEST(ElementText, EveryFloat16ReadsBack) {
  TypedArray array("float16", 1);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7fff) > 0x7c00) continue;
    std::memcpy(array.at(0), &bits, 2);
    const std::string written = element_text(array.view(), 0);
    ASSERT_EQ(to_float16(std::strtod(written.c_str(), nullptr)).bits, bits) << written;
    ASSERT_LE(written.size(), 11U) << written;
  }
}

TEST(ElementText, OfMagnitudesPastTheirUsualTypes) {
  EXPECT_EQ(decimal_text(0), "0");
  EXPECT_EQ(decimal_text((Unsigned128{1} << 64) + 5), "18446744073709551621");
  EXPECT_EQ(real_text(0.1L - 0.1L), "0");
  EXPECT_EQ(real_text(static_cast<long double>(0.1)), "0.1");
  if (std::numeric_limits<long double>::max_exponent > 1024) {
    EXPECT_EQ(real_text(0x1p1025L).substr(0, 5), "3.595");
    EXPECT_NE(real_text(0x1p-1080L), "0");
  }
}

TEST(ElementText, RefusesAnIndexPastTheEnd) {
  EXPECT_THROW(element_text(TypedArray("int32", 3).view(), 3), Error);
}

}  // namespace
}  // namespace warpmark
