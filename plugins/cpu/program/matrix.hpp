// The shapes of matrix instructions, and which lane holds which element of a fragment.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

/// Element types of matrices; `bits_of` gives how wide they are in a register.
enum class Element : std::uint8_t {
  f16,
  bf16,
  tf32,
  f32,
  f64,
  s8,
  u8,
  s4,
  u4,
  b1,
  s32,
  e4m3,
  e5m2,
  e2m3,
  e3m2,
  e2m1
};

constexpr std::uint32_t bits_of(Element element) {
  switch (element) {
    case Element::f64:
      return 64;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::s8:
    case Element::u8:
    case Element::e4m3:
    case Element::e5m2:
    case Element::e2m3:
    case Element::e3m2:
      return 8;
    case Element::s4:
    case Element::u4:
    case Element::e2m1:
      return 4;
    case Element::b1:
      return 1;
    default:
      return 32;
  }
}

/// One of the matrices of d = a · b + c.
enum class Part : std::uint8_t { a, b, c, d };

/// The form of a matrix instruction, kept in Instruction::imm.
struct MatrixForm {
  std::uint8_t m = 0, n = 0;
  std::uint8_t k4 = 0;  ///< k / 4, since k is up to 256
  Element a : 4 = Element::f16, b : 4 = Element::f16;
  Element c : 4 = Element::f32, d : 4 = Element::f32;
  bool a_row : 1 = true;  ///< of a load or store: the layout of its part in memory
  bool b_row : 1 = false;
  bool saturate : 1 = false;
  bool conjunction : 1 = false;  ///< b1: counts a & b, else a ^ b
  bool wmma : 1 = false;
  Part part : 2 = Part::a;  ///< part that is loaded or stored
  /// mma.sp: of each few elements of a row of a, half are in registers, and the metadata say which.
  bool sparse : 1 = false;
  bool ordered : 1 = false;       ///< the metadata are sorted: sp::ordered_metadata
  std::uint8_t selector : 2 = 0;  ///< lanes of the metadata (sparse_matrix.hpp)
  bool in_bytes : 1 = false;      ///< an element of four bits takes a byte, and is in its middle
  std::uint8_t scales : 3 = 0;    ///< .block_scale: factors of a row of a, and of a column of b
  bool scales_e4m3 : 1 = false;   ///< they are ue4m3, else ue8m0
  std::uint8_t rounding : 2 = 0;  ///< of binary64, as the processor counts: nearest, down, up, zero

  [[nodiscard]] std::uint32_t k() const { return k4 * 4u; }
  [[nodiscard]] std::uint32_t rows(Part of) const { return of == Part::b ? k() : m; }
  /// Those in registers: of a sparse matrix half of them.
  [[nodiscard]] std::uint32_t columns(Part of) const {
    return of == Part::a ? k() / (sparse ? 2 : 1) : n;
  }
  [[nodiscard]] Element element(Part of) const {
    return of == Part::a ? a : of == Part::b ? b : of == Part::c ? c : d;
  }
  /// Bits of an element in a register.
  [[nodiscard]] std::uint32_t bits(Part of) const {
    const std::uint32_t bits = bits_of(element(of));
    return in_bytes && bits < 8 ? 8 : bits;
  }
  /// Elements in one register.
  [[nodiscard]] std::uint32_t packed(Part of) const {
    const std::uint32_t bits = this->bits(of);
    return bits >= 32 ? 1 : 32 / bits;
  }
  /// Registers of a lane. The two inputs of wmma in binary16 lie in two lanes each.
  [[nodiscard]] std::uint32_t registers(Part of) const {
    const bool input = of == Part::a || of == Part::b;
    if (wmma && input && element(of) == Element::f16) return 8;
    const std::uint32_t elements = rows(of) * columns(of) * (volta() ? 4 : 1);
    return elements / 32 / packed(of);
  }
  /// Registers behind those of the sums: metadata; of each input factors, a byte's and a lane's
  /// number.
  [[nodiscard]] std::uint32_t further() const { return (sparse ? 1 : 0) + (scales != 0 ? 6 : 0); }
  /// mma.m8n8k4 of binary16: four products side by side, each by eight lanes.
  [[nodiscard]] bool volta() const { return !wmma && k4 == 1 && a == Element::f16; }
};

struct Position {
  std::uint32_t row = 0, column = 0;
  std::uint32_t product = 0;  ///< which of mma.m8n8k4's four
};

/// The position in the matrix of element `index` (0 is the lowest of the first register) of a
/// lane's fragment. mma: the figures of the PTX ISA, "Matrix Fragments for mma". wmma: the ISA does
/// not define it; the lanes take the elements in row-major order, `index` by `index`.
inline Position position_of(const MatrixForm& form, Part part, std::uint32_t lane,
                            std::uint32_t index) {
  const std::uint32_t packed = form.packed(part);
  if (form.wmma) {
    const std::uint32_t each = form.registers(part) * packed;
    const std::uint32_t columns = form.columns(part);
    const std::uint32_t at = (lane * each + index) % (form.rows(part) * columns);
    return {at / columns, at % columns, 0};
  }
  if (form.volta()) {
    const std::uint32_t product = lane / 4 % 4, low = lane % 4, high = lane < 16 ? 0 : 4;
    if (part == Part::a)
      return form.a_row ? Position{low + high, index, product}
                        : Position{index + high, low, product};
    if (part == Part::b)
      return form.b_row ? Position{low, index + high, product}
                        : Position{index, low + high, product};
    if (form.element(part) == Element::f16) return {low + high, index, product};
    return {(lane & 1) + (index & 2) + high, (index & 4) + (lane & 2) + (index & 1), product};
  }
  const std::uint32_t group = lane / 4, low = lane % 4;
  if (part == Part::c || part == Part::d)
    return {group + 8 * (index / 2), low * 2 + (index & 1), 0};
  const std::uint32_t reg = index / packed, within = low * packed + index % packed;
  if (part == Part::b) return {within + reg * 4 * packed, group, 0};
  const std::uint32_t tall = form.m / 8;
  return {group + 8 * (reg % tall), within + reg / tall * 4 * packed, 0};
}

}  // namespace warpmark::cpu
