// Handlers that move fragments of matrices to and from memory, and transpose them.
#include "program/matrix.hpp"

#include <array>
#include <optional>

#include "inspect/observer.hpp"
#include "inspect/policy.hpp"
#include "machine/access_places.hpp"
#include "machine/handlers.hpp"
#include "memory/arena.hpp"
#include "memory/bits.hpp"
#include "memory/generic_address.hpp"
#include "memory/lanes.hpp"

#define WARPMARK_ISA matrix
#include "machine/formats.hpp"

namespace warpmark::cpu {
namespace {

using namespace matrix;

// The bits of element `index` of a lane's fragment whose registers are `slots`.
u64 element_bits(const Lanes& w, const u32* slots, Element type, u32 lane, u32 index) {
  const u32 bits = bits_of(type);
  if (bits == 64) return read_lane<u64>(w.registers, slots[index], lane);
  const u32 packed = 32 / bits;
  const u32 value =
      read_lane<u32>(w.registers, slots[index / packed], lane) >> (index % packed * bits);
  return bits == 32 ? value : value & ((1u << bits) - 1);
}
void set_element(Lanes& w, const u32* slots, Element type, u32 lane, u32 index, u64 value) {
  const u32 bits = bits_of(type);
  if (bits == 64) {
    write_lane<u64>(w.registers, slots[index], lane, value);
    return;
  }
  const u32 packed = 32 / bits, shift = index % packed * bits;
  const u32 slot = slots[index / packed];
  const u32 mask = (bits == 32 ? ~0u : (1u << bits) - 1) << shift;
  const u32 others = read_lane<u32>(w.registers, slot, lane) & ~mask;
  write_lane<u32>(w.registers, slot, lane, others | (static_cast<u32>(value) << shift & mask));
}

struct RowPlace {
  std::byte* host = nullptr;  ///< null after a fault
  Space space = Space::global;
  u64 address = 0;  ///< in that space
};

// The one way to memory of this file: where the bytes of one lane's access lie, of a store those of
// `data`. Fragments lie in global and shared memory only.
RowPlace locate(Lanes& w, const Instruction& i, Space space, u32 lane, u64 address, u32 bytes,
                u32 alignment, const void* data) {
  space = resolve_space(w, space, address);
  if (w.traffic != nullptr) w.traffic->touch(space, address, bytes);
  const bool global = space == Space::global;
  const bool aligned = address % alignment == 0;
  Region& region = global ? w.sites[i.site] : w.objects[i.object];
  bool good = aligned && (global || space == Space::shared) && inside(region, address, bytes);
  if (!good && aligned && global) good = find_region(w, i, address, bytes);
  if (!good) {
    record_fault(w, i, space, lane, address, bytes, data != nullptr);
    return {};
  }
  std::byte* const host = region.host + (address - region.begin);
  if (w.observer != nullptr) {
    const Touch what = data == nullptr                            ? Touch::load
                       : __builtin_memcmp(host, data, bytes) == 0 ? Touch::same_store
                                                                  : Touch::store;
    w.observer->tell<&Check::touch>(w, i, space, lane, address, bytes, what);
  }
  return {host, space, address};
}

// Where a generic access lies counts, as that of its lanes' addresses.
template <Traffic Kind>
void count_generic(Lanes& w, const Instruction& i, u32 mask, u64 offset) {
  u32 global = 0, shared = 0;
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const u64 address = read_lane(w.registers, i.address, lane, !i.address_narrow) + offset;
    if (address - w.local_window >= 3 * Arena::kWindow)
      global |= 1u << lane;
    else if ((address - w.local_window) / Arena::kWindow == 1)
      shared |= 1u << lane;
  }
  Counting<NoObserver>::on_generic<Kind>(w, i, global, 0, shared);
}

// Undefined values are handed on: a tile whose last rows have none may be multiplied, if nobody
// uses those rows of the product.
Definedness element_definedness(const Lanes& w, const u32* slots, Element type, u32 lane,
                                u32 index) {
  const WarpDefinedness& definedness = w.observer->shadow()->definedness(w.warp);
  const u32 bits = bits_of(type), packed = bits == 64 ? 1 : 32 / bits;
  const Definedness whole = definedness.get(slots[index / packed], lane);
  return whole.with(whole.undefined >> (index % packed * bits) & low_bits(bits));
}
void add_element_definedness(Lanes& w, const u32* slots, Element type, u32 lane, u32 index,
                             const Definedness& defined) {
  if (!defined.incomplete()) return;
  WarpDefinedness& definedness = w.observer->shadow()->definedness(w.warp);
  const u32 bits = bits_of(type), packed = bits == 64 ? 1 : 32 / bits;
  const u32 slot = slots[index / packed];
  const u64 others = definedness.get(slot, lane).undefined;
  definedness.set(slot, lane, defined.with(others | defined.undefined << (index % packed * bits)));
}

u64 address_of(const Lanes& w, const Instruction& i, u32 lane) {
  return read_lane(w.registers, i.address, lane, !i.address_narrow);
}

// PTX ISA, "Matrix Storage": rows begin at multiples of what a thread holds of the matrix, and in
// the programming guide pointers are multiples of 32 bytes and rows of 16 apart. An H200 wants no
// more than 16 bytes of either, and faults or is silently wrong with less: that is what is asked
// for.
template <bool Store>
void check_rows(Lanes& w, const Instruction& i, u32 bytes_each_row, u32 bits_each) {
  const u64 need = std::min(bytes_each_row, 16u);
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    u64 address = read_lane(w.registers, i.address, lane, !i.address_narrow) +
                  read_lane<u64>(w.registers, i.b, lane);
    const u64 stride = u64{read_lane<u32>(w.registers, i.a, lane)} * bits_each / 8;
    const Space space = resolve_space(w, i.space, address);
    if (address % need == 0 && stride % need == 0) continue;
    if (address % need == 0) address += stride;
    record_fault(w, i, space, lane, address, static_cast<u32>(need), Store);
  }
}

