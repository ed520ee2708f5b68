// Which lane shfl.sync reads from: the rule of the PTX ISA's pseudo-code, once.
#pragma once

#include <cstdint>

#include "program/opcode.hpp"

namespace warpmark::cpu {

/// redux.sync of binary32, in Instruction::imm.
struct RealReduction {
  bool largest = false;   ///< .max
  bool absolute = false;  ///< .abs
  bool nan = false;       ///< .NaN: one among the values is the result
};

struct ShuffleSource {
  std::uint32_t lane = 0;  ///< out of range its own
  bool in_range = false;   ///< what the predicate of the result says
};

/// The source of `lane` for the operands b and c, before it is known whether that one takes part.
constexpr ShuffleSource shuffle_source(Opcode mode, std::uint32_t lane, std::uint32_t b,
                                       std::uint32_t c) {
  const auto own = static_cast<int>(lane);
  const auto bval = static_cast<int>(b & 31), cval = static_cast<int>(c & 31);
  const auto segmask = static_cast<int>(c >> 8 & 31);
  const int max_lane = (own & segmask) | (cval & ~segmask), min_lane = own & segmask;
  const bool up = mode == Opcode::shfl_up;
  const int j = up                          ? own - bval
                : mode == Opcode::shfl_down ? own + bval
                : mode == Opcode::shfl_bfly ? own ^ bval
                                            : min_lane | (bval & ~segmask);
  const bool in_range = up ? j >= max_lane : j <= max_lane;
  return {in_range ? static_cast<std::uint32_t>(j) : lane, in_range};
}

}  // namespace warpmark::cpu
