// Sums of products of small real numbers, as Hopper's tensor cores make them.
// Compiled once for each WARPMARK_ISA, under the rules of numerics.hpp.
//
// The products of a sum and its addend are aligned to the greatest exponent among them, where the
// exponent of a product is the sum of its factors' and a subnormal number has that of the least
// normal one. Bits further than `fraction` behind that exponent are cut off, toward zero. The rest
// is added up without an error, and is rounded once: to binary32 toward zero, to binary16 to the
// nearest even number. A result of zero is positive. The rule and its constants are those of Xie
// and others, "MMA-Sim" (arXiv:2511.10909); tests/device/catalogue/compare_matrices.py compares
// every form of mma and wgmma with a GPU, bit for bit.
#pragma once

#include "machine/small_floats.hpp"
#include "program/matrix.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

constexpr s32 kLeastExponent = -126;  // of binary32, and of an addend that is zero
constexpr s32 kNoExponent = -8192;    // a factor that is zero

/// The exponent of a type's least normal number.
constexpr s32 least_exponent_of(Element type) {
  switch (type) {
    case Element::f16:
    case Element::e5m2:
      return -14;
    case Element::e4m3:
      return -6;
    case Element::e3m2:
      return -2;
    case Element::e2m3:
    case Element::e2m1:
      return 0;
    default:
      return kLeastExponent;
  }
}

/// The exponents of a matrix: the least one of a number that is not zero, and the greatest, which
/// is 128 for infinity and NaN.
struct ExponentRange {
  s32 least = 0x7fff, most = kNoExponent;

  /// Products, and the factors that align them, stay in the range of binary32.
  [[nodiscard]] bool narrow() const { return least >= -50 && most <= 60; }
};

/// Exponents of `count` numbers of a type whose least exponent is `least`.
WARPMARK_INLINE ExponentRange exponents_of(const f32* numbers, u32 count, s32 least, s16* to) {
  ExponentRange range;
  for (u32 at = 0; at < count; ++at) {
    const u32 pattern = bits(numbers[at]) & 0x7fffffff;
    const s32 exponent = static_cast<s32>(pattern >> 23) - 127;
    const s32 raised = exponent < least ? least : exponent;
    to[at] = static_cast<s16>(pattern == 0 ? kNoExponent : raised);
    const s32 counted = pattern == 0 ? 0x7fff : raised;
    range.least = counted < range.least ? counted : range.least;
    range.most = to[at] > range.most ? to[at] : range.most;
  }
  return range;
}

/// One row of a, `kept` numbers, and the rows of b that they meet: the ones at `places`, or one
/// after another. Each row of b has n numbers, a multiple of 8.
struct RowOfSums {
  const f32* a = nullptr;
  const s16* exponents_a = nullptr;
  const u8* places = nullptr;
  u32 kept = 0;
  const f32* b = nullptr;
  const s16* exponents_b = nullptr;
  u32 n = 0;
  s32 fraction = 25;
  s32 least_addend = kLeastExponent;  ///< the least exponent of the addends' type
  bool narrow = false;                ///< ExponentRange::narrow of a and of b
  bool to_half = false;               ///< results are binary16

  template <bool Sparse>
  [[nodiscard]] u32 row_of_b(u32 k) const {
    return (Sparse ? places[k] : k) * n;
  }
};

WARPMARK_INLINE f64 power_of_two(s32 exponent) {
  return real(static_cast<u64>(exponent + 1023) << 52);
}

/// The pattern of a sum that is exact in binary64; of binary32 `fraction` bits are kept at most.
WARPMARK_INLINE u32 rounded(f64 sum, s32 fraction, bool to_half) {
  if (to_half) {
    const u16 pattern = to_f16(sum).pattern;
    return sum != sum ? 0x7fff : pattern == 0x8000 ? 0 : pattern;
  }
  const f64 magnitude = __builtin_fabs(sum);
  const u32 nearest = bits(static_cast<f32>(sum));
  const bool beyond = static_cast<f64>(real(nearest & 0x7fffffff)) > magnitude;
  const u32 toward_zero = nearest - (beyond && magnitude < 0x1p128 ? 1 : 0);
  const u32 kept = fraction < 23 ? toward_zero & ~u32{0} << (23 - fraction) : toward_zero;
  const u32 positive = kept << 1 == 0 ? 0 : kept;
  return magnitude == magnitude ? positive : 0x7fffffff;
}