// wmma.load and wmma.store: lane by lane, element by element. Elements below a byte are loaded with
// the byte they lie in; they are never stored.
template <bool Store>
void move_fragment(Lanes& w, const Instruction& i) {
  const auto form = i.form<MatrixForm>();
  const Element type = form.element(form.part);
  const u32* slots = w.operands + i.more;
  const u32 bits_each = bits_of(type), bytes = bits_each < 8 ? 1 : bits_each / 8;
  const u32 each = form.registers(form.part) * form.packed(form.part);
  if (i.space == Space::generic)
    count_generic<Store ? Traffic::store : Traffic::load>(w, i, w.mask, 0);
  check_rows<Store>(w, i, each * bits_each / 8, bits_each);
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const u64 base = address_of(w, i, lane) + read_lane<u64>(w.registers, i.b, lane);
    const u64 stride = read_lane<u32>(w.registers, i.a, lane);
    for (u32 index = 0; index < each; ++index) {
      const Position at = position_of(form, form.part, lane, index);
      const u64 element = form.a_row ? at.row * stride + at.column : at.column * stride + at.row;
      const u64 address = base + element * bits_each / 8;
      u64 value = Store ? element_bits(w, slots, type, lane, index) : 0;
      const RowPlace place =
          locate(w, i, i.space, lane, address, bytes, bytes, Store ? &value : nullptr);
      ValueShadow* values = place.host == nullptr ? nullptr : shadow_of(w.observer);
      if constexpr (Store) {
        if (place.host != nullptr) __builtin_memcpy(place.host, &value, bytes);
        if (values != nullptr)
          values->write(w, i, place.space, lane, place.address, bytes,
                        element_definedness(w, slots, type, lane, index));
      } else {
        const u64 shift = element * bits_each % 8;
        if (place.host != nullptr) __builtin_memcpy(&value, place.host, bytes);
        if (bits_each < 8) value = value >> shift & low_bits(bits_each);
        set_element(w, slots, type, lane, index, value);
        if (values == nullptr) continue;
        const Definedness read =
            values->read(w, i, place.space, lane, place.address, bytes, bits_each == 64 ? 8 : 4);
        add_element_definedness(w, slots, type, lane, index,
                                read.with(read.undefined >> shift & low_bits(bits_each)));
      }
    }
  }
}

// Up to four matrices of 8 × 8 halves, by matrix, row and column.
template <typename T>
using Halves = std::array<std::array<std::array<T, 8>, 8>, 4>;

// Element (row, column) lies in the lane 4 · row + column / 2, in the low half if its column is
// even; of a transposed matrix it is element (column, row).
template <typename Matrices>
auto& half_of(Matrices& matrices, const Instruction& i, u32 m, u32 lane, u32 half) {
  const u32 row = lane / 4, column = lane % 4 * 2 + half;
  return i.transposed ? matrices[m][column][row] : matrices[m][row][column];
}

