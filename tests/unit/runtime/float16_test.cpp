#include "runtime/float16.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "unit/runtime/special_values.hpp"

namespace warpmark {
namespace {

/// The definition in IEEE 754 clause 3.4, by powers of two; of the bits of a finite float16.
double by_definition(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

bool is_finite(uint32_t bits) {
  return (bits & 0x7c00) != 0x7c00;
}

TEST(Float16, EveryValueIsItsDefinitionAndComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Float16 half{static_cast<uint16_t>(bits)};
    const float value = to_float(half);
    ASSERT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    if ((bits & 0x7fff) > 0x7c00) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_EQ(to_float16(value).bits, 0x7e00 | (bits & 0x8000)) << bits;
      continue;
    }
    const double expected =
        is_finite(bits) ? by_definition(half.bits) : (bits >= 0x8000 ? -kInfinity : kInfinity);
    ASSERT_EQ(value, expected) << bits;
    ASSERT_EQ(to_float16(value).bits, bits);
  }
}

// Rounding is monotonic, so that the halfway point of each two neighbours, and the doubles on
// either side of it, settle it everywhere.
TEST(Float16, EveryHalfwayPointGoesToTheEvenNeighbour) {
  for (uint16_t low = 0; low < 0x7c00; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const double above = high == 0x7c00 ? 65536.0 : by_definition(high);  // as if it went on
    const double halfway = (by_definition(low) + above) / 2;              // exact in a double
    const uint16_t even = low % 2 == 0 ? low : high;
    for (const int sign : {0, 0x8000}) {
      const double factor = sign == 0 ? 1 : -1;
      ASSERT_EQ(to_float16(factor * std::nextafter(halfway, 0.0)).bits, low | sign);
      ASSERT_EQ(to_float16(factor * halfway).bits, even | sign);
      ASSERT_EQ(to_float16(factor * std::nextafter(halfway, kInfinity)).bits, high | sign);
    }
  }
}

TEST(Float16, RandomDoublesGoToTheNearest) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<double> values;
  for (uint16_t bits = 0; bits < 0x7c00; ++bits) values.push_back(by_definition(bits));
  for (int trial = 0; trial < 200000; ++trial) {
    const double value = std::ldexp(std::uniform_real_distribution<>(1, 2)(random),
                                    std::uniform_int_distribution<>(-30, 14)(random));
    const auto above = std::lower_bound(values.begin(), values.end(), value);
    const double rounded = to_float(to_float16(value));
    if (above == values.end() || above == values.begin()) continue;
    ASSERT_EQ(std::fabs(rounded - value), std::min(*above - value, value - *(above - 1))) << value;
  }
}

TEST(Float16, ExtremesOfDouble) {
  EXPECT_EQ(to_float16(std::numeric_limits<double>::max()).bits, 0x7c00);
  EXPECT_EQ(to_float16(std::numeric_limits<double>::lowest()).bits, 0xfc00);
  EXPECT_EQ(to_float16(std::numeric_limits<double>::denorm_min()).bits, 0);
  EXPECT_EQ(to_float16(-std::numeric_limits<double>::denorm_min()).bits, 0x8000);
}

}  // namespace
}  // namespace warpmark
