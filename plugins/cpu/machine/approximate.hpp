// The approximate instructions ex2, lg2, sin, cos and tanh, as polynomials of our own in binary64.
//
// Each computes with additions, multiplications and divisions of binary64 only, none contracted, so
// the result is the same on every machine; the one rounding to binary32 at the end dominates the
// error: 0.5 ulp, to six digits, of each. docs/cpu-numerics.md has the greatest errors seen, and
// what the PTX ISA allows; approximate_error.cpp in tests/device/machine looks for them among all
// operands, approximate_test.cpp there among a sample.
#pragma once

#include "machine/numerics.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

// Adding and subtracting 1.5 · 2^52 rounds to the nearest integer, which then stands in the sum's
// low bits.
constexpr f64 kIntegerMagic = 0x1.8p52;

// 2^x for |x| ≤ 1100: an integer part for the exponent, the Taylor polynomial of e^(f ln 2) for
// |f| ≤ 1/2, whose first dropped term is below 2^-57.
WARPMARK_INLINE f64 power_of_two(f64 x) {
  const f64 shifted = x + kIntegerMagic;
  const f64 t = (x - (shifted - kIntegerMagic)) * 0.693147180559945309417;
  f64 sum = 1.0 / 6227020800.0;
  sum = sum * t + 1.0 / 479001600.0;
  sum = sum * t + 1.0 / 39916800.0;
  sum = sum * t + 1.0 / 3628800.0;
  sum = sum * t + 1.0 / 362880.0;
  sum = sum * t + 1.0 / 40320.0;
  sum = sum * t + 1.0 / 5040.0;
  sum = sum * t + 1.0 / 720.0;
  sum = sum * t + 1.0 / 120.0;
  sum = sum * t + 1.0 / 24.0;
  sum = sum * t + 1.0 / 6.0;
  sum = sum * t + 0.5;
  sum = sum * t + 1.0;
  sum = sum * t + 1.0;
  // The low bits of `shifted` are the integer in two's complement: move it onto the exponent.
  return real(bits(sum) + (bits(shifted) << 52));
}

WARPMARK_INLINE f32 exp2_approx(f32 a) {
  const f64 x = static_cast<f64>(a);
  const f64 bounded = x > 200.0 ? 200.0 : x < -200.0 ? -200.0 : x;  // beyond: infinity or 0
  const f64 safe = x == x ? bounded : 0.0;
  return a == a ? static_cast<f32>(power_of_two(safe)) : real(u32{0x7fffffff});
}

// log2(m · 2^e) = e + 2/ln 2 · artanh((m − 1)/(m + 1)) for m within √½ and √2; the series' first
// dropped term is below 2^-55 relative.
WARPMARK_INLINE f32 log2_approx(f32 a) {
  const f64 x = static_cast<f64>(a);
  const u64 pattern = bits(x > 0.0 && x < 0x1p200 ? x : 1.0);
  const u64 offset = pattern - 0x3fe6a09e667f3bcd;  // √½
  const auto exponent = static_cast<s32>(static_cast<s64>(offset) >> 52);
  const f64 m = real(pattern - (offset & 0xfff0000000000000));
  const f64 s = (m - 1.0) / (m + 1.0), z = s * s;
  f64 sum = 1.0 / 21.0;
  sum = sum * z + 1.0 / 19.0;
  sum = sum * z + 1.0 / 17.0;
  sum = sum * z + 1.0 / 15.0;
  sum = sum * z + 1.0 / 13.0;
  sum = sum * z + 1.0 / 11.0;
  sum = sum * z + 1.0 / 9.0;
  sum = sum * z + 1.0 / 7.0;
  sum = sum * z + 1.0 / 5.0;
  sum = sum * z + 1.0 / 3.0;
  sum = sum * z + 1.0;
  const f64 result = static_cast<f64>(exponent) + s * sum * 2.88539008177792681472;
  const f32 infinity = real(u32{0x7f800000});
  const f32 ordinary = a < infinity ? static_cast<f32>(result) : infinity;
  const f32 positive = a == 0.0f ? -infinity : ordinary;
  return a >= 0.0f ? positive : real(u32{0x7fffffff});
}

