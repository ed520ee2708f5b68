// The arithmetic that opcodes.def names, exact and the same on every machine.
//
// Compiled once for each instruction-set level (WARPMARK_ISA names the namespace), so nothing here
// may be shared between translation units: no std:: functions, everything inline in the namespace.
// Compiled without contraction; no call reaches libm, whose results differ between processors.
#pragma once

#include "machine/soft_fma.hpp"
#include "memory/levels.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

WARPMARK_INLINE u32 bits(f32 a) {
  return __builtin_bit_cast(u32, a);
}
WARPMARK_INLINE u64 bits(f64 a) {
  return __builtin_bit_cast(u64, a);
}
WARPMARK_INLINE f32 real(u32 a) {
  return __builtin_bit_cast(f32, a);
}
WARPMARK_INLINE f64 real(u64 a) {
  return __builtin_bit_cast(f64, a);
}

// --- NaNs ---

template <typename R>
WARPMARK_INLINE bool is_nan(R a) {
  return a != a;  // NOLINT(misc-redundant-expression): that is what a NaN is
}

// Binary32 results are the canonical NaN 0x7fffffff, as the PTX ISA says. For binary64 the ISA is
// silent; an H200 hands on the payload of an operand, made quiet, and which one was measured there:
// the second of two, and of fma's three the second, else the third, else the first. Callers give
// the operands in that order. An invalid operation gives 0xfff8000000000000.
template <typename... Sources>
WARPMARK_INLINE f32 quiet(f32 result, Sources...) {
  return result == result ? result : real(u32{0x7fffffff});
}
WARPMARK_INLINE f64 quiet_payload(f64 a, f64 otherwise) {
  return a != a ? real(bits(a) | u64{1} << 51) : otherwise;
}
constexpr u64 default_nan = 0xfff8000000000000;
WARPMARK_INLINE f64 quiet(f64 result, f64 a) {
  return result == result ? result : quiet_payload(a, real(u64{default_nan}));
}
WARPMARK_INLINE f64 quiet(f64 result, f64 a, f64 b) {
  return result == result ? result : quiet_payload(b, quiet_payload(a, real(u64{default_nan})));
}
WARPMARK_INLINE f64 quiet(f64 result, f64 a, f64 b, f64 c) {
  const f64 nan = quiet_payload(b, quiet_payload(c, quiet_payload(a, real(u64{default_nan}))));
  return result == result ? result : nan;
}

WARPMARK_INLINE f32 flush(f32 a) {
  const u32 pattern = bits(a);
  return real((pattern & 0x7f800000) == 0 ? pattern & 0x80000000 : pattern);
}
// NaNs: canonical for binary32; for binary64 made quiet, with their sign (both as on an H200).
WARPMARK_INLINE f32 absolute(f32 a) {
  return quiet(real(bits(a) & 0x7fffffff));
}
WARPMARK_INLINE f64 absolute(f64 a) {
  return quiet_payload(a, real(bits(a) & 0x7fffffffffffffff));
}
WARPMARK_INLINE f32 negated(f32 a) {
  return quiet(real(bits(a) ^ 0x80000000));
}
WARPMARK_INLINE f64 negated(f64 a) {
  return quiet_payload(a, real(bits(a) ^ 0x8000000000000000));
}
WARPMARK_INLINE f32 with_sign_of(f32 a, f32 sign) {
  return real((bits(a) & 0x7fffffff) | (bits(sign) & 0x80000000));
}
WARPMARK_INLINE f64 with_sign_of(f64 a, f64 sign) {
  return real((bits(a) & 0x7fffffffffffffff) | (bits(sign) & 0x8000000000000000));
}

// A number wins over a NaN; −0 is less than +0.
template <typename T>
WARPMARK_INLINE T minimum(T a, T b) {
  const T ordered = a < b ? a : b < a ? b : real(bits(a) | bits(b));
  const T result = is_nan(a) ? b : is_nan(b) ? a : ordered;
  return quiet(result, result);
}
template <typename T>
WARPMARK_INLINE T maximum(T a, T b) {
  const T ordered = a > b ? a : b > a ? b : real(bits(a) & bits(b));
  const T result = is_nan(a) ? b : is_nan(b) ? a : ordered;
  return quiet(result, result);
}
WARPMARK_INLINE f32 saturate(f32 a) {  // NaN and −0 become +0
  return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f;
}

