// Positions, weights and roundings of texture fetches, as measured on an H200.
//
// tests/figures/record_textures.py makes such measurements; those that these rules reproduce to the
// bit took f32, f16, s16 and s8 texels in arrays of 1 to 3 axes, 5 to 100 texels long, fetched at
// coordinates within 2.5 sizes of them. Comments say which rules were not measured. Included after
// WARPMARK_ISA; every operation is exact or written out.
#pragma once

#include <algorithm>
#include <array>

#include "machine/image.hpp"
#include "machine/numerics.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

// --- Positions ---

// A normalized coordinate is cut (towards −∞) to 21 bits of fraction before anything else. Far
// coordinates are not measured: periodic modes take them modulo their period here.
constexpr int kCoordinateBits = 21;

WARPMARK_INLINE s64 fixed_coordinate(f64 x, bool periodic) {
  f64 fixed = round_down(x * 0x1p21);
  if (periodic) fixed -= 0x1p22 * round_down(fixed * 0x1p-22);  // mirror's period: 2
  if (!(fixed == fixed)) return 0;
  // Beyond 2^14 images nothing changes, and products with a size stay inside 64 bits.
  return static_cast<s64>(std::clamp(fixed, -0x1p35, 0x1p35));
}

/// The texel that a coordinate lies in.
WARPMARK_INLINE s64 texel_of(f64 x, s64 size, bool normalized, bool periodic) {
  if (normalized) return fixed_coordinate(x, periodic) * size >> kCoordinateBits;
  if (!(x == x)) return 0;
  return static_cast<s64>(round_down(std::clamp(x, -0x1p40, 0x1p40)));
}

/// A coordinate in 256ths of a texel, to the nearest, halves up.
WARPMARK_INLINE s64 position_of(f64 x, s64 size, bool normalized, bool periodic) {
  if (normalized) {
    constexpr s64 half = s64{1} << (kCoordinateBits - 1);
    return (fixed_coordinate(x, periodic) * size * 256 + half) >> kCoordinateBits;
  }
  if (!(x == x)) return 0;
  return static_cast<s64>(round_down(std::clamp(x, -0x1p40, 0x1p40) * 256.0 + 0.5));
}

// --- Weights ---

// The weights of 2, 4 or 8 texels in 256ths; bit k of a corner's number says that it is the second
// along axis k, whose own weight is `second[k]`. A whole of 256 is shared out along z, then x, then
// y, each share to the nearest 256th and the rest to the other texel, so that the sum stays 256. A
// half goes to the second texel along x; along y to the second one where x has its second, and
// else to the first.
WARPMARK_INLINE std::array<u32, 8> corner_weights(const std::array<u32, 3>& second,
                                                  u32 dimensions) {
  std::array<u32, 8> weights{};
  for (u32 z = 0; z < (dimensions == 3 ? 2u : 1u); ++z) {
    const u32 slice = dimensions < 3 ? 256 : z == 1 ? second[2] : 256 - second[2];
    const u32 far = (slice * second[0] + 128) >> 8;
    for (u32 x = 0; x < 2; ++x) {
      const u32 column = x == 1 ? far : slice - far;
      const u32 lower = dimensions == 1 ? 0 : (column * second[1] + 127 + x) >> 8;
      weights[z * 4 + 2 + x] = lower;
      weights[z * 4 + x] = column - lower;
    }
  }
  return weights;
}

// --- Sums ---

// To `digits` bits and no finer than 2^least, halves away from zero.
WARPMARK_INLINE f64 round_half_away(f64 value, int digits, f64 least) {
  const f64 magnitude = absolute(value);
  const int dropped = 53 - digits;
  const f64 normal = least * static_cast<f64>(u64{1} << (digits - 1));
  f64 rounded = 0;
  if (magnitude < normal) {
    const f64 units = magnitude / least, whole = round_down(units);
    rounded = (units - whole >= 0.5 ? whole + 1.0 : whole) * least;
  } else if (magnitude <= 0x1.fffffffffffffp1023) {
    const u64 half = u64{1} << (dropped - 1);
    rounded = real((bits(magnitude) + half) & ~(2 * half - 1));
  } else {
    return value;
  }
  return value < 0 ? -rounded : rounded;
}

/// Returns whether a filter works on such texels as integers, with a result of 16 bits.
WARPMARK_INLINE bool filtered_as_integers(ChannelKind kind) {
  return kind == ChannelKind::u8 || kind == ChannelKind::s8 || kind == ChannelKind::u16 ||
         kind == ChannelKind::s16;
}
/// The integer that represents 1.
WARPMARK_INLINE f64 greatest_step(ChannelKind kind) {
  return kind == ChannelKind::u8    ? 255.0
         : kind == ChannelKind::s8  ? 127.0
         : kind == ChannelKind::u16 ? 65535.0
                                    : 32767.0;
}

// The result of a filter for `sum`, the exact sum of the texels times their weights in 256ths.
//
// 16 bits: to the nearest integer, halves up; that divided by 32767, not below −1. 8 bits are
// widened after the sum, not before: s8 by 1 + 2^-7 + 2^-15, whose last term is cut to eighths of a
// step of 16 bits. u8 and u16 are not measured: u16 as s16 is, u8 by 257/256 = 65535/255/256.
// f16: to f16, halves away from zero. f32: measured where the sum is exact in binary32 only; it is
// rounded as that of f16 is.
WARPMARK_INLINE f64 filter_result(f64 sum, ChannelKind kind) {
  const auto number = [](f64 steps, f32 most) {
    return static_cast<f64>(std::max(static_cast<f32>(steps) / most, -1.0f));
  };
  switch (kind) {
    case ChannelKind::u8:
      return number(round_down(sum + (sum + 128.0) * 0x1p-8), 65535.0f);
    case ChannelKind::s8:
      return number(round_down(sum + (sum + 64.0 + 16.0 * round_down(sum * 0x1p-12)) * 0x1p-7),
                    32767.0f);
    case ChannelKind::u16:
      return number(round_down((sum + 128.0) * 0x1p-8), 65535.0f);
    case ChannelKind::s16:
      return number(round_down((sum + 128.0) * 0x1p-8), 32767.0f);
    case ChannelKind::f16:
      return round_half_away(sum * 0x1p-8, 11, 0x1p-24);
    default:
      return round_half_away(sum * 0x1p-8, 24, 0x1p-149);
  }
}

}  // namespace warpmark::cpu::WARPMARK_ISA
