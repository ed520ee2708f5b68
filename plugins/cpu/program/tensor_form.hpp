// The operands of instructions that copy boxes of tensors.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

/// Instruction::imm of copy_tensor and prefetch_tensor. address = the box in shared memory, a = the
/// tensor map (a generic address of 64 bits), c = mbarrier or none, d = blocks of a multicast or
/// none (no result), coordinates from `more`, and behind them the offsets of im2col (16 bits). The
/// map is read by Instruction::site + 1.
struct TensorForm {
  enum class Reduction : std::uint8_t { none, add, min, max, inc, dec, bit_and, bit_or, bit_xor };
  std::uint8_t rank = 1;
  bool to_global = false;
  Reduction reduction = Reduction::none;
  bool im2col = false;
  std::uint8_t offsets = 0;

  [[nodiscard]] std::int64_t pack() const {
    return rank | (to_global ? 0x100 : 0) | (im2col ? 0x200 : 0) | offsets << 12 |
           static_cast<std::int64_t>(reduction) << 16;
  }
  static TensorForm unpack(std::int64_t imm) {
    return {static_cast<std::uint8_t>(imm & 0xff), (imm & 0x100) != 0,
            static_cast<Reduction>(imm >> 16 & 0xff), (imm & 0x200) != 0,
            static_cast<std::uint8_t>(imm >> 12 & 0xf)};
  }
};

}  // namespace warpmark::cpu