// .ftz of a result: 0 if it is below the least normal number after rounding to 24 bits as if
// exponents had no end. `scaled` is the same result times 2^24, in the same rounding. What rounds
// up to the least normal number only because subnormals have fewer bits is so 0. An H200 was
// measured to do this in binary16 and in division; ptxas does it to constants of binary32.
WARPMARK_INLINE f32 flush_scaled(f32 result, f32 scaled) {
  const bool below = real(bits(scaled) & 0x7fffffff) < 0x1p-102f;
  return real(below ? bits(result) & 0x80000000 : bits(result));
}
// a × b with .ftz, of flushed operands. Where 2^24 · a overflows the product is not small.
WARPMARK_INLINE f32 flushed_product(f32 a, f32 b) {
  return flush_scaled(quiet(a * b), a * 0x1p24f * b);
}
// a / b likewise: no quotient lies between 1 − 2^-24 and 1 least normal number, so that only exact
// values matter. The product is exact where the quotient is about that small.
WARPMARK_INLINE f32 flushed_quotient(f32 a, f32 b) {
  const f32 result = quiet(a / b);
  const bool below = real(bits(a) & 0x7fffffff) * 0x1p126f < real(bits(b) & 0x7fffffff);
  return real(below ? bits(result) & 0x80000000 : bits(result));
}

WARPMARK_INLINE f32 square_root(f32 a) {
  return __builtin_sqrtf(a);
}
WARPMARK_INLINE f64 square_root(f64 a) {
  return __builtin_sqrt(a);
}
WARPMARK_INLINE f32 round_nearest(f32 a) {
  return __builtin_rintf(a);
}
WARPMARK_INLINE f64 round_nearest(f64 a) {
  return __builtin_rint(a);
}
WARPMARK_INLINE f32 round_zero(f32 a) {
  return __builtin_truncf(a);
}
WARPMARK_INLINE f64 round_zero(f64 a) {
  return __builtin_trunc(a);
}
WARPMARK_INLINE f32 round_down(f32 a) {
  return __builtin_floorf(a);
}
WARPMARK_INLINE f64 round_down(f64 a) {
  return __builtin_floor(a);
}
WARPMARK_INLINE f32 round_up(f32 a) {
  return __builtin_ceilf(a);
}
WARPMARK_INLINE f64 round_up(f64 a) {
  return __builtin_ceil(a);
}

#ifdef __FMA__
WARPMARK_INLINE f32 fused_multiply_add(f32 a, f32 b, f32 c) {
  return __builtin_fmaf(a, b, c);
}
WARPMARK_INLINE f64 fused_multiply_add(f64 a, f64 b, f64 c) {
  return __builtin_fma(a, b, c);
}
#else
WARPMARK_INLINE f32 fused_multiply_add(f32 a, f32 b, f32 c) {
  return soft_fma(a, b, c);
}
WARPMARK_INLINE f64 fused_multiply_add(f64 a, f64 b, f64 c) {
  return soft_fma(a, b, c);
}
#endif

WARPMARK_INLINE f32 flushed_fused(f32 a, f32 b, f32 c) {
  const f32 result = quiet(fused_multiply_add(a, b, c));
#ifndef __FMA__  // then it is slow
  if ((bits(result) & 0x7fffffff) != 0x00800000) return flush(result);
#endif
  return flush_scaled(result, fused_multiply_add(a * 0x1p24f, b, c * 0x1p24f));
}

// 1/√a, rounded from binary64: off by less than 2^-50 relative before the one rounding to binary32,
// where the ISA allows 2^-22.9.
WARPMARK_INLINE f32 reciprocal_square_root(f32 a) {
  const f32 result = static_cast<f32>(1.0 / __builtin_sqrt(static_cast<f64>(a)));
  return quiet(result);
}
// The operand of rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: its high word, where subnormals are
// 0.
WARPMARK_INLINE f64 coarse(f64 a) {
  const u64 high = bits(a) & 0xffffffff00000000;
  return real((high & 0x7ff0000000000000) == 0 ? high & 0x8000000000000000 : high);
}
// Their result: a high word, cut off after `above` (of 2^-32 of its unit) is added. An H200 has
// tables for these; 12000 random operands of each, recorded there, lie where the exact value is cut
// off with 0.04 to 0.11 (rcp) or 0.015 to 0.11 (rsqrt) of a unit above it. With the constants here
// 98.1 % (rcp) and 97.3 % of normal results are the same, the others one unit off. Every NaN is
// 0x7fffffff00000000, every subnormal result 0 (measured, too).
WARPMARK_INLINE f64 coarse_result(f64 result, bool nan, u64 above) {
  const u64 pattern = (bits(result) + above) & 0xffffffff00000000;
  const u64 normal = (pattern & 0x7ff0000000000000) == 0 ? pattern & 0x8000000000000000 : pattern;
  return real(nan ? u64{0x7fffffff00000000} : normal);
}
WARPMARK_INLINE f64 coarse_reciprocal(f64 a) {
  return coarse_result(1.0 / coarse(a), is_nan(a), u64{1} << 28);
}

