// Bit fields, bytes within words, carries and saturation, as the PTX ISA's pseudo-code has them.
// Compiled once for each WARPMARK_ISA, under the rules of numerics.hpp.
#pragma once

#include "machine/numerics.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

// Bits beyond the word are 0, or the sign. For 32-bit fields the low 8 bits of position and length
// count. For 64-bit fields an H200 uses all 32 bits, although the ISA gives 0 to 255 for both.
template <typename T>
WARPMARK_INLINE u32 field_number(u32 number) {
  return sizeof(T) == 8 ? number : number & 0xff;
}
template <typename T>
WARPMARK_INLINE T extract_bits(T a, u32 position, u32 length) {
  constexpr u32 width = sizeof(T) * 8;
  position = field_number<T>(position);
  length = field_number<T>(length);
  const T shifted = position < width ? static_cast<T>(a >> position) : T{0};
  return length < width ? static_cast<T>(shifted & ((T{1} << length) - 1)) : shifted;
}
template <typename T>
WARPMARK_INLINE T extract_signed_bits(T a, u32 position, u32 length) {
  constexpr u32 width = sizeof(T) * 8;
  position = field_number<T>(position);
  length = field_number<T>(length);
  if (length == 0) return 0;
  const u64 past = u64{position} + length;  // the field
  const u32 end = past < width ? static_cast<u32>(past) : width;
  const T sign = (a >> (end - 1) & 1) != 0 ? static_cast<T>(-1) : T{0};
  if (position >= width) return sign;
  const u32 have = end - position;
  const T field = static_cast<T>(a >> position);
  if (have >= width) return field;
  const T mask = static_cast<T>((u64{1} << have) - 1);
  return static_cast<T>((field & mask) | (sign & ~mask));
}
template <typename T>
WARPMARK_INLINE T insert_bits(T a, T b, u32 position, u32 length) {
  constexpr u32 width = sizeof(T) * 8;
  position = field_number<T>(position);
  length = field_number<T>(length);
  if (position >= width) return b;
  const T ones = length < width ? static_cast<T>((T{1} << length) - 1) : static_cast<T>(~T{0});
  const T mask = static_cast<T>(ones << position);
  return static_cast<T>((b & ~mask) | (static_cast<T>(a << position) & mask));
}
WARPMARK_INLINE u32 leading_bit(u32 a) {
  return a == 0 ? 0xffffffff : 31 - static_cast<u32>(__builtin_clz(a));
}
WARPMARK_INLINE u32 leading_bit(u64 a) {
  return a == 0 ? 0xffffffff : 63 - static_cast<u32>(__builtin_clzll(a));
}
template <typename T>
WARPMARK_INLINE u32 leading_shift(T a) {  // how far left the leading bit may move
  return a == 0 ? 0xffffffff : sizeof(T) * 8 - 1 - leading_bit(a);
}

WARPMARK_INLINE u32 any_logic(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (u32 row = 0; row < 8; ++row) {
    const u32 chosen =
        ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
    result |= (table >> row & 1) != 0 ? chosen : 0;
  }
  return result;
}
WARPMARK_INLINE u32 permute_bytes(u32 a, u32 b, u32 selector) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 pick = selector >> (i * 4) & 0xf;
    const u32 byte = static_cast<u32>(bytes >> ((pick & 7) * 8)) & 0xff;
    const u32 sign = (byte & 0x80) != 0 ? 0xff : 0;
    result |= ((pick & 8) != 0 ? sign : byte) << (i * 8);
  }
  return result;
}
WARPMARK_INLINE u32 backward_bytes(u32 c) {
  constexpr u32 selectors[4] = {0x5670, 0x6701, 0x7012, 0x0123};
  return selectors[c & 3];
}
WARPMARK_INLINE u32 edge_clamp_left(u32 c) {
  constexpr u32 selectors[4] = {0x3210, 0x3211, 0x3222, 0x3333};
  return selectors[c & 3];
}
WARPMARK_INLINE u32 edge_clamp_right(u32 c) {
  constexpr u32 selectors[4] = {0x0000, 0x1110, 0x2210, 0x3210};
  return selectors[c & 3];
}
WARPMARK_INLINE u32 bit_mask(u32 position, u32 length) {
  const u32 ones = length < 32 ? (u32{1} << length) - 1 : 0xffffffff;
  return position < 32 ? ones << position : 0;
}
WARPMARK_INLINE u32 zero_extend(u32 a, u32 bits_kept) {
  return bits_kept < 32 ? a & ((u32{1} << bits_kept) - 1) : a;
}
WARPMARK_INLINE s32 sign_extend(s32 a, u32 bits_kept) {
  if (bits_kept == 0) return 0;
  if (bits_kept > 31) return a;
  return static_cast<s32>(static_cast<u32>(a) << (32 - bits_kept)) >> (32 - bits_kept);
}
// The position of the offset-th set bit counted from `base` (upwards if positive), or all ones.
WARPMARK_INLINE u32 nth_set_bit(u32 mask, u32 base, s32 offset) {
  if (base > 31) return 0xffffffff;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : 0xffffffff;
  const s32 step = offset > 0 ? 1 : -1;
  s32 left = offset > 0 ? offset : offset == Limits<s32>::least ? Limits<s32>::most : -offset;
  for (auto at = static_cast<s32>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<u32>(at);
  }
  return 0xffffffff;
}
WARPMARK_INLINE u32 low24(u32 a) {
  return a & 0xffffff;
}
WARPMARK_INLINE s32 low24(s32 a) {
  return static_cast<s32>(static_cast<u32>(a) << 8) >> 8;
}

