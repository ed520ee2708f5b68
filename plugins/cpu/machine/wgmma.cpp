// Products of warpgroups (wgmma): what a warp multiplies, and the instructions beside the product.
//
// A product takes place when a warp issues it, 16 rows by each of the four warps, so that results
// are those of a warpgroup whose products are done at once. Only the checks know until when a
// product may still be under way.
#include "machine/wgmma.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "inspect/observer.hpp"
#include "machine/access_places.hpp"
#include "machine/block.hpp"
#include "machine/handlers.hpp"
#include "program/wgmma.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint32_t kPiece = MatrixDescriptor::kPiece;

std::uint32_t first_lane(const Lanes& w) {
  return static_cast<std::uint32_t>(__builtin_ctz(w.mask));
}
std::uint64_t wide_of_first(const Lanes& w, std::uint32_t slot) {
  return read_lane<std::uint64_t>(w.registers, slot, first_lane(w));
}

// The offsets of b's pieces in shared memory, in the order of WarpProduct::b, and the rows of b
// that were made of what lay there last: the four warps of a group, and a kernel's tiles, ask again
// and again.
struct KnownMatrix {
  std::uint64_t descriptor = 0;
  std::int64_t form = 0;
  bool valid = false;
  std::vector<std::uint32_t> pieces;
  std::vector<std::byte> bytes;
  std::vector<float> numbers;
  std::vector<std::int16_t> exponents;
  RowsOfB rows;
};

// Each thread that executes blocks has its own. Descriptors of neighbouring tiles lie side by side.
KnownMatrix& known_matrix(std::uint64_t descriptor) {
  constexpr std::uint64_t kKept = 32;
  static thread_local std::array<KnownMatrix, kKept> known;
  return known[(descriptor ^ descriptor >> 5 ^ descriptor >> 10) % kKept];
}

void find_pieces(const WgmmaForm& form, std::uint64_t descriptor, KnownMatrix& known) {
  const MatrixDescriptor matrix(descriptor);
  known.descriptor = descriptor;
  std::memcpy(&known.form, &form, sizeof form);
  known.rows.filled = false;
  known.valid = true;
  known.pieces.clear();
  if (form.b_transposed) {
    for (std::uint32_t k = 0; k < form.k(); ++k)
      for (std::uint32_t piece = 0; piece < form.n8; ++piece)
        known.pieces.push_back(matrix.by_columns(piece, k));
  } else {
    const std::uint32_t each = form.k() * bits_of(form.b) / 8 / kPiece;
    for (std::uint32_t row = 0; row < form.n(); ++row)
      for (std::uint32_t piece = 0; piece < each; ++piece)
        known.pieces.push_back(matrix.by_rows(row, piece));
  }
  known.bytes.resize(known.pieces.size() * kPiece);
}

// Those of a warp's rows of a.
std::vector<std::uint32_t> pieces_of_a(const WgmmaForm& form, std::uint64_t descriptor,
                                       std::uint32_t warp) {
  const MatrixDescriptor matrix(descriptor);
  std::vector<std::uint32_t> pieces;
  pieces.reserve(2 * std::size_t{WarpProduct::kRows});
  if (form.a_transposed) {
    for (std::uint32_t k = 0; k < form.kept(); ++k)
      for (std::uint32_t piece = 0; piece < 2; ++piece)
        pieces.push_back(matrix.by_columns(2 * warp + piece, k));
  } else {
    for (std::uint32_t row = 0; row < WarpProduct::kRows; ++row)
      for (std::uint32_t piece = 0; piece < 2; ++piece)
        pieces.push_back(matrix.by_rows(WarpProduct::kRows * warp + row, piece));
  }
  return pieces;
}

// The one way to memory of this file. False after recording a fault: matrices lie in the block's
// own shared memory.
bool read_pieces(Lanes& w, const Instruction& i, const std::vector<std::uint32_t>& pieces,
                 std::byte* to) {
  for (const std::uint32_t piece : pieces) {
    if (w.shared.size < kPiece || piece > w.shared.size - kPiece) {
      record_fault(w, i, Space::shared, first_lane(w), piece, kPiece, false);
      return false;
    }
    std::memcpy(to, w.shared.host + piece, kPiece);
    to += kPiece;
  }
  return true;
}

// a in registers lies as that of mma.m16n8: register r has 4 bytes of row lane / 4 + 8 (r % 2).
void read_registers(const Lanes& w, const std::uint32_t* slots, std::byte* to) {
  for (std::uint32_t r = 0; r < WgmmaForm::kRegistersOfA; ++r) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t row = lane / 4 + r % 2 * 8, at = lane % 4 * 4 + r / 2 * 16;
      std::memcpy(to + std::size_t{row} * WarpProduct::kBytesOfRow + at,
                  w.registers + slots[r] + lane * 4, 4);
    }
  }
}

