// Forms of conversions without a separate opcode: formats, rounding and clamping.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

/// Number formats of cvt. tf32 lies in the upper 19 bits of a 32-bit register.
enum class Format : std::uint8_t {
  u8,
  s8,
  u16,
  s16,
  u32,
  s32,
  u64,
  s64,
  f16,
  bf16,
  tf32,
  f32,
  f64,
  e4m3,
  e5m2,
  e2m1,
  e2m3,
  e3m2,
  ue8m0  ///< a power of two, without a sign
};
constexpr bool is_integer(Format format) {
  return format <= Format::s64;
}

/// Bits of one of several packed elements. Elements of 4 and 6 bits take whole bytes, except e2m1,
/// of which two share a byte.
constexpr std::uint32_t element_bits(Format format) {
  switch (format) {
    case Format::e2m1:
      return 4;
    case Format::e4m3:
    case Format::e5m2:
    case Format::e2m3:
    case Format::e3m2:
    case Format::ue8m0:
      return 8;
    case Format::f16:
    case Format::bf16:
      return 16;
    default:
      return 32;
  }
}

/// To nearest even, to nearest with ties away from zero, to zero, down, up; away from zero if random
/// bits and those that are cut off have a carry.
enum class Rounding : std::uint8_t { nearest, away, zero, down, up, random };

/// Kept in Instruction::imm. `elements` values of `from` become as many packed values of `to`;
/// `apart` means that the sources are separate registers, the last one the lowest element.
struct ConvertForm {
  Format to = Format::f32, from = Format::f32;
  Rounding rounding = Rounding::nearest;
  std::uint8_t elements = 1;
  bool apart = false;
  bool integral : 1 = false;  ///< .rni and its like: to an integer, in a real format
  bool flush : 1 = false;     ///< .ftz: subnormal binary32 values are 0
  bool clamp : 1 = false;     ///< .sat of a real result: to [0, 1], NaN to 0
  bool finite : 1 = false;    ///< .satfinite: overflow gives the largest number
  bool positive : 1 = false;  ///< .relu: negative results become 0
  /// Random bits of an element: of the lower half of the last source for the lowest, then the upper.
  std::uint8_t random = 0;
};

/// The form of cvt.pack: the type that a and b are clamped to.
struct PackForm {
  std::uint8_t bits = 16;  ///< 2, 4, 8 or 16
  bool sign = false;
};

}  // namespace warpmark::cpu
