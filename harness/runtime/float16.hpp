// IEEE 754 binary16 to and from the wider formats, without help from the processor.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace warpmark {

/// One float16 as its bits: 1 sign, 5 exponent (bias 15), 10 fraction.
struct Float16 {
  uint16_t bits = 0;
};

/// Exact: every float16 is a float.
inline float to_float(Float16 half) {
  const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000U) << 16;
  const uint32_t magnitude = half.bits & 0x7fffU;
  if (magnitude >= 0x7c00U) {  // infinity, or NaN with its payload
    return std::bit_cast<float>(sign | 0x7f800000U | (magnitude << 13));
  }
  // Read as a float the same exponent is too small by the difference of the biases, 127 − 15; a
  // product by a power of two mends that exactly, for subnormals too.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | sign);
}

/// Rounds once, to nearest, ties to even: from 65520 on to infinity, below 2^-25 and at it to zero;
/// a NaN becomes a quiet NaN of the same sign. Takes a float as well, as that is exact in a double.
inline Float16 to_float16(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 48) & 0x8000U);
  const double magnitude = std::fabs(value);
  uint64_t rounded = 0;
  if (std::isnan(value)) {
    rounded = 0x7e00;
  } else if (magnitude >= 65520.0) {  // halfway from the greatest finite value to 2^16
    rounded = 0x7c00;
  } else if (magnitude < 0x1p-14) {
    // Subnormals count units of 2^-24. A double at 2^52 has a spacing of 1, so that adding it
    // rounds to a whole number of them; 1024 units are the smallest normal value's bits.
    rounded = static_cast<uint64_t>((magnitude * 0x1p24 + 0x1p52) - 0x1p52);
  } else {
    // 42 of the double's 52 fraction bits go; a carry moves on into the exponent, as it should.
    const uint64_t all = std::bit_cast<uint64_t>(magnitude);
    const uint64_t nearest = all + ((uint64_t{1} << 41) - 1) + ((all >> 42) & 1U);
    rounded = (nearest >> 42) - (uint64_t{1023 - 15} << 10);
  }
  return {static_cast<uint16_t>(sign | rounded)};
}

}  // namespace warpmark