// Any numbers. With an infinity or NaN among them the sum is the one of binary64.
template <bool Sparse>
WARPMARK_INLINE u32 add_wide(const RowOfSums& row, u32 column, f64 addend) {
  const s32 field = static_cast<s32>(bits(addend) >> 52 & 0x7ff) - 1023;
  s32 most = field < row.least_addend ? row.least_addend : field;
  most = addend == 0 || field == 1024 ? kLeastExponent : most;
  f64 whole = addend;
  for (u32 k = 0; k < row.kept; ++k) {
    const u32 at = row.row_of_b<Sparse>(k) + column;
    whole += static_cast<f64>(row.a[k]) * static_cast<f64>(row.b[at]);
    const s32 one = row.exponents_a[k] + row.exponents_b[at];
    most = one > most ? one : most;
  }
  if (!(__builtin_fabs(whole) < __builtin_inf())) return rounded(whole, 23, row.to_half);
  const f64 scale = power_of_two(row.fraction - most);
  s64 sum = static_cast<s32>(addend * scale);
  for (u32 k = 0; k < row.kept; ++k)
    sum += static_cast<s32>(static_cast<f64>(row.a[k]) *
                            static_cast<f64>(row.b[row.row_of_b<Sparse>(k) + column]) * scale);
  const f64 exact = static_cast<f64>(sum) * power_of_two(most - row.fraction);
  return rounded(exact, row.fraction, row.to_half);
}

// The greatest exponents of the products of all columns, in `most`, which has those of the addends.
// Kept: row.kept, or 0 for any.
template <bool Sparse, u32 Kept>
WARPMARK_INLINE void raise_exponents(const RowOfSums& row, s16* most) {
  typedef s16 Exponents __attribute__((vector_size(32)));
  typedef s16 Half __attribute__((vector_size(16)));
  u32 column = 0;
  for (; column + 16 <= row.n; column += 16) {
    Exponents greatest;
    __builtin_memcpy(&greatest, most + column, sizeof greatest);
    for (u32 k = 0; k < (Kept ? Kept : row.kept); ++k) {
      Exponents other;
      __builtin_memcpy(&other, row.exponents_b + row.row_of_b<Sparse>(k) + column, sizeof other);
      other += row.exponents_a[k];
      greatest = other > greatest ? other : greatest;
    }
    __builtin_memcpy(most + column, &greatest, sizeof greatest);
  }
  if (column == row.n) return;
  Half greatest;
  __builtin_memcpy(&greatest, most + column, sizeof greatest);
  for (u32 k = 0; k < (Kept ? Kept : row.kept); ++k) {
    Half other;
    __builtin_memcpy(&other, row.exponents_b + row.row_of_b<Sparse>(k) + column, sizeof other);
    other += row.exponents_a[k];
    greatest = other > greatest ? other : greatest;
  }
  __builtin_memcpy(most + column, &greatest, sizeof greatest);
}

// Makes numbers the binary16 patterns that are nearest; zero is positive, and a NaN is 0x7fff.
template <typename Reals, typename Words>
WARPMARK_INLINE void round_to_halves(Words& words) {
#if defined(__F16C__)
  typedef u16 Halves __attribute__((vector_size(16)));
  constexpr int kNearest = 0;
  const auto halves = __builtin_ia32_vcvtps2ph256(__builtin_bit_cast(Reals, words), kNearest);
  words = __builtin_convertvector(__builtin_bit_cast(Halves, halves), Words);
  words = words == 0x8000 ? Words{} : words;
#else
  const Words magnitude = words & 0x7fffffff, sign = words >> 16 & 0x8000;
  // The last place of a subnormal one is that of 0.5 in binary32.
  const Words small =
      __builtin_bit_cast(Words, __builtin_bit_cast(Reals, magnitude) + 0.5f) - 0x3f000000;
  const Words normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  const Words nearest = magnitude < 0x38800000 ? small : normal;
  const Words bounded = nearest > 0x7c00 ? 0x7c00 - Words{} : nearest;
  const Words finite = bounded == 0 ? Words{} : bounded | sign;
  words = magnitude > 0x7f800000 ? 0x7fff - Words{} : finite;
#endif
}

