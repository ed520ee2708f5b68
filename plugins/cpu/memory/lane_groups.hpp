// How the addresses of a warp's lanes lie to each other.
// Compiled once for each WARPMARK_ISA; see memory/levels.hpp for what that forbids.
#pragma once

#include <immintrin.h>

#include "memory/levels.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

/// The accesses of 32 lanes, in groups of eight: a tile of 8 or 16 columns is read so. T is the type
/// of the addresses, u32 or u64, in whose arithmetic they follow each other.
template <typename T>
struct LaneGroups {
  static constexpr int kLanes = 8, kCount = 4;
  enum class Kind : u8 {
    contiguous,  ///< each lane accesses what lies behind the lane before
    broadcast,   ///< all access one place
    rows,        ///< each group does one of the two
    scattered
  };
  Kind kind = Kind::scattered;
  u8 at_one = 0;  ///< rows: the groups that access one place

  [[nodiscard, gnu::always_inline]] bool is_at_one(int group) const {
    return (at_one >> group & 1) != 0;
  }

  /// Returns whether each lane accesses what lies behind the lane before.
  [[gnu::always_inline]] static bool in_order(const T* base, u32 bytes) {
    const Wide* lanes = reinterpret_cast<const Wide*>(base);
    const auto shift = static_cast<T>(__builtin_ctz(bytes));
    const T first = base[0];
    Wide apart{};
    const Wide* numbers = reinterpret_cast<const Wide*>(kNumbers);
    for (int v = 0; v < 32 / kWide; ++v) apart |= lanes[v] ^ (first + (numbers[v] << shift));
#ifdef __AVX512F__
    const auto all = __builtin_bit_cast(__m512i, apart);
    return _mm512_test_epi64_mask(all, all) == 0;
#else
    return is_zero(apart);
#endif
  }

  /// The groups of accesses of `bytes` bytes, a power of two; lane L's address is base[L] plus what
  /// all add.
  [[gnu::always_inline]] static LaneGroups of(const T* base, u32 bytes) {
    const Vector* lanes = reinterpret_cast<const Vector*>(base);
    const auto shift = static_cast<T>(__builtin_ctz(bytes));
    Vector numbers;
    for (int i = 0; i < kVector; ++i) numbers[i] = static_cast<T>(i);
    const Vector steps = numbers << shift;
    const T first = lanes[0][0], stride = static_cast<T>(kVector) << shift;
    Vector expected = first + steps, apart = lanes[0] ^ expected;
    for (int v = 1; v < kVectors; ++v) apart |= lanes[v] ^ (expected += stride);
    if (is_zero(apart)) return {Kind::contiguous, 0};
    apart = lanes[0] ^ first;
    for (int v = 1; v < kVectors; ++v) apart |= lanes[v] ^ first;
    if (is_zero(apart)) return {Kind::broadcast, 0};
    constexpr int kOfGroup = kLanes / kVector;
    u32 at_one = 0;
    for (int group = 0; group < kCount; ++group) {
      const Vector* own = lanes + group * kOfGroup;
      const T begin = own[0][0];
      Vector no_order = own[0] ^ (begin + steps), no_place = own[0] ^ begin;
      if constexpr (kOfGroup == 2) {
        no_order |= own[1] ^ (begin + stride + steps);
        no_place |= own[1] ^ begin;
      }
      if (is_zero(no_order)) continue;
      if (!is_zero(no_place)) return {};
      at_one |= 1u << group;
    }
    return {Kind::rows, static_cast<u8>(at_one)};
  }

 private:
  // Longer ones are taken apart in memory on processors that have none.
  static constexpr int kBytes = 32, kVector = kBytes / sizeof(T), kVectors = 32 / kVector;
  // From memory: a compiler makes such vectors one element after the other.
  alignas(64) static constexpr T kNumbers[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
#ifdef __AVX512F__
  static constexpr int kWide = 64 / sizeof(T);
#else
  static constexpr int kWide = kVector;
#endif
  typedef T Wide __attribute__((vector_size(kWide * sizeof(T)), aligned(8), may_alias));
  typedef T Vector __attribute__((vector_size(kBytes), aligned(8), may_alias));
  typedef u64 Four __attribute__((vector_size(32), aligned(8), may_alias));
  typedef u64 Two __attribute__((vector_size(16)));

  [[gnu::always_inline]] static bool is_zero(const Vector& vector) {
    const Four& four = reinterpret_cast<const Four&>(vector);
    const Two two =
        __builtin_shufflevector(four, four, 0, 1) | __builtin_shufflevector(four, four, 2, 3);
    return (two[0] | two[1]) == 0;
  }
};

}  // namespace warpmark::cpu::WARPMARK_ISA