// PTX ISA, "Sparse matrix storage" of wgmma: of four elements, or of two of 32 bits, those that are
// kept, in two bits each; of 32 bits there are two such numbers for each element. A thread gives
// those of 8 pieces of four bits: of elements below 16 bits those of a row of its own, else those
// of two rows, and only the pairs of threads that the selector chooses count.
void read_places(const Lanes& w, const Instruction& i, const WgmmaForm& form,
                 WarpProduct& product) {
  const bool narrow = bits_of(form.a) == 8, single = bits_of(form.a) == 32;
  const std::uint32_t pieces = form.k() / (single ? 2 : 4);  // of a row
  for (std::uint32_t row = 0; row < WarpProduct::kRows; ++row) {
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      const std::uint32_t part = piece / (pieces / 2), within = piece % (pieces / 2);
      const std::uint32_t lane =
          row % 8 * 4 + (narrow ? row / 8 + 2 * part : part + (form.selector ? 2 : 0));
      const std::uint32_t shift = 4 * within + (narrow ? 0 : row / 8 * 16);
      const std::uint32_t chosen = read_lane<std::uint32_t>(w.registers, i.e, lane) >> shift & 15;
      std::uint8_t* const places = product.places[row];
      if (single) {
        places[piece] = static_cast<std::uint8_t>(2 * piece + (chosen >> 1 & 1));
      } else {
        places[2 * piece] = static_cast<std::uint8_t>(4 * piece + (chosen & 3));
        places[2 * piece + 1] = static_cast<std::uint8_t>(4 * piece + (chosen >> 2));
      }
    }
  }
}

// scale-d, which all lanes should have alike: where it is false, d begins at 0.
bool accumulates(Lanes& w, const Instruction& i, const WgmmaForm& form,
                 const std::uint32_t* registers) {
  if (i.c == Instruction::kNone) return form.accumulates;
  const auto value = read_lane<std::uint32_t>(w.registers, i.c, 0);
  const std::uint32_t lanes = (i.negated ? ~value : value) & w.mask;
  if (lanes == 0 || lanes == w.mask) return lanes != 0;
  for (std::uint32_t r = 0; r < form.registers(); ++r)
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if ((w.mask & ~lanes) >> lane & 1)
        write_lane<std::uint32_t>(w.registers, registers[r], lane, 0);
  return true;
}

// Elements without a value, by rows of a and columns of b: they leave a row or a column of d without
// one.
class Undefined {
 public:
  Undefined(Lanes& w, const Instruction& i) : w_(w), i_(i), values_(*w.observer->shadow()) {}

  // The pieces of a matrix, and those of its that other warps read; `lines_of` calls back with each
  // line that a piece is part of.
  template <typename LinesOf>
  void add(const std::vector<std::uint32_t>& pieces, const std::vector<std::uint32_t>& others,
           const char* what, std::vector<Definedness>& lines, LinesOf lines_of) {
    std::size_t without = 0;
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      if (values_.is_defined(pieces[at], kPiece)) continue;
      bool any = false;
      for (std::uint32_t byte = 0; byte < kPiece; ++byte) {
        if (values_.is_defined(pieces[at] + byte, 1))
          any = true;
        else
          lines_of(at, byte, [&](std::uint32_t line) {
            lines[line] = Definedness::make(~std::uint64_t{0}, Space::shared, i_.statement);
          });
      }
      without += any ? 0 : 1;
    }
    if (without < pieces.size() || pieces.empty() || any_defined(others)) return;
    values_.multiply_nothing(w_, i_, pieces[0], what);
    std::fill(lines.begin(), lines.end(), Definedness{});
  }

 private:
  [[nodiscard]] bool any_defined(const std::vector<std::uint32_t>& pieces) const {
    return std::any_of(pieces.begin(), pieces.end(), [&](std::uint32_t piece) {
      bool any = false;
      for (std::uint32_t byte = 0; byte < kPiece; ++byte)
        any = any || values_.is_defined(piece + byte, 1);
      return any;
    });
  }

  Lanes& w_;
  const Instruction& i_;
  ValueShadow& values_;
};

