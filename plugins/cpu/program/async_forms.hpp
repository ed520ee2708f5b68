// The forms of asynchronous copies, stores and reductions in Instruction::imm.
#pragma once

#include <cstdint>

#include "program/opcode.hpp"

namespace warpmark::cpu {

/// copy_async: address = to, in shared memory, a = from, in global memory, b = bytes that are read
/// or none, c = predicate to read nothing or none.
struct CopyForm {
  std::uint8_t bytes = 16;  ///< bytes that are written
};

/// copy_bulk: address = to, a = from, b = bytes, c = mbarrier or none, d = blocks of a multicast or
/// none (no result), e = the bytes of each 16 that are copied, or none: all.
struct BulkForm {
  Space from = Space::shared, to = Space::shared;
  Opcode reduction = Opcode::count;  ///< opcode of the atomic; count: a copy
  bool everywhere = false;           ///< to the memory of several devices
  /// Bytes at either end that may lie outside of an allocation: d and e, then, for no multicast.
  bool ignores = false;
};

/// store_async: address = to, c = mbarrier, `count` elements from `more`.
struct StoreForm {
  Opcode reduction = Opcode::count;  ///< opcode of the atomic; count: a store
  std::uint8_t bytes = 4;            ///< of an element
};

/// multimem_load, …_store and …_reduce: `count` elements from `more`.
struct MultimemForm {
  Opcode reduction = Opcode::count;  ///< opcode of the atomic; count: a store
  std::uint8_t bytes = 4;            ///< of an element's register
  bool f16 = false, bf16 = false;    ///< sums of these in binary32: .acc::f32
};

/// copy_tensor and prefetch_tensor. address = the box in shared memory, a = the tensor map (a
/// generic address of 64 bits), c = mbarrier or none, d = blocks of a multicast or none (no
/// result), coordinates from `more`, and behind them the offsets of im2col (16 bits). The map is
/// read by Instruction::site + 1.
struct TensorForm {
  enum class Reduction : std::uint8_t { none, add, min, max, inc, dec, bit_and, bit_or, bit_xor };
  std::uint8_t rank = 1;
  bool to_global = false;
  Reduction reduction = Reduction::none;
  bool im2col = false;
  std::uint8_t offsets = 0;
  bool rows = false;  ///< four rows of a matrix by their numbers, in the place of one

  [[nodiscard]] std::uint32_t coordinates() const { return rows ? 5 : rank; }
};

/// replace_in_map: address = the map, in `space`, a = the new value (64 bits).
struct TensorMapField {
  enum class Field : std::uint8_t {
    global_address,
    rank,
    box_dim,
    global_dim,
    global_stride,
    element_stride,
    elemtype,
    interleave_layout,
    swizzle_mode,
    swizzle_atomicity,
    fill_mode
  };
  Field field = Field::global_address;
  std::uint8_t ordinal = 0;  ///< the dimension, where there is one for each
};

}  // namespace warpmark::cpu
