// An operation on values made a handler for the 32 lanes of a warp: one template for each form.
// Compiled once for each WARPMARK_ISA; see numerics.hpp for what that forbids.
#pragma once

#include <immintrin.h>

#include "machine/small_floats.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

typedef u32 __attribute__((may_alias)) Raw32;
typedef u64 __attribute__((may_alias)) Raw64;

template <bool Wide>
struct RawOf {
  using type = Raw32;
};
template <>
struct RawOf<true> {
  using type = Raw64;
};
// How the lanes of a value of type T are stored: 8 bytes for 64-bit types, else 4.
template <typename T>
using Raw = typename RawOf<sizeof(T) == 8>::type;

WARPMARK_INLINE f32 from_raw(u32 raw, f32) {
  return real(raw);
}
WARPMARK_INLINE f64 from_raw(u64 raw, f64) {
  return real(raw);
}
template <typename T, typename R>
WARPMARK_INLINE T from_raw(R raw, T) {
  if constexpr (__is_same(T, f16) || __is_same(T, bf16)) {
    return {static_cast<u16>(raw)};
  } else if constexpr (__is_same(T, f16x2) || __is_same(T, bf16x2)) {
    return {raw};
  } else {
    return static_cast<T>(raw);
  }
}
template <typename T>
WARPMARK_INLINE T get(const Raw<T>* lanes, int lane) {
  return from_raw(lanes[lane], T{});
}
WARPMARK_INLINE u32 to_raw(f32 value) {
  return bits(value);
}
WARPMARK_INLINE u64 to_raw(f64 value) {
  return bits(value);
}
template <typename T>
WARPMARK_INLINE auto to_raw(T value) {
  if constexpr (__is_class(T)) {
    return static_cast<u32>(value.pattern);
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<u64>(value);
  } else {
    return static_cast<u32>(static_cast<s32>(value));  // narrow signed values stay sign-extended
  }
}

template <typename T>
WARPMARK_INLINE Raw<T>* slot(Lanes& w, u32 offset) {
  return static_cast<Raw<T>*>(__builtin_assume_aligned(w.registers + offset, 64));
}
WARPMARK_INLINE Raw32& mask_slot(Lanes& w, u32 offset) {
  return *reinterpret_cast<Raw32*>(w.registers + offset);
}
template <bool Full, typename R>
WARPMARK_INLINE void put(R* lanes, u32 mask, int lane, R value) {
  lanes[lane] = Full || (mask >> lane & 1) != 0 ? value : lanes[lane];
}

template <typename T>
constexpr bool small = __is_class(T);
template <typename T>
constexpr bool real_number = __is_same(T, f32) || __is_same(T, f64);
// True if an operation has a separate form for full warps, which saves the selection of lanes.
// Arithmetic of 16-bit floating-point numbers and conversions of real numbers to integers take far
// longer than that, and their code is long: without a second form the library is 1.3 MB smaller.
template <typename D, typename... Operands>
constexpr bool full_form =
    !small<D> && !(small<Operands> || ...) && (real_number<D> || !(real_number<Operands> || ...));

// The result may be one of the operands, always the whole of it, so lanes do not depend on others.
#define WARPMARK_FOR_LANES WARPMARK_NO_DEPENDENCES for (int lane = 0; lane < 32; ++lane)

template <typename Op, typename D, typename A, bool Full>
void unary(Lanes& w, const Instruction& i) {
  Raw<D>* d = slot<D>(w, i.d);
  const Raw<A>* a = slot<A>(w, i.a);
  const u32 mask = w.mask;
  WARPMARK_FOR_LANES put<Full, Raw<D>>(d, mask, lane, to_raw(Op::apply(get<A>(a, lane))));
}

template <typename Op, typename D, typename A, typename B, bool Full>
void binary(Lanes& w, const Instruction& i) {
  Raw<D>* d = slot<D>(w, i.d);
  const Raw<A>* a = slot<A>(w, i.a);
  const Raw<B>* b = slot<B>(w, i.b);
  const u32 mask = w.mask;
  WARPMARK_FOR_LANES put<Full, Raw<D>>(d, mask, lane,
                                       to_raw(Op::apply(get<A>(a, lane), get<B>(b, lane))));
}

template <typename Op, typename D, typename A, typename B, typename C, bool Full>
void ternary(Lanes& w, const Instruction& i) {
  Raw<D>* d = slot<D>(w, i.d);
  const Raw<A>* a = slot<A>(w, i.a);
  const Raw<B>* b = slot<B>(w, i.b);
  const Raw<C>* c = slot<C>(w, i.c);
  const u32 mask = w.mask;
  WARPMARK_FOR_LANES put<Full, Raw<D>>(
      d, mask, lane, to_raw(Op::apply(get<A>(a, lane), get<B>(b, lane), get<C>(c, lane))));
}

template <typename Op, typename D, typename A, typename B, typename C, typename E>
void quaternary(Lanes& w, const Instruction& i) {
  Raw<D>* d = slot<D>(w, i.d);
  const Raw<A>* a = slot<A>(w, i.a);
  const Raw<B>* b = slot<B>(w, i.b);
  const Raw<C>* c = slot<C>(w, i.c);
  const Raw<E>* e = slot<E>(w, i.e);
  const u32 mask = w.mask;
  WARPMARK_FOR_LANES put<false, Raw<D>>(
      d, mask, lane,
      to_raw(Op::apply(get<A>(a, lane), get<B>(b, lane), get<C>(c, lane), get<E>(e, lane))));
}