// Undefined values are handed on, as products of fragments do: a tile whose last rows have none may
// be multiplied, if nobody uses those rows of the product.
void hand_on_values(Lanes& w, const Instruction& i, const WarpProduct& product,
                    const std::vector<std::uint32_t>& of_a,
                    const std::vector<std::uint32_t>& of_b) {
  if (w.observer->shadow() == nullptr) return;
  const auto form = i.form<WgmmaForm>();
  WarpDefinedness& registers = w.observer->shadow()->definedness(w.warp);
  std::vector<Definedness> rows(WarpProduct::kRows), columns(form.n());
  Undefined undefined(w, i);
  std::vector<std::uint32_t> others_of_a;
  for (std::uint32_t warp = 0; !of_a.empty() && warp < WgmmaForm::kWarps; ++warp) {
    for (const std::uint32_t piece : pieces_of_a(form, wide_of_first(w, i.a), warp))
      if (piece <= w.shared.size - kPiece) others_of_a.push_back(piece);
  }
  const std::uint32_t each = 128 / bits_of(form.b);  // elements of a piece
  undefined.add(
      of_a, others_of_a, "multiplied, as are all of matrix A", rows,
      [&](std::size_t at, std::uint32_t byte, auto line) {
        line(static_cast<std::uint32_t>(form.a_transposed ? at % 2 * 8 + byte / 2 : at / 2));
      });
  undefined.add(of_b, {}, "multiplied, as are all of matrix B", columns,
                [&](std::size_t at, std::uint32_t byte, auto line) {
                  line(static_cast<std::uint32_t>(form.b_transposed ? at % form.n8 * 8 + byte / 2
                                                                    : at * each / form.k()));
                });
  const std::uint32_t* const a = product.d + 2 * std::size_t{form.registers()};
  for (std::uint32_t r = 0; form.a_registers && registers.any() && r < 4; ++r) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const Definedness defined = registers.get(a[r], lane);
      if (defined.incomplete()) rows[lane / 4 + r % 2 * 8] = defined;
    }
  }
  const bool halves = form.d == Element::f16;
  for (std::uint32_t r = 0; r < form.registers(); ++r) {
    for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
      const Definedness before =
          product.accumulates ? registers.get(product.d[r], lane) : Definedness{};
      Definedness after = before.computing(before.undefined);
      for (std::uint32_t part = 0; part < (halves ? 2u : 1u); ++part) {
        const std::uint32_t index = halves ? 2 * r + part : r;
        const std::uint32_t row = lane / 4 + index / 2 % 2 * 8,
                            column = index / 4 * 8 + lane % 4 * 2 + index % 2;
        const Definedness& cause = rows[row].incomplete() ? rows[row] : columns[column];
        const std::uint64_t bits = halves ? std::uint64_t{0xffff} << (16 * part) : 0xffffffff;
        if (cause.incomplete())
          after = {after.undefined | bits, cause.origin | Definedness::kComputed};
      }
      registers.set(product.d[r], lane, after);
    }
  }
}

}  // namespace

bool collect(Lanes& w, const Instruction& i, WarpProduct& product) {
  const auto form = i.form<WgmmaForm>();
  product.type_a = form.a;
  product.type_b = form.b;
  product.type_d = form.d;
  product.n = form.n();
  product.k = form.k();
  product.kept = form.kept();
  product.a_transposed = form.a_transposed;
  product.b_transposed = form.b_transposed;
  product.a_negated = form.a_negated;
  product.b_negated = form.b_negated;
  product.saturate = form.saturate;
  product.sparse = form.sparse;
  product.d = w.operands + i.more;

  std::vector<std::uint32_t> of_a;
  if (form.a_registers) {
    read_registers(w, product.d + 2 * std::size_t{form.registers()}, product.a);
  } else {
    of_a = pieces_of_a(form, wide_of_first(w, i.a), w.warp % WgmmaForm::kWarps);
    if (!read_pieces(w, i, of_a, product.a)) return false;
  }
  if (form.sparse) read_places(w, i, form, product);

  const std::uint64_t descriptor = wide_of_first(w, i.b);
  KnownMatrix& known = known_matrix(descriptor);
  if (!known.valid || known.descriptor != descriptor || known.form != i.imm)
    find_pieces(form, descriptor, known);
  std::array<std::byte, std::size_t{WarpProduct::kMostN} * WarpProduct::kMostK> now;
  if (!read_pieces(w, i, known.pieces, now.data())) return false;
  const std::size_t bytes = known.bytes.size();
  if (std::memcmp(now.data(), known.bytes.data(), bytes) != 0) {
    std::memcpy(known.bytes.data(), now.data(), bytes);
    known.rows.filled = false;
  }
  product.b = known.bytes.data();
  if (form.b != Element::b1) {
    const std::size_t size = std::size_t{form.n()} * form.k();
    known.numbers.resize(size);
    known.exponents.resize(size);
    known.rows.numbers = known.numbers.data();
    known.rows.exponents = known.exponents.data();
    product.b_rows = &known.rows;
  }
  product.accumulates = accumulates(w, i, form, product.d);
  if (w.observer != nullptr) {
    w.observer->tell<&Check::multiply_in_group>(w, i, of_a, known.pieces);
    hand_on_values(w, i, product, of_a, known.pieces);
  }
  return true;
}

namespace {

// The order of groups is for the checks alone: results are those of products that are done at once.
void steer(Lanes& w, const Instruction& i) {
  if (w.observer != nullptr) w.observer->tell<&Check::steer_group>(w, i);
}

}  // namespace

void fill_warpgroups(HandlerTable& table) {
  table.set(Opcode::matrix_group_fence, steer);
  table.set(Opcode::matrix_group_commit, steer);
  table.set(Opcode::matrix_group_wait, steer);
  table.set(Opcode::matrix_set_registers, steer);
}

}  // namespace warpmark::cpu