// The same for what of them is undefined, if anything is and somebody looks.
class HalfDefinedness {
 public:
  explicit HalfDefinedness(const Lanes& w) : values_(shadow_of(w.observer)) {}
  void read_row(Lanes& w, const Instruction& i, const RowPlace& place, u32 m, u32 row, u32 lane) {
    for (u32 part = 0; values_ != nullptr && part < 2; ++part) {
      const Definedness defined =
          values_->read(w, i, place.space, lane, place.address + 8 * part, 8, 4);
      for (u32 k = 0; defined.incomplete() && k < 4; ++k) {
        if (!halves_) halves_.emplace();
        (*halves_)[m][row][4 * part + k] = defined.with(defined.undefined >> (16 * k) & 0xffff);
      }
    }
  }
  void write_row(Lanes& w, const Instruction& i, const RowPlace& place, u32 m, u32 row,
                 u32 lane) const {
    for (u32 k = 0; values_ != nullptr && k < 8; ++k)
      values_->write(w, i, place.space, lane, place.address + 2 * k, 2,
                     halves_ ? (*halves_)[m][row][k] : Definedness{});
  }
  void read_register(const Lanes& w, const Instruction& i, u32 m, u32 lane, u32 slot) {
    if (values_ == nullptr) return;
    const Definedness defined = values_->definedness(w.warp).get(slot, lane);
    if (!defined.incomplete()) return;
    if (!halves_) halves_.emplace();
    for (u32 half = 0; half < 2; ++half)
      half_of(*halves_, i, m, lane, half) = defined.with(defined.undefined >> (16 * half) & 0xffff);
  }
  void write_register(const Lanes& w, const Instruction& i, u32 m, u32 lane, u32 slot) {
    if (!halves_) return;
    const Definedness low = half_of(*halves_, i, m, lane, 0),
                      high = half_of(*halves_, i, m, lane, 1);
    values_->definedness(w.warp).set(
        slot, lane, (low.incomplete() ? low : high).with(low.undefined | high.undefined << 16));
  }

 private:
  ValueShadow* values_;
  std::optional<Halves<Definedness>> halves_;
};

template <bool Store>
void move_rows(Lanes& w, const Instruction& i) {
  const u32* slots = w.operands + i.more;
  const Space space = i.space;
  if (space == Space::generic)
    count_generic<Store ? Traffic::store : Traffic::load>(w, i, w.mask, 0);
  Halves<u16> matrices{};
  HalfDefinedness definedness(w);
  for (u32 m = 0; m < i.count && Store; ++m) {
    for (u32 lane = 0; lane < 32; ++lane) {
      const u32 pair = read_lane<u32>(w.registers, slots[m], lane);
      for (u32 half = 0; half < 2; ++half)
        half_of(matrices, i, m, lane, half) = static_cast<u16>(pair >> (16 * half));
      definedness.read_register(w, i, m, lane, slots[m]);
    }
  }
  for (u32 m = 0; m < i.count; ++m) {
    for (u32 row = 0; row < 8; ++row) {
      const u32 lane = m * 8 + row;  // whose address it is
      const u64 address = address_of(w, i, lane) + static_cast<u64>(i.imm);
      const RowPlace place =
          locate(w, i, space, lane, address, 16, 16, Store ? matrices[m][row].data() : nullptr);
      if (place.host == nullptr) continue;
      if constexpr (Store)
        __builtin_memcpy(place.host, matrices[m][row].data(), 16);
      else
        __builtin_memcpy(matrices[m][row].data(), place.host, 16);
      if constexpr (Store)
        definedness.write_row(w, i, place, m, row, lane);
      else
        definedness.read_row(w, i, place, m, row, lane);
    }
  }
  if constexpr (!Store) {
    for (u32 m = 0; m < i.count; ++m) {
      for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<u32>(__builtin_ctz(rest));
        write_lane<u32>(
            w.registers, slots[m], lane,
            half_of(matrices, i, m, lane, 0) | u32{half_of(matrices, i, m, lane, 1)} << 16);
        definedness.write_register(w, i, m, lane, slots[m]);
      }
    }
  }
}

