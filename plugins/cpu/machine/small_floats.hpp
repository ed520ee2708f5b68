// binary16 and bfloat16: values, conversions in every rounding, and arithmetic rounded once.
// Compiled once for each WARPMARK_ISA, under the rules of numerics.hpp.
#pragma once

#include "machine/numerics.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

// NOLINTBEGIN(readability-identifier-naming): the ISA's names, beside f32 and u16
struct f16 {
  u16 pattern;
};
struct bf16 {
  u16 pattern;
};
struct f16x2 {
  u32 pattern;
};
struct bf16x2 {
  u32 pattern;
};
// NOLINTEND(readability-identifier-naming)

// The NaN by which copies of boxes fill what lies outside a tensor.
constexpr u16 kOutOfBounds = 0x7ff7;

enum class Round { nearest, zero, down, up };

/// How a real format of the machine is made up.
struct Source32 {
  using Bits = u32;
  static constexpr int fraction = 23, bias = 127, most = 0xff;
};
struct Source64 {
  using Bits = u64;
  static constexpr int fraction = 52, bias = 1023, most = 0x7ff;
};

// Rounds a binary32 or binary64 pattern to a format of `Fraction` stored bits and exponent bias
// `Bias` below it, subnormals included. A NaN becomes the canonical 0x7fff of the PTX ISA; from
// binary64 to binary16 it keeps its sign and the top of its payload, as on an H200.
template <typename S, int Fraction, int Bias, Round Mode>
WARPMARK_INLINE u16 round_pattern(typename S::Bits source) {
  using Bits = typename S::Bits;
  constexpr int width = sizeof(Bits) * 8;
  constexpr Bits infinity = Bits{2 * Bias + 1} << Fraction;
  const Bits sign = source >> (width - 1);
  const auto exponent = static_cast<int>(source >> S::fraction & S::most);
  const Bits stored = source & ((Bits{1} << S::fraction) - 1);
  const Bits significand = exponent != 0 ? stored | Bits{1} << S::fraction : stored;
  const int biased = (exponent != 0 ? exponent : 1) - S::bias + Bias;
  const int below = biased < 1 ? 1 - biased : 0;
  const int wanted = S::fraction - Fraction + below;
  // One more than the significand's width loses everything but the sticky bit.
  const int shift = wanted > S::fraction + 2 ? S::fraction + 2 : wanted;
  const Bits kept = significand >> shift;
  const Bits rest = significand & ((Bits{1} << shift) - 1);
  const Bits half = Bits{1} << (shift - 1);
  bool up = false;
  if constexpr (Mode == Round::nearest) up = rest > half || (rest == half && (kept & 1) != 0);
  if constexpr (Mode == Round::up) up = rest != 0 && sign == 0;
  if constexpr (Mode == Round::down) up = rest != 0 && sign != 0;
  const Bits base = static_cast<Bits>(biased < 1 ? 0 : biased - 1) << Fraction;
  const Bits magnitude = base + kept + (up ? 1 : 0);
  const bool away = Mode == Round::nearest || (Mode == Round::up && sign == 0) ||
                    (Mode == Round::down && sign != 0);
  const Bits bounded = magnitude < infinity ? magnitude : away ? infinity : infinity - 1;
  constexpr bool keeps = sizeof(Bits) == 8 && Fraction == 10;
  const Bits carried = sign << 15 | 0x7e00 | stored >> (S::fraction - Fraction);
  const Bits nan = keeps ? carried : 0x7fff;
  const Bits special = stored != 0 ? nan : infinity | sign << 15;
  const Bits finite = bounded | sign << 15;
  return static_cast<u16>(exponent == S::most ? special : finite);
}

template <Round Mode = Round::nearest>
WARPMARK_INLINE f16 to_f16(f32 a) {
  return {round_pattern<Source32, 10, 15, Mode>(bits(a))};
}
template <Round Mode = Round::nearest>
WARPMARK_INLINE f16 to_f16(f64 a) {
  return {round_pattern<Source64, 10, 15, Mode>(bits(a))};
}
template <Round Mode = Round::nearest>
WARPMARK_INLINE bf16 to_bf16(f32 a) {
  return {round_pattern<Source32, 7, 127, Mode>(bits(a))};
}
template <Round Mode = Round::nearest>
WARPMARK_INLINE bf16 to_bf16(f64 a) {
  return {round_pattern<Source64, 7, 127, Mode>(bits(a))};
}