template <typename A, typename B>
WARPMARK_INLINE u32 dot_bytes(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 4; ++i) {
    c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> (i * 8))) *
                          static_cast<s32>(static_cast<B>(b >> (i * 8))));
  }
  return c;
}
template <typename A, typename B>
WARPMARK_INLINE u32 dot_halves(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 2; ++i) {
    c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> (i * 16))) *
                          static_cast<s32>(static_cast<B>(b >> (i * 8))));
  }
  return c;
}
// |a - b| of each lane of T, which are 2 or 4.
template <typename T>
WARPMARK_INLINE u32 absolute_difference(u32 a, u32 b, int lane) {
  const int shift = lane * static_cast<int>(8 * sizeof(T));
  // NOLINTBEGIN(bugprone-signed-char-misuse): signs are to be extended
  const auto x = static_cast<s32>(static_cast<T>(a >> shift));
  const auto y = static_cast<s32>(static_cast<T>(b >> shift));
  // NOLINTEND(bugprone-signed-char-misuse)
  return static_cast<u32>(x < y ? y - x : x - y);
}
template <typename T>
WARPMARK_INLINE u32 absolute_differences(u32 a, u32 b) {
  constexpr int bits = 8 * sizeof(T);
  u32 result = 0;
  for (int i = 0; i < 32 / bits; ++i)
    result |= (absolute_difference<T>(a, b, i) & ((1u << bits) - 1)) << (i * bits);
  return result;
}
template <typename T>
WARPMARK_INLINE u32 sum_of_differences(u32 a, u32 b, u32 c) {
  for (int i = 0; i < static_cast<int>(4 / sizeof(T)); ++i) c += absolute_difference<T>(a, b, i);
  return c;
}
template <typename T, typename Op>
WARPMARK_INLINE u32 halves(u32 a, u32 b, Op op) {
  const T low = op(static_cast<T>(a), static_cast<T>(b));
  const T high = op(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
  return static_cast<u16>(low) | static_cast<u32>(static_cast<u16>(high)) << 16;
}

template <typename D, typename A>
WARPMARK_INLINE D clamp_integer(A a) {
  if constexpr (Limits<A>::is_signed) {
    if (a < 0) {
      if (!Limits<D>::is_signed) return 0;
      return static_cast<s64>(a) < static_cast<s64>(Limits<D>::least) ? Limits<D>::least
                                                                      : static_cast<D>(a);
    }
  }
  return static_cast<u64>(a) > static_cast<u64>(Limits<D>::most) ? Limits<D>::most
                                                                 : static_cast<D>(a);
}

// a + b + carry; `out` is the carry out of the top bit.
template <typename T>
WARPMARK_INLINE T add_carry(T a, T b, bool carry, bool& out) {
  T partial, sum;
  const bool first = __builtin_add_overflow(a, b, &partial);
  const bool second = __builtin_add_overflow(partial, static_cast<T>(carry), &sum);
  out = first || second;
  return sum;
}
WARPMARK_INLINE u32 signed_high(u32 a, u32 b) {
  return static_cast<u32>(multiply_high(static_cast<s32>(a), static_cast<s32>(b)));
}
WARPMARK_INLINE u64 signed_high(u64 a, u64 b) {
  return static_cast<u64>(multiply_high(static_cast<s64>(a), static_cast<s64>(b)));
}

// The product of polynomials over the field of two elements: a sum without carries.
WARPMARK_INLINE u128 carryless_product(u64 a, u64 b) {
  u128 product = 0;
  for (u32 bit = 0; bit < 64; ++bit) product ^= (b >> bit & 1) != 0 ? u128{a} << bit : u128{0};
  return product;
}

}  // namespace warpmark::cpu::WARPMARK_ISA