// Matrices of 8 rows of 16 bytes, of which four lanes hold a row each (PTX ISA, ldmatrix, .m8n16).
// A row in memory has its 16 elements of `Bits` bits. Those without a sign have padding behind them,
// which is not read; rows of those with one lie behind each other.
template <u32 Bits, bool Signed = false>
void load_narrow_rows(Lanes& w, const Instruction& i) {
  constexpr u32 kElements = 16, kBytes = kElements * Bits / 8, kWord = 4;
  constexpr u32 kAlignment = Signed ? kBytes : 16;
  const u32* slots = w.operands + i.more;
  ValueShadow* const values = shadow_of(w.observer);
  if (i.space == Space::generic) count_generic<Traffic::load>(w, i, w.mask, 0);
  // Bit by bit of a row: what an element has, and whether that is defined.
  const auto element = [](const u32* row, u32 at) {
    u32 bits = 0;
    for (u32 bit = at * Bits; bit < (at + 1) * Bits; ++bit)
      bits |= (row[bit / 32] >> bit % 32 & 1) << (bit - at * Bits);
    constexpr u32 kSign = 1u << (Bits - 1);
    return Signed ? ((bits ^ kSign) - kSign) & 0xff : bits;
  };
  u32 results[4][32] = {};
  Definedness undefined[4][32];
  for (u32 m = 0; m < i.count; ++m) {
    for (u32 row = 0; row < 8; ++row) {
      const u32 lane = m * 8 + row;  // whose address it is
      const u64 address = address_of(w, i, lane) + static_cast<u64>(i.imm);
      const RowPlace place = locate(w, i, i.space, lane, address, kBytes, kAlignment, nullptr);
      if (place.host == nullptr) continue;
      u32 words[kBytes / kWord], missing[kBytes / kWord] = {};
      __builtin_memcpy(words, place.host, kBytes);
      Definedness known;
      for (u32 word = 0; values != nullptr && word < kBytes / kWord; ++word) {
        const Definedness read =
            values->read(w, i, place.space, lane, place.address + kWord * word, kWord, kWord);
        missing[word] = static_cast<u32>(read.undefined);
        if (read.incomplete()) known = read;
      }
      for (u32 at = 0; at < kElements; ++at) {
        const u32 to = row * 4 + at / 4, shift = at % 4 * 8;
        results[m][to] |= element(words, at) << shift;
        const u64 bits = u64{element(missing, at)} << shift;
        if (bits != 0) undefined[m][to] = known.with(undefined[m][to].undefined | bits);
      }
    }
  }
  for (u32 m = 0; m < i.count; ++m) {
    for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<u32>(__builtin_ctz(rest));
      write_lane<u32>(w.registers, slots[m], lane, results[m][lane]);
      if (values != nullptr && undefined[m][lane].incomplete())
        values->definedness(w.warp).set(slots[m], lane, undefined[m][lane]);
    }
  }
}

// Matrices of 16 rows and 8 columns of bytes, stored by columns (PTX ISA, stmatrix, .m16n8): lane
// 4 · row + column / 2 holds two columns of a row, and behind them of the one eight below.
void store_byte_columns(Lanes& w, const Instruction& i) {
  constexpr u32 kColumns = 8, kRows = 16;
  const u32* slots = w.operands + i.more;
  ValueShadow* const values = shadow_of(w.observer);
  if (i.space == Space::generic) count_generic<Traffic::store>(w, i, w.mask, 0);
  for (u32 m = 0; m < i.count; ++m) {
    for (u32 column = 0; column < kColumns; ++column) {
      const u32 lane = m * kColumns + column;  // whose address it is
      const u64 address = address_of(w, i, lane) + static_cast<u64>(i.imm);
      const auto from_of = [&](u32 row) { return row % 8 * 4 + column / 2; };
      const auto shift_of = [&](u32 row) { return 8 * (column % 2 + row / 8 * 2); };
      std::byte bytes[kRows];
      for (u32 row = 0; row < kRows; ++row) {
        const u32 word = read_lane<u32>(w.registers, slots[m], from_of(row));
        bytes[row] = static_cast<std::byte>(word >> shift_of(row));
      }
      const RowPlace place = locate(w, i, i.space, lane, address, kRows, kRows, bytes);
      if (place.host == nullptr) continue;
      __builtin_memcpy(place.host, bytes, kRows);
      for (u32 row = 0; values != nullptr && row < kRows; ++row) {
        const u32 from = from_of(row), shift = shift_of(row);
        const Definedness whole = values->definedness(w.warp).get(slots[m], from);
        values->write(w, i, place.space, lane, place.address + row, 1,
                      whole.with(whole.undefined >> shift & 0xff));
      }
    }
  }
}

void transpose(Lanes& w, const Instruction& i) {
  u16 matrix[8][8];
  for (u32 lane = 0; lane < 32; ++lane) {
    const u32 pair = read_lane<u32>(w.registers, i.a, lane);
    matrix[lane / 4][lane % 4 * 2] = static_cast<u16>(pair);
    matrix[lane / 4][lane % 4 * 2 + 1] = static_cast<u16>(pair >> 16);
  }
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const u32 row = lane / 4, column = lane % 4 * 2;
    write_lane<u32>(w.registers, i.d, lane,
                    matrix[column][row] | u32{matrix[column + 1][row]} << 16);
  }
}

}  // namespace

void fill_matrix(HandlerTable& table) {
  fill_matrix_product(table);
  table.set(Opcode::matrix_load, move_fragment<false>);
  table.set(Opcode::matrix_store, move_fragment<true>);
  table.set(Opcode::matrix_rows_load, move_rows<false>);
  table.set(Opcode::matrix_rows_store, move_rows<true>);
  table.set(Opcode::matrix_rows_load_s4, load_narrow_rows<4, true>);
  table.set(Opcode::matrix_rows_load_4, load_narrow_rows<4>);
  table.set(Opcode::matrix_rows_load_6, load_narrow_rows<6>);
  table.set(Opcode::matrix_rows_store_8, store_byte_columns);
  table.set(Opcode::matrix_transpose, transpose);
}

}  // namespace warpmark::cpu