// A 64-bit integer as binary64 rounded to odd: what is lost stays visible in the last bit, so that
// a second rounding to fewer bits is right in every mode.
WARPMARK_INLINE f64 odd_from(u64 magnitude) {
  const bool large = (magnitude >> 53) != 0;
  const u64 cut = (magnitude & ~u64{0x7ff}) | ((magnitude & 0x7ff) != 0 ? 0x800 : 0);
  return static_cast<f64>(large ? cut : magnitude);
}
template <typename T>
WARPMARK_INLINE f64 odd_integer(T a) {
  if constexpr (Limits<T>::is_signed) {
    const u64 magnitude = a < 0 ? u64{0} - static_cast<u64>(static_cast<s64>(a))
                                : static_cast<u64>(static_cast<s64>(a));
    const f64 value = odd_from(magnitude);
    return a < 0 ? -value : value;
  } else {
    return odd_from(a);
  }
}

WARPMARK_INLINE f32 widen(f16 a) {
  // The exponent moves by a multiplication, which is exact and normalises subnormals.
  const u32 magnitude = a.pattern & 0x7fffu, sign = (a.pattern & 0x8000u) << 16;
  const f32 scaled = real(magnitude << 13) * 0x1p112f;
  const u32 special = magnitude == 0x7c00 ? 0x7f800000 | sign : 0x7fffffff;
  return real(magnitude < 0x7c00 ? bits(scaled) | sign : special);
}
// To binary64 a NaN keeps its sign and payload and becomes quiet, as on an H200.
WARPMARK_INLINE f64 widen_twice(f16 a) {
  const u64 sign = static_cast<u64>(a.pattern >> 15) << 63;
  const u64 nan = sign | 0x7ff8000000000000 | static_cast<u64>(a.pattern & 0x3ff) << 42;
  return (a.pattern & 0x7fff) > 0x7c00 ? real(nan) : static_cast<f64>(widen(a));
}
WARPMARK_INLINE f32 widen(bf16 a) {
  return real(static_cast<u32>(a.pattern) << 16);
}
WARPMARK_INLINE f64 widen_twice(bf16 a) {
  return static_cast<f64>(widen(a));
}
WARPMARK_INLINE bool is_nan(f16 a) {
  return (a.pattern & 0x7fff) > 0x7c00;
}
WARPMARK_INLINE bool is_nan(bf16 a) {
  return (a.pattern & 0x7fff) > 0x7f80;
}
WARPMARK_INLINE f16 narrow(f32 a, f16) {
  return to_f16(a);
}
WARPMARK_INLINE bf16 narrow(f32 a, bf16) {
  return to_bf16(a);
}

// The sum a + b with what its rounding lost put into the last bit (Knuth's exact error of a sum).
template <typename R>
WARPMARK_INLINE R odd_sum(R a, R b) {
  const R sum = a + b;
  const R part = sum - a;
  const R error = (a - (sum - part)) + (b - part);
  const auto pattern = bits(sum);
  const bool inexact = error != 0 && !is_nan(error) && (pattern & 1) == 0;
  const bool grow = (error > 0) == (sum > 0);
  return real(inexact ? (grow ? pattern + 1 : pattern - 1) : pattern);
}

// One rounding: the product is exact in the wider format, the sum rounded to odd there. A binary16
// product needs 22 bits within binary32's range, a bfloat16 one exceeds that range.
WARPMARK_INLINE f16 fused(f16 a, f16 b, f16 c) {
  return to_f16(odd_sum(widen(a) * widen(b), widen(c)));
}
WARPMARK_INLINE bf16 fused(bf16 a, bf16 b, bf16 c) {
  return to_bf16(
      odd_sum(static_cast<f64>(widen(a)) * static_cast<f64>(widen(b)), static_cast<f64>(widen(c))));
}

