// Real formats by their parameters: patterns to exact numbers and back, in every rounding.
// Compiled under the rules of numerics.hpp; slow and general, for what has no handler of its own.
#pragma once

#include "machine/numerics.hpp"
#include "program/convert.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

/// ± significand · 2^exponent, with the significand's top bit set unless the number is 0.
struct Number {
  enum class Kind : u8 { finite, infinite, nan } kind = Kind::finite;
  bool negative = false;
  s32 exponent = 0;
  u64 significand = 0;
};

/// How a format is made up. Its NaN is `nan`, its greatest finite magnitude `greatest`; formats
/// without infinities or NaNs use all patterns for numbers.
struct Layout {
  s32 fraction, bias, width;
  u64 greatest, infinity, nan;  ///< magnitudes; infinity 0: there is none; nan 0: likewise
};

WARPMARK_INLINE Layout layout_of(Format format) {
  switch (format) {
    case Format::f16:
      return {10, 15, 16, 0x7bff, 0x7c00, 0x7fff};
    case Format::bf16:
      return {7, 127, 16, 0x7f7f, 0x7f80, 0x7fff};
    case Format::tf32:
      return {10, 127, 19, 0x3fbff, 0x3fc00, 0x3ffff};
    case Format::f64:
      return {52, 1023, 64, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7fffffffffffffff};
    case Format::e4m3:
      return {3, 7, 8, 0x7e, 0, 0x7f};
    case Format::e5m2:
      return {2, 15, 8, 0x7b, 0x7c, 0x7f};
    case Format::e2m1:
      return {1, 1, 4, 7, 0, 0};
    case Format::e2m3:
      return {3, 1, 6, 0x1f, 0, 0};
    case Format::e3m2:
      return {2, 3, 6, 0x1f, 0, 0};
    default:
      return {23, 127, 32, 0x7f7fffff, 0x7f800000, 0x7fffffff};
  }
}

WARPMARK_INLINE Number normal(bool negative, u64 significand, s32 exponent) {
  if (significand == 0) return {Number::Kind::finite, negative, 0, 0};
  const s32 shift = __builtin_clzll(significand);
  return {Number::Kind::finite, negative, exponent - shift, significand << shift};
}

static inline Number decode_real(Format format, u64 pattern) {
  if (format == Format::ue8m0) {
    if ((pattern & 0xff) == 0xff) return {Number::Kind::nan, false, 0, 0};
    return normal(false, 1, static_cast<s32>(pattern & 0xff) - 127);
  }
  if (format == Format::tf32) pattern = (pattern & 0xffffffff) >> 13;
  const Layout layout = layout_of(format);
  const u64 sign = u64{1} << (layout.width - 1);
  const bool negative = (pattern & sign) != 0;
  const u64 magnitude = pattern & (sign - 1);
  if (layout.infinity != 0 && magnitude == layout.infinity)
    return {Number::Kind::infinite, negative, 0, 0};
  if (magnitude > layout.greatest) return {Number::Kind::nan, negative, 0, 0};
  const u64 stored = magnitude & ((u64{1} << layout.fraction) - 1);
  const auto biased = static_cast<s32>(magnitude >> layout.fraction);
  const u64 significand = biased == 0 ? stored : stored | u64{1} << layout.fraction;
  return normal(negative, significand, (biased == 0 ? 1 : biased) - layout.bias - layout.fraction);
}

/// The bits for Rounding::random: `count` of them stand above the first bit that is cut off.
struct RandomBits {
  u64 bits = 0;
  u32 count = 0;
};

// Cuts the significand's lowest `drop` bits off (64 or more: all of them) and rounds.
static inline u64 rounded_shift(u64 significand, s32 drop, bool negative, Rounding rounding,
                                RandomBits random = {}) {
  if (drop <= 0) return significand << -drop;
  const u64 kept = drop < 64 ? significand >> drop : 0;
  const u64 rest = drop < 64 ? significand & ((u64{1} << drop) - 1) : significand;
  const u64 half = drop <= 64 ? u64{1} << (drop - 1) : 0;  // beyond: the rest is below one half
  const bool above = half != 0 && rest > half, tie = half != 0 && rest == half;
  bool up = false;
  switch (rounding) {
    case Rounding::nearest:
      up = above || (tie && (kept & 1) != 0);
      break;
    case Rounding::away:
      up = above || tie;
      break;
    case Rounding::zero:
      break;
    case Rounding::random: {
      // A number of fewer bits than are random loses nothing above them.
      const s32 low = drop - static_cast<s32>(random.count);
      const u64 cut = low >= 64 ? 0 : low >= 0 ? rest >> low : rest << -low;
      up = (cut + random.bits) >> random.count != 0;
      break;
    }
    case Rounding::down:
      up = rest != 0 && negative;
      break;
    case Rounding::up:
      up = rest != 0 && !negative;
      break;
  }
  return kept + (up ? 1 : 0);
}

