// One warp's part of a product of its warpgroup: what it multiplies, taken from shared memory and
// registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/lanes.hpp"
#include "program/matrix.hpp"

namespace warpmark::cpu {

/// The matrix b as rows of numbers, and their exponents (aligned_sums.hpp). The warps of a group
/// multiply by the same b one after another: the first of them fills it.
struct RowsOfB {
  float* numbers = nullptr;
  std::int16_t* exponents = nullptr;
  bool filled = false;
  bool narrow = false;  ///< ExponentRange::narrow
};

/// The 16 rows that a warp gives to d = a · b + d. Made in code for the least processor, for the
/// product, which is compiled for each level and shares no inline function.
struct WarpProduct {
  static constexpr std::uint32_t kRows = 16, kBytesOfRow = 32, kMostK = 64, kMostN = 256;

  Element type_a = Element::f16, type_b = Element::f16, type_d = Element::f32;
  std::uint32_t n = 0, k = 0, kept = 0;  ///< kept: elements of a row of a, of which k are logical
  bool a_transposed = false, b_transposed = false, a_negated = false, b_negated = false;
  bool saturate = false, sparse = false;
  bool accumulates = false;          ///< d is an addend
  const std::uint32_t* d = nullptr;  ///< slots of its registers
  /// Rows of 32 bytes; of a transposed a, which has 16 bits, columns of 16 elements.
  alignas(64) std::byte a[std::size_t{kRows} * kBytesOfRow];
  /// For a sparse a: which of the k elements of a row each kept one is.
  std::uint8_t places[kRows][kMostK / 2];
  /// Columns of k elements; of a transposed b rows of n.
  const std::byte* b = nullptr;
  /// Room for b as rows of n numbers, except for single bits.
  RowsOfB* b_rows = nullptr;
};

/// Collects what the lanes of a warp multiply. False after recording a fault.
bool collect(Lanes& w, const Instruction& i, WarpProduct& product);

}  // namespace warpmark::cpu