WARPMARK_INLINE f64 widened(f32 a) {
  return static_cast<f64>(a);  // keeps a NaN's payload, as an H200 does; so does the other way
}
// cvt.ftz.f64.f32: an H200 flushes by an operation of binary32, whose NaN is the canonical one.
WARPMARK_INLINE f64 flushed_and_widened(f32 a) {
  return static_cast<f64>(quiet(flush(a)));
}
WARPMARK_INLINE f32 narrowed(f64 a) {
  return static_cast<f32>(a);
}
WARPMARK_INLINE f32 narrowed_and_flushed(f64 a) {
  return flush_scaled(narrowed(a), narrowed(a * 0x1p24));
}

// --- integers ---

template <typename T>
struct Limits {
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  static constexpr int digits = static_cast<int>(sizeof(T) * 8) - (is_signed ? 1 : 0);
  static constexpr T most = static_cast<T>(is_signed ? ~(u64{1} << 63) >> (64 - sizeof(T) * 8)
                                                     : ~u64{0} >> (64 - sizeof(T) * 8));
  static constexpr T least = is_signed ? static_cast<T>(-most - 1) : T{0};
};

// A value that is already integral saturates. NaN gives 0 from binary32 to at most 32 bits, as the
// PTX ISA says; to 64 bits, and from binary64, an H200 gives the top bit alone. 2^digits is exact
// in both formats, so the comparisons are exact even where `most` is not representable.
template <typename D, typename A>
WARPMARK_INLINE D to_integer(A a) {
  constexpr A above = static_cast<A>(2) * static_cast<A>(u64{1} << (Limits<D>::digits - 1));
  constexpr A below = Limits<D>::is_signed ? -above : static_cast<A>(0);
  const bool fits = a >= below && a < above;
  const A safe = fits ? a : static_cast<A>(0);
  const D high = a >= above ? Limits<D>::most : D{0};
  const D low = a < below ? Limits<D>::least : high;
  constexpr bool zero = sizeof(A) == 4 && sizeof(D) <= 4;
  const D nan = zero ? D{0} : static_cast<D>(u64{1} << (sizeof(D) * 8 - 1));
  return fits ? static_cast<D>(safe) : is_nan(a) ? nan : low;
}

WARPMARK_INLINE u16 multiply_low(u16 a, u16 b) {
  return static_cast<u16>(u32{a} * b);
}
WARPMARK_INLINE u32 multiply_low(u32 a, u32 b) {
  return a * b;
}
WARPMARK_INLINE u64 multiply_low(u64 a, u64 b) {
  return a * b;
}
WARPMARK_INLINE u16 multiply_high(u16 a, u16 b) {
  return static_cast<u16>(u32{a} * b >> 16);
}
WARPMARK_INLINE s16 multiply_high(s16 a, s16 b) {
  return static_cast<s16>(s32{a} * b >> 16);
}
WARPMARK_INLINE u32 multiply_high(u32 a, u32 b) {
  return static_cast<u32>(u64{a} * b >> 32);
}
WARPMARK_INLINE s32 multiply_high(s32 a, s32 b) {
  return static_cast<s32>(s64{a} * b >> 32);
}
WARPMARK_INLINE u64 multiply_high(u64 a, u64 b) {
  return static_cast<u64>(u128{a} * b >> 64);
}
WARPMARK_INLINE s64 multiply_high(s64 a, s64 b) {
  return static_cast<s64>(static_cast<s128>(a) * b >> 64);
}

// Division by zero, which the ISA leaves to the machine, gives all ones for quotient and
// remainder, as an H200 does; the quotient that overflows wraps. Nothing may raise SIGFPE.
template <typename T>
WARPMARK_INLINE T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (Limits<T>::is_signed && b == static_cast<T>(-1))
    return static_cast<T>(u64{0} - static_cast<u64>(a));
  return static_cast<T>(a / b);
}
template <typename T>
WARPMARK_INLINE T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (Limits<T>::is_signed && b == static_cast<T>(-1)) return T{0};
  return static_cast<T>(a % b);
}

WARPMARK_INLINE u64 reverse_bits(u64 a) {
  a = __builtin_bswap64(a);
  a = (a & 0x0f0f0f0f0f0f0f0f) << 4 | (a >> 4 & 0x0f0f0f0f0f0f0f0f);
  a = (a & 0x3333333333333333) << 2 | (a >> 2 & 0x3333333333333333);
  return (a & 0x5555555555555555) << 1 | (a >> 1 & 0x5555555555555555);
}
WARPMARK_INLINE u32 reverse_bits(u32 a) {
  return static_cast<u32>(reverse_bits(static_cast<u64>(a)) >> 32);
}

}  // namespace warpmark::cpu::WARPMARK_ISA
