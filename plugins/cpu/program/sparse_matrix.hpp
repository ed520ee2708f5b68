// The metadata of sparse matrices, and the factors of blocks: which lane holds which.
#pragma once

#include <cstdint>

#include "program/matrix.hpp"

namespace warpmark::cpu {

/// PTX ISA, "Sparse matrix storage" and the figures of "Metadata" for each shape of mma.sp. A row of
/// a is made of groups of elements of which half are not zero, and four bits say which: two numbers
/// of two bits, one behind the other; of tf32 one of two patterns.
struct SparseMetadata {
  const MatrixForm& form;

  /// Elements of a group: 2 of tf32, 8 of four bits, which go in pairs, 4 of others.
  [[nodiscard]] std::uint32_t group() const {
    const std::uint32_t bits = form.bits(Part::a);
    return bits == 32 ? 2 : bits == 4 ? 8 : 4;
  }
  [[nodiscard]] std::uint32_t groups() const { return form.k() / group(); }

  struct Place {
    std::uint32_t lane = 0, shift = 0;
  };
  /// The four bits of a group. Of elements of 16 bits and more a register has four groups of a row
  /// and of the one eight rows below; of narrower ones it has eight groups of one row.
  [[nodiscard]] Place place(std::uint32_t row, std::uint32_t number) const {
    const std::uint32_t first = row % 8 * 4, low = row / 8;
    if (form.bits(Part::a) >= 16) {
      const std::uint32_t lanes = groups() / 4;
      return {first + form.selector % (4 / lanes) * lanes + number / 4, low * 16 + number % 4 * 4};
    }
    return {first + low + 2 * (number / 8) + 2 * (form.selector % 2), number % 8 * 4};
  }
  /// Numbers of the selector: how often the lanes of the metadata fit into four.
  [[nodiscard]] std::uint32_t selectors() const {
    if (form.bits(Part::a) >= 16) return 4 / (groups() / 4);
    return groups() > 8 ? 1 : 2;
  }
  /// Column of a, in the whole matrix, of element `at` of a row in registers.
  [[nodiscard]] std::uint32_t column(std::uint32_t four_bits, std::uint32_t at) const {
    const std::uint32_t each = group(), half = each / 2;
    const std::uint32_t base = at / half * each, within = at % half;
    if (each == 2) return base + (four_bits >> 1 & 1);
    if (each == 4) return base + (four_bits >> (2 * within) & 3);
    return base + (four_bits >> (2 * (within / 2)) & 3) * 2 + within % 2;
  }
  /// Null, or what is wrong with the four bits of a group.
  [[nodiscard]] const char* wrong(std::uint32_t four_bits) const {
    constexpr std::uint32_t kFirst = 0x4, kSecond = 0xe;
    if (group() == 2)
      return four_bits == kFirst || four_bits == kSecond ? nullptr : "is neither 0b0100 nor 0b1110";
    const std::uint32_t one = four_bits & 3, other = four_bits >> 2;
    if (one == other) return "names one place twice";
    return form.ordered && one > other ? "is not in increasing order" : nullptr;
  }
};

/// Factors of blocks of k, "Block scaling". A register has four factors of a byte.
struct BlockScales {
  /// The lane whose register has the factors of a row of a, of a column of b.
  static constexpr std::uint32_t lane(Part part, std::uint32_t line, std::uint32_t lane_number) {
    return part == Part::a ? line % 8 * 4 + line / 8 + 2 * (lane_number & 1)
                           : line * 4 + (lane_number & 3);
  }
};

}  // namespace warpmark::cpu
