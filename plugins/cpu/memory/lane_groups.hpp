// How the addresses of a warp's lanes lie to each other.
// Compiled once for each WARPMARK_ISA; see memory/levels.hpp for what that forbids.
#pragma once

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

  /// Of accesses of `bytes` bytes, a power of two; lane L's address is base[L] plus what all add.
  [[gnu::always_inline]] static LaneGroups of(const T* base, u32 bytes) {
    const Vector* group = reinterpret_cast<const Vector*>(base);
    const int shift = __builtin_ctz(bytes);
    const Vector steps = Vector{0, 1, 2, 3, 4, 5, 6, 7} << static_cast<T>(shift);
    const T stride = static_cast<T>(kLanes) << shift;
    Vector apart = group[0] ^ (group[0][0] + steps);
    for (int g = 1; g < kCount; ++g)
      apart |= group[g] ^ (group[0][0] + static_cast<T>(g) * stride + steps);
    if (is_zero(apart)) return {Kind::contiguous, 0};
    apart = group[0] ^ group[0][0];
    for (int g = 1; g < kCount; ++g) apart |= group[g] ^ group[0][0];
    if (is_zero(apart)) return {Kind::broadcast, 0};
    u32 at_one = 0;
    for (int g = 0; g < kCount; ++g) {
      const T first = group[g][0];
      if (is_zero(group[g] ^ (first + steps))) continue;
      if (!is_zero(group[g] ^ first)) return {};
      at_one |= 1u << g;
    }
    return {Kind::rows, static_cast<u8>(at_one)};
  }

 private:
  typedef T Vector __attribute__((vector_size(kLanes * sizeof(T)), aligned(8), may_alias));
  typedef u64 Four __attribute__((vector_size(32)));
  typedef u64 Two __attribute__((vector_size(16)));

  [[gnu::always_inline]] static bool is_zero(const Vector& vector) {
    if constexpr (sizeof(T) == 8) {
      return is_zero_four(__builtin_shufflevector(vector, vector, 0, 1, 2, 3) |
                          __builtin_shufflevector(vector, vector, 4, 5, 6, 7));
    } else {
      return is_zero_four(reinterpret_cast<const Four&>(vector));
    }
  }
  [[gnu::always_inline]] static bool is_zero_four(const Four& four) {
    const Two two =
        __builtin_shufflevector(four, four, 0, 1) | __builtin_shufflevector(four, four, 2, 3);
    return (two[0] | two[1]) == 0;
  }
};

}  // namespace warpmark::cpu::WARPMARK_ISA
