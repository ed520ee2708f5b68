// Floats of 16 and 8 bits that C++ does not have, to and from wider ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace warpmark {

/// A float as its bits: a sign, `kExponent` bits of exponent (bias 2^(kExponent − 1) − 1) and
/// `kFraction` bits of fraction. One without infinity has only one NaN of each sign, all bits set
/// (Micikevicius et al., "FP8 formats for deep learning", arXiv 2209.05433, table 1).
template <typename Bits, int kExponent, int kFraction, bool kHasInfinity>
struct NarrowFloat {
  Bits bits = 0;

  static constexpr int fraction_bits = kFraction;
  static constexpr int bias = (1 << (kExponent - 1)) - 1;
  static constexpr int least_exponent = 1 - bias;  ///< of normal numbers
  static constexpr uint32_t sign_bit = 1U << (kExponent + kFraction);
  static constexpr uint32_t magnitude_bits = sign_bit - 1;
  static constexpr uint32_t infinity_bits = ((1U << kExponent) - 1) << kFraction;
  static constexpr bool has_infinity = kHasInfinity;
};

using BFloat16 = NarrowFloat<uint16_t, 8, 7, true>;
using Float8E4M3 = NarrowFloat<uint8_t, 4, 3, false>;
using Float8E5M2 = NarrowFloat<uint8_t, 5, 2, true>;

/// Exact.
template <typename Bits, int kExponent, int kFraction, bool kHasInfinity>
float to_float(NarrowFloat<Bits, kExponent, kFraction, kHasInfinity> value) {
  using Narrow = NarrowFloat<Bits, kExponent, kFraction, kHasInfinity>;
  const uint32_t magnitude = value.bits & Narrow::magnitude_bits;
  const float sign = (value.bits & Narrow::sign_bit) != 0 ? -1.0F : 1.0F;
  const bool is_nan =
      kHasInfinity ? magnitude > Narrow::infinity_bits : magnitude == Narrow::magnitude_bits;
  if (is_nan) return std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
  if (kHasInfinity && magnitude == Narrow::infinity_bits) {
    return sign * std::numeric_limits<float>::infinity();
  }
  const auto exponent = static_cast<int>(magnitude >> kFraction);
  const auto fraction = static_cast<float>(magnitude & ((1U << kFraction) - 1));
  // Subnormals have the least exponent and no leading one.
  const float lead = exponent == 0 ? 0.0F : static_cast<float>(1U << kFraction);
  const int scale = (exponent == 0 ? 1 : exponent) - Narrow::bias - kFraction;
  return sign * std::ldexp(lead + fraction, scale);
}

/// Rounds once, to nearest, ties to even; beyond the range to infinity, or to NaN where there is
/// none. Takes a float as well, as that is exact in a double.
template <typename Narrow>
Narrow to_narrow(double value) {
  const uint32_t sign = std::signbit(value) ? Narrow::sign_bit : 0;
  const auto with = [sign](uint32_t magnitude) {
    Narrow narrow;
    narrow.bits = static_cast<decltype(narrow.bits)>(sign | magnitude);
    return narrow;
  };
  constexpr uint32_t kQuietBit = 1U << (Narrow::fraction_bits - 1);
  constexpr uint32_t kNanBits =
      Narrow::has_infinity ? Narrow::infinity_bits | kQuietBit : Narrow::magnitude_bits;
  constexpr uint32_t kBeyondBits = Narrow::has_infinity ? Narrow::infinity_bits : kNanBits;
  if (std::isnan(value)) return with(kNanBits);
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return with(kBeyondBits);
  if (magnitude == 0) return with(0);
  int exponent = 0;
  (void)std::frexp(magnitude, &exponent);
  --exponent;  // of a number in [1, 2)
  const int scale = std::max(exponent, Narrow::least_exponent) - Narrow::fraction_bits;
  // Exact but for the rounding itself: a double has more bits than the whole units.
  const double units = std::nearbyint(std::ldexp(magnitude, -scale));
  const int biased = scale + Narrow::fraction_bits + Narrow::bias - 1;
  // A carry moves on into the exponent, and subnormals have no leading one to take off.
  const double bits = units + std::ldexp(static_cast<double>(biased), Narrow::fraction_bits);
  const double most = Narrow::has_infinity ? Narrow::infinity_bits - 1 : Narrow::magnitude_bits - 1;
  return bits > most ? with(kBeyondBits) : with(static_cast<uint32_t>(bits));
}

}  // namespace warpmark