// sin(x + quarters · π/2). π/2 is taken in three parts, the first two of 33 bits, so that their
// products with up to 2^20 quarters are exact: full accuracy to |x| = 10^6. Beyond that, where the
// ISA promises nothing, the result is some value within [-1, 1].
WARPMARK_INLINE f32 sine_approx(f32 a, s32 quarters) {
  const f64 x = static_cast<f64>(a);
  const f64 limited = x > 0x1p40 ? 0x1p40 : x < -0x1p40 ? -0x1p40 : x;
  const f64 safe = x == x ? limited : 0.0;
  const f64 shifted = safe * 0.636619772367581343076 + kIntegerMagic;
  const f64 count = shifted - kIntegerMagic;
  const f64 rest =
      ((safe - count * 0x1.921fb544p+0) - count * 0x1.0b4611a6p-34) - count * 0x1.3198a2e037073p-69;
  const f64 r = rest > 0.8 ? 0.8 : rest < -0.8 ? -0.8 : rest;
  const u32 quadrant = static_cast<u32>(bits(shifted)) + static_cast<u32>(quarters);
  const f64 z = r * r;
  f64 sine = 1.0 / 355687428096000.0;
  sine = sine * z - 1.0 / 1307674368000.0;
  sine = sine * z + 1.0 / 6227020800.0;
  sine = sine * z - 1.0 / 39916800.0;
  sine = sine * z + 1.0 / 362880.0;
  sine = sine * z - 1.0 / 5040.0;
  sine = sine * z + 1.0 / 120.0;
  sine = sine * z - 1.0 / 6.0;
  sine = r + r * z * sine;
  f64 cosine = 1.0 / 20922789888000.0;
  cosine = cosine * z - 1.0 / 87178291200.0;
  cosine = cosine * z + 1.0 / 479001600.0;
  cosine = cosine * z - 1.0 / 3628800.0;
  cosine = cosine * z + 1.0 / 40320.0;
  cosine = cosine * z - 1.0 / 720.0;
  cosine = cosine * z + 1.0 / 24.0;
  cosine = cosine * z - 0.5;
  cosine = cosine * z + 1.0;
  const f64 chosen = (quadrant & 1) != 0 ? cosine : sine;
  const f64 result = (quadrant & 2) != 0 ? -chosen : chosen;
  // The sine of ±0, and of a subnormal number with and without .ftz, is ±0 (measured on an H200).
  const bool tiny = (bits(a) & 0x7f800000) == 0 && quarters == 0;
  const f32 value = tiny ? real(bits(a) & 0x80000000) : static_cast<f32>(result);
  return a - a == 0.0f ? value : real(u32{0x7fffffff});
}

// (e^2x − 1)/(e^2x + 1), or below 1/16 the Taylor series, whose first dropped term is below 2^-46
// relative there.
WARPMARK_INLINE f32 tanh_approx(f32 a) {
  const f64 x = static_cast<f64>(a);
  const f64 limited = x > 20.0 ? 20.0 : x < -20.0 ? -20.0 : x;
  const f64 safe = x == x ? limited : 0.0;
  const f64 e = power_of_two(safe * 2.88539008177792681472);
  const f64 large = (e - 1.0) / (e + 1.0);
  const f64 z = safe * safe;
  f64 series = 62.0 / 2835.0;
  series = series * z - 17.0 / 315.0;
  series = series * z + 2.0 / 15.0;
  series = series * z - 1.0 / 3.0;
  const f64 small = safe + safe * z * series;
  const f32 value = static_cast<f32>(z < 0.00390625 ? small : large);
  return a != a ? real(u32{0x7fffffff}) : a == 0.0f ? a : value;
}

// Within 1.5 ulp: a quotient and a root, each correctly rounded.
WARPMARK_INLINE f64 reciprocal_square_root(f64 a) {
  return quiet(1.0 / __builtin_sqrt(a), a);
}
WARPMARK_INLINE f64 coarse_reciprocal_square_root(f64 a) {
  const f64 operand = coarse(a);
  return coarse_result(1.0 / __builtin_sqrt(operand), !(operand >= 0.0), u64{3} << 26);
}

}  // namespace warpmark::cpu::WARPMARK_ISA