// Eight columns. Products are exact in binary32: two significands of at most 11 bits. Sixteen of
// them with 25 bits of fraction, or 32 with 13, stay within 32 bits, as each is below four units of
// the greatest exponent.
template <bool Sparse, u32 Kept>
WARPMARK_INLINE void add_narrow(const RowOfSums& row, u32 column, const s16* exponents,
                                const f32* before, u32* patterns) {
  typedef f32 Reals __attribute__((vector_size(32)));
  typedef s32 Words __attribute__((vector_size(32)));
  typedef s16 Exponents __attribute__((vector_size(16)));
  typedef f64 Sums __attribute__((vector_size(64)));
  typedef u64 Patterns __attribute__((vector_size(64)));

  Exponents short_exponents;
  __builtin_memcpy(&short_exponents, exponents + column, sizeof short_exponents);
  const Words most = __builtin_convertvector(short_exponents, Words);
  // Below that the products are all zero, and the sum is the addend.
  constexpr s32 kLeast = -100;
  const Words limited = most < kLeast ? kLeast - Words{} : most;
  const Reals up = __builtin_bit_cast(Reals, (row.fraction + 127 - limited) << 23);
  const Reals down = __builtin_bit_cast(Reals, (limited + 127 - row.fraction) << 23);
  Words sum = {};
  for (u32 k = 0; k < (Kept ? Kept : row.kept); ++k) {
    Reals other;
    __builtin_memcpy(&other, row.b + row.row_of_b<Sparse>(k) + column, sizeof other);
    sum += __builtin_convertvector(other * row.a[k] * up, Words);
  }
  Reals addend;
  __builtin_memcpy(&addend, before + column, sizeof addend);
  const Words magnitude = __builtin_bit_cast(Words, addend) & 0x7fffffff;
  const Words is_result = (most < kLeast) | (magnitude >= 0x7f800000);
  const Words cut = __builtin_convertvector(is_result ? Reals{} : addend * up, Words);
  const Sums whole = __builtin_convertvector(sum, Sums) + __builtin_convertvector(cut, Sums);
  // The highest bits of the sum, toward zero. They are exact in binary32, as is their product.
  const s32 kept = row.fraction < 23 ? row.fraction : 23;
  const Sums high =
      __builtin_bit_cast(Sums, __builtin_bit_cast(Patterns, whole) & ~u64{0} << (52 - kept));
  Words words = __builtin_bit_cast(Words, __builtin_convertvector(high, Reals) * down);
  if (row.to_half) {
    // A last bit that says that there is more below keeps the next rounding right.
    const Reals rest = __builtin_convertvector(whole - high, Reals);
    words |= (rest != 0) & 1;
  }
  const Words own = __builtin_bit_cast(Words, addend) & static_cast<s32>(~u32{0} << (23 - kept));
  words = is_result ? own : words;
  words = (words & 0x7fffffff) == 0 ? Words{} : words;
  words = magnitude > 0x7f800000 ? 0x7fffffff - Words{} : words;
  if (row.to_half) round_to_halves<Reals>(words);
  __builtin_memcpy(patterns + column, &words, sizeof words);
}

template <bool Sparse, u32 Kept>
WARPMARK_INLINE void add_columns(const RowOfSums& row, const f32* before, u32* patterns) {
  constexpr u32 kMostColumns = 256;
  s16 exponents[kMostColumns];
  for (u32 column = 0; column < row.n; ++column) {
    const u32 magnitude = bits(before[column]) & 0x7fffffff;
    const s32 field = static_cast<s32>(magnitude >> 23) - 127;
    const s32 raised = field < row.least_addend ? row.least_addend : field;
    exponents[column] = static_cast<s16>(magnitude == 0 || field == 128 ? kLeastExponent : raised);
  }
  raise_exponents<Sparse, Kept>(row, exponents);
  for (u32 column = 0; column < row.n; column += 8)
    add_narrow<Sparse, Kept>(row, column, exponents, before, patterns);
}

template <bool Sparse>
WARPMARK_INLINE void add_row(const RowOfSums& row, const f32* before, u32* patterns) {
  if (!row.narrow) {
    for (u32 column = 0; column < row.n; ++column)
      patterns[column] = add_wide<Sparse>(row, column, f64{before[column]});
  } else if (row.kept == 16) {  // loops of known length are what most products need
    add_columns<Sparse, 16>(row, before, patterns);
  } else {
    add_columns<Sparse, 0>(row, before, patterns);
  }
}

/// The patterns of the n sums of a row and its addends.
WARPMARK_INLINE void add_row(const RowOfSums& row, const f32* before, u32* patterns) {
  if (row.places == nullptr)
    add_row<false>(row, before, patterns);
  else
    add_row<true>(row, before, patterns);
}

}  // namespace warpmark::cpu::WARPMARK_ISA