// The carry flag is a register with one bit a lane: e is the flag that is read, predicate the one
// that .cc sets.
template <typename Op, typename T, bool Reads>
void with_carry(Lanes& w, const Instruction& i) {
  Raw<T>* d = slot<T>(w, i.d);
  const Raw<T>* a = slot<T>(w, i.a);
  const Raw<T>* b = slot<T>(w, i.b);
  const Raw<T>* c = i.c == Instruction::kNone ? a : slot<T>(w, i.c);
  const u32 before = Reads ? mask_slot(w, i.e) : 0;
  u32 after = 0;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    bool out = false;
    d[lane] = Op::apply(static_cast<T>(a[lane]), static_cast<T>(b[lane]), static_cast<T>(c[lane]),
                        (before >> lane & 1) != 0, out);
    after |= static_cast<u32>(out) << lane;
  }
  if (i.predicate == Instruction::kNone) return;
  Raw32& flag = mask_slot(w, i.predicate);
  flag = (flag & ~w.mask) | after;
}

// Another operation in another rounding mode. Nothing may move across the change: the operands are
// read from and the result is written to memory, which the empty assembly claims to change.
template <Handler Base, Round Mode>
void rounded(Lanes& w, const Instruction& i) {
  constexpr u32 bits_of_mode = Mode == Round::zero ? 0x6000 : Mode == Round::down ? 0x2000 : 0x4000;
  const u32 control = _mm_getcsr();
  _mm_setcsr((control & ~0x6000u) | bits_of_mode);
  __asm__ volatile("" ::: "memory");
  Base(w, i);
  __asm__ volatile("" ::: "memory");
  _mm_setcsr(control);
}

// p|q = (a cmp b) op c: q takes the negated comparison.
[[gnu::noinline, maybe_unused]] static void combine(Lanes& w, const Instruction& i, u32 result) {
  u32 yes = result, no = ~result;
  if (i.imm != kCombineNone) {
    const u32 c = i.negated ? ~mask_slot(w, i.c) : mask_slot(w, i.c);
    yes = i.imm == kCombineAnd ? yes & c : i.imm == kCombineOr ? yes | c : yes ^ c;
    no = i.imm == kCombineAnd ? no & c : i.imm == kCombineOr ? no | c : no ^ c;
  }
  const u32 mask = w.mask;
  if (i.d != Instruction::kNone) {
    Raw32& d = mask_slot(w, i.d);
    d = (d & ~mask) | (yes & mask);
  }
  if (i.predicate != Instruction::kNone) {
    Raw32& q = mask_slot(w, i.predicate);
    q = (q & ~mask) | (no & mask);
  }
}

// A bit for the sign of each of 32 numbers, by the one instruction that each level has for it.
WARPMARK_INLINE u32 signs(const s32 (&numbers)[32]) {
  u32 result = 0;
#if defined(__AVX512DQ__)
  for (int k = 0; k < 2; ++k)
    result |= static_cast<u32>(_mm512_movepi32_mask(_mm512_load_si512(numbers + 16 * k)))
              << (16 * k);
#elif defined(__AVX__)
  for (int k = 0; k < 4; ++k)
    result |= static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(
                  _mm256_load_si256(reinterpret_cast<const __m256i*>(numbers + 8 * k)))))
              << (8 * k);
#else
  for (int k = 0; k < 8; ++k)
    result |= static_cast<u32>(_mm_movemask_ps(_mm_castsi128_ps(
                  _mm_load_si128(reinterpret_cast<const __m128i*>(numbers + 4 * k)))))
              << (4 * k);
#endif
  return result;
}

template <typename Op, typename A>
void compare(Lanes& w, const Instruction& i) {
  const Raw<A>* a = slot<A>(w, i.a);
  const Raw<A>* b = slot<A>(w, i.b);
  alignas(64) s32 holds[32];
  for (int lane = 0; lane < 32; ++lane)
    holds[lane] = Op::apply(get<A>(a, lane), get<A>(b, lane)) ? -1 : 0;
  const u32 result = signs(holds);
  const bool plain =
      i.imm == kCombineNone && i.predicate == Instruction::kNone && i.d != Instruction::kNone;
  if (!plain) return combine(w, i, result);
  Raw32& d = mask_slot(w, i.d);
  d = (d & ~w.mask) | (result & w.mask);
}

template <typename T, bool Full>
void select(Lanes& w, const Instruction& i) {
  Raw<T>* d = slot<T>(w, i.d);
  const Raw<T>* a = slot<T>(w, i.a);
  const Raw<T>* b = slot<T>(w, i.b);
  const u32 chosen = i.negated ? ~mask_slot(w, i.c) : mask_slot(w, i.c);
  const u32 mask = w.mask;
  WARPMARK_FOR_LANES put<Full, Raw<T>>(d, mask, lane,
                                       (chosen >> lane & 1) != 0 ? a[lane] : b[lane]);
}

template <typename Op, int Operands>
void masks(Lanes& w, const Instruction& i) {
  Raw32& d = mask_slot(w, i.d);
  const u32 result = Op::apply(mask_slot(w, i.a), Operands == 2 ? mask_slot(w, i.b) : 0);
  d = (d & ~w.mask) | (result & w.mask);
}

}  // namespace warpmark::cpu::WARPMARK_ISA