// Sums, products and quotients of binary16 or bfloat16 rounded first to binary32 round as if once:
// binary32 has more than twice their bits and two more.
template <typename T>
WARPMARK_INLINE T add(T a, T b) {
  return narrow(widen(a) + widen(b), a);
}
template <typename T>
WARPMARK_INLINE T subtract(T a, T b) {
  return narrow(widen(a) - widen(b), a);
}
template <typename T>
WARPMARK_INLINE T multiply(T a, T b) {
  return narrow(widen(a) * widen(b), a);
}
// A result of .ftz: as flush_scaled has it; the bound lies half way from the number of 11 bits
// below 2^-14 to that, and an H200 was measured on both sides of it.
WARPMARK_INLINE f16 to_flushed_f16(f32 a) {
  const bool below = real(bits(a) & 0x7fffffff) < 0x1.ffep-15f;
  return {static_cast<u16>(below ? bits(a) >> 16 & 0x8000 : to_f16(a).pattern)};
}
WARPMARK_INLINE f16 flushed_product(f16 a, f16 b) {
  return to_flushed_f16(widen(a) * widen(b));
}
WARPMARK_INLINE f16 flushed_fused(f16 a, f16 b, f16 c) {
  return to_flushed_f16(odd_sum(widen(a) * widen(b), widen(c)));
}
template <typename T>
WARPMARK_INLINE T negate_small(T a) {
  return is_nan(a) ? T{0x7fff} : T{static_cast<u16>(a.pattern ^ 0x8000)};
}
template <typename T>
WARPMARK_INLINE T absolute_small(T a) {
  return is_nan(a) ? T{0x7fff} : T{static_cast<u16>(a.pattern & 0x7fff)};
}
template <typename T>
WARPMARK_INLINE T flush_small(T a, u16 exponent) {
  return T{static_cast<u16>((a.pattern & exponent) == 0 ? a.pattern & 0x8000 : a.pattern)};
}
WARPMARK_INLINE f16 flush(f16 a) {
  return flush_small(a, 0x7c00);
}
WARPMARK_INLINE bf16 flush(bf16 a) {
  return flush_small(a, 0x7f80);
}
template <typename T>
WARPMARK_INLINE T minimum_small(T a, T b) {
  return narrow(minimum(widen(a), widen(b)), a);
}
template <typename T>
WARPMARK_INLINE T maximum_small(T a, T b) {
  return narrow(maximum(widen(a), widen(b)), a);
}
template <typename T>
WARPMARK_INLINE T minimum_nan(T a, T b) {
  return is_nan(a) || is_nan(b) ? T{0x7fff} : minimum_small(a, b);
}
template <typename T>
WARPMARK_INLINE T maximum_nan(T a, T b) {
  return is_nan(a) || is_nan(b) ? T{0x7fff} : maximum_small(a, b);
}
template <typename T>
WARPMARK_INLINE T clamp_unit(T a) {  // .sat: NaN becomes +0
  return narrow(saturate(widen(a)), a);
}
template <typename T>
WARPMARK_INLINE T positive(T a) {  // .relu: negative becomes +0, NaN canonical
  return is_nan(a) ? T{0x7fff} : T{static_cast<u16>((a.pattern & 0x8000) != 0 ? 0 : a.pattern)};
}
// fma.oob: +0 where an operand lies outside a tensor. (The PTX ISA says "either of the operands".)
template <typename T>
WARPMARK_INLINE T zero_outside(T a, T b, T c, T result) {
  const bool outside =
      a.pattern == kOutOfBounds || b.pattern == kOutOfBounds || c.pattern == kOutOfBounds;
  return outside ? T{0} : result;
}
// The result of .xorsign.abs: a magnitude with the product of two signs; a NaN stays canonical.
WARPMARK_INLINE f32 with_xor_sign(f32 magnitude, f32 a, f32 b) {
  const u32 sign = (bits(a) ^ bits(b)) & 0x80000000;
  return is_nan(magnitude) ? magnitude : real(bits(magnitude) | sign);
}
template <typename T>
WARPMARK_INLINE f32 signed_unit(T a) {  // widening would make a NaN's sign canonical
  return (a.pattern & 0x8000) != 0 ? -1.0f : 1.0f;
}
// fma in a directed rounding. What cancels is -0 only downwards, unless both addends are +0.
template <Round Mode>
WARPMARK_INLINE bf16 fused_in(bf16 a, bf16 b, bf16 c) {
  const f64 product = static_cast<f64>(widen(a)) * static_cast<f64>(widen(b));
  const f64 addend = static_cast<f64>(widen(c));
  const f64 sum = odd_sum(product, addend);
  if constexpr (Mode == Round::down) {
    if (sum == 0 && (bits(product) | bits(addend)) != 0) return {0x8000};
  }
  return to_bf16<Mode>(sum);
}

// Two values in one register.
WARPMARK_INLINE f16 low(f16x2 a) {
  return {static_cast<u16>(a.pattern)};
}
WARPMARK_INLINE f16 high(f16x2 a) {
  return {static_cast<u16>(a.pattern >> 16)};
}
WARPMARK_INLINE bf16 low(bf16x2 a) {
  return {static_cast<u16>(a.pattern)};
}
WARPMARK_INLINE bf16 high(bf16x2 a) {
  return {static_cast<u16>(a.pattern >> 16)};
}
WARPMARK_INLINE f16x2 join(f16 first, f16 second) {
  return {first.pattern | static_cast<u32>(second.pattern) << 16};
}
WARPMARK_INLINE bf16x2 join(bf16 first, bf16 second) {
  return {first.pattern | static_cast<u32>(second.pattern) << 16};
}

}  // namespace warpmark::cpu::WARPMARK_ISA
