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
/// none (no result).
struct BulkForm {
  Space from = Space::shared, to = Space::shared;
  Opcode reduction = Opcode::count;  ///< opcode of the atomic; count: a copy
};

/// store_async: address = to, c = mbarrier, `count` elements from `more`.
struct StoreForm {
  Opcode reduction = Opcode::count;  ///< opcode of the atomic; count: a store
  std::uint8_t bytes = 4;            ///< of an element
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
};

}  // namespace warpmark::cpu
