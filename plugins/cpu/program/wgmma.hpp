// The forms of warpgroup matrix products (wgmma), and where their matrices lie in shared memory.
#pragma once

#include <cstdint>

#include "program/matrix.hpp"

namespace warpmark::cpu {

/// The form of wgmma.mma_async, kept in Instruction::imm. Its operands: a and b = descriptors, c =
/// scale-d if it is a register, e = metadata of a sparse a; `more`: the registers of d, and once
/// more as an input, then the four of a if it is no descriptor.
struct WgmmaForm {
  std::uint8_t n8 = 1;  ///< n / 8
  Element a : 4 = Element::f16, b : 4 = Element::f16;
  Element d : 4 = Element::f32;
  bool a_registers : 1 = false;  ///< a is in registers
  bool a_negated : 1 = false;    ///< imm-scale-a = -1
  bool b_negated : 1 = false;
  bool a_transposed : 1 = false;  ///< imm-trans-a: its columns, not its rows, are contiguous
  bool b_transposed : 1 = false;
  bool saturate : 1 = false;
  bool sparse : 1 = false;
  bool selector : 1 = false;    ///< of a sparse a: which pair of four threads gives the metadata
  bool accumulates : 1 = true;  ///< scale-d, if it is no register

  static constexpr std::uint32_t kRows = 64, kWarps = 4, kRegistersOfA = 4;
  [[nodiscard]] std::uint32_t n() const { return n8 * 8u; }
  /// Elements of a row of a, which has 32 bytes; of a sparse one those that are kept.
  [[nodiscard]] std::uint32_t kept() const { return 256 / bits_of(a); }
  /// Elements of a column of b.
  [[nodiscard]] std::uint32_t k() const { return sparse ? 2 * kept() : kept(); }
  /// Registers of d.
  [[nodiscard]] std::uint32_t registers() const { return n() / (d == Element::f16 ? 4 : 2); }
};

/// A matrix descriptor of 64 bits: a place in shared memory, and how a matrix lies there (PTX ISA,
/// "Matrix Descriptor Format"). A matrix is made of pieces of 16 bytes along the dimension that is
/// contiguous.
class MatrixDescriptor {
 public:
  static constexpr std::uint32_t kPiece = 16;

  explicit MatrixDescriptor(std::uint64_t bits)
      : start_(field(bits, 0)),
        leading_(field(bits, 16)),
        stride_(field(bits, 32)),
        base_(static_cast<std::uint32_t>(bits >> 49 & 7)) {
    constexpr std::uint32_t kSwizzled[] = {0, 3, 2, 1};  // none, 128, 64 and 32 bytes
    swizzled_ = kSwizzled[bits >> 62];
  }

  /// The offset in shared memory of a piece of a matrix whose rows, along k, are contiguous.
  [[nodiscard]] std::uint32_t by_rows(std::uint32_t row, std::uint32_t piece) const {
    const std::uint32_t within = piece * kPiece % width(), beyond = piece * kPiece / width();
    return swizzle(row % 8 * width() + row / 8 * stride_ + within + beyond * leading_);
  }
  /// The same of one whose columns are contiguous: the piece of 8 elements of column k.
  [[nodiscard]] std::uint32_t by_columns(std::uint32_t piece, std::uint32_t k) const {
    if (swizzled_ == 0) return swizzle(piece * stride_ + k % 8 * kPiece + k / 8 * leading_);
    const std::uint32_t each = width() / kPiece;
    return swizzle(piece % each * kPiece + piece / each * leading_ + k % 8 * width() +
                   k / 8 * stride_);
  }

 private:
  static std::uint32_t field(std::uint64_t bits, int from) {
    return static_cast<std::uint32_t>(bits >> from & 0x3fff) << 4;
  }
  /// Bytes of a row of the pattern that the swizzle repeats every 8 rows.
  [[nodiscard]] std::uint32_t width() const { return kPiece << swizzled_; }
  /// The address decides which pieces change places, as with copies of boxes: bits 4 … are combined
  /// with bits 7 …, which count from the base offset if the pattern begins at another place.
  [[nodiscard]] std::uint32_t swizzle(std::uint32_t offset) const {
    const std::uint32_t address = start_ + offset;
    const std::uint32_t mask = (1u << swizzled_) - 1;
    return address ^ ((((address >> 7) - base_) & mask) << 4);
  }

  std::uint32_t start_, leading_, stride_, base_, swizzled_ = 0;
};

}  // namespace warpmark::cpu