// ue8m0: 2^(x - 127), 0xff is a NaN. There is neither 0, which is the least power, nor a sign.
static inline u64 encode_power(const Number& number, Rounding rounding, bool finite) {
  constexpr u64 kNan = 0xff, kGreatest = 0xfe;
  if (number.kind == Number::Kind::nan) return kNan;
  if (number.kind == Number::Kind::infinite) return finite ? kGreatest : kNan;
  if (number.significand == 0) return 0;
  s32 exponent = number.exponent + 63;
  if (rounding == Rounding::up && (number.significand & ~(u64{1} << 63)) != 0) ++exponent;
  if (exponent > 127) return finite ? kGreatest : kNan;
  return exponent < -127 ? 0 : static_cast<u64>(exponent + 127);
}

static inline u64 encode_real(Format format, const Number& number, Rounding rounding, bool finite,
                              RandomBits random = {}) {
  if (format == Format::ue8m0) return encode_power(number, rounding, finite);
  const Layout layout = layout_of(format);
  const int up_shift = format == Format::tf32 ? 13 : 0;
  const u64 sign = number.negative ? u64{1} << (layout.width - 1) : 0;
  if (number.kind == Number::Kind::nan)  // a format without NaNs has its greatest number for it
    return (layout.nan != 0 ? layout.nan : layout.greatest) << up_shift |
           (format == Format::tf32 ? 0x1fff : 0);
  u64 magnitude = 0;
  bool over = number.kind == Number::Kind::infinite;
  if (!over && number.significand != 0) {
    // The significand's top bit stands for 2^(exponent + 63).
    const s32 biased = number.exponent + 63 + layout.bias;
    const s32 below = biased < 1 ? 1 - biased : 0;
    const s32 drop = 63 - layout.fraction + (below > 70 ? 70 : below);
    const u64 kept = rounded_shift(number.significand, drop, number.negative, rounding, random);
    // A carry out of the significand moves on into the exponent, as it should.
    magnitude = biased < 1 ? kept : (static_cast<u64>(biased - 1) << layout.fraction) + kept;
    const s32 top = static_cast<s32>(layout.greatest >> layout.fraction);
    over = biased > top || magnitude > layout.greatest;
    if (over && !finite && layout.infinity != 0) {
      const bool away = rounding == Rounding::nearest || rounding == Rounding::away ||
                        rounding == Rounding::random ||
                        (rounding == Rounding::up && !number.negative) ||
                        (rounding == Rounding::down && number.negative);
      return (sign | (away ? layout.infinity : layout.greatest)) << up_shift;
    }
  }
  if (over) {
    const bool exact = number.kind == Number::Kind::infinite && !finite && layout.infinity != 0;
    magnitude = exact ? layout.infinity : layout.greatest;
  }
  return (sign | magnitude) << up_shift;
}

static inline Number decode_integer(Format format, u64 value) {
  const auto extended = [&]() -> s64 {
    switch (format) {
      case Format::s8:
        return static_cast<s8>(value);
      case Format::s16:
        return static_cast<s16>(value);
      case Format::s32:
        return static_cast<s32>(value);
      default:
        return static_cast<s64>(value);
    }
  };
  switch (format) {
    case Format::u8:
      return normal(false, value & 0xff, 0);
    case Format::u16:
      return normal(false, value & 0xffff, 0);
    case Format::u32:
      return normal(false, value & 0xffffffff, 0);
    case Format::u64:
      return normal(false, value, 0);
    default: {
      const s64 number = extended();
      return normal(number < 0,
                    number < 0 ? u64{0} - static_cast<u64>(number) : static_cast<u64>(number), 0);
    }
  }
}

WARPMARK_INLINE Number rounded_to_integer(const Number& number, Rounding rounding) {
  if (number.kind != Number::Kind::finite || number.exponent >= 0) return number;
  const u64 whole = rounded_shift(number.significand, -number.exponent, number.negative, rounding);
  return normal(number.negative, whole, 0);
}

}  // namespace warpmark::cpu::WARPMARK_ISA
