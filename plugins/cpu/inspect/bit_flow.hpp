// Arithmetic instructions, bit by bit: which bits of a result depend on undefined ones.
#pragma once

#include <array>
#include <cstdint>

#include "inspect/combination.hpp"
#include "inspect/partial_value.hpp"
#include "program/opcode.hpp"

namespace warpmark::cpu {

/// What is undefined of a result, for one lane.
struct BitFlow {
  static constexpr std::size_t kOperands = 4;
  std::uint64_t undefined = 0;
  /// By operand: undefined bits of the result that are bits of it, unchanged, wherever they stood.
  /// Those of no operand are computed.
  std::array<std::uint64_t, kOperands> copied{};
  bool low_part = false;  ///< the low bits of an operand, cut out with zeros before them
  bool joined = false;    ///< other bits are put beside undefined ones
  bool carry = false;     ///< the carry out is undefined
};

/// Of the operands a, b, c and e of an arithmetic operation, each as wide as its type says; carry
/// chains have the carry in as the last. Selections and comparisons are no arithmetic, nor are
/// operations on predicates.
BitFlow flow_of_bits(const OpcodeInfo& info,
                     const std::array<PartialValue, BitFlow::kOperands>& operands);

/// Of a Combination's registers, which its instruction, of `info`, has read at last.
BitFlow flow_of_combination(const OpcodeInfo& info, const Combination& combination,
                            const std::array<PartialValue, 3>& registers);

/// What is the same of any value with itself: xor and sub.
bool cancels_itself(const OpcodeInfo& info);

/// Whether a comparison's outcome is undefined.
bool undefined_comparison(const OpcodeInfo& info, const PartialValue& a, const PartialValue& b);

}  // namespace warpmark::cpu
