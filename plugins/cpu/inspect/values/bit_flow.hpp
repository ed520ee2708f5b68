// Arithmetic instructions, bit by bit: which bits of a result depend on undefined ones.
#pragma once

#include <array>
#include <cstdint>

#include "inspect/values/combination.hpp"
#include "inspect/values/partial_value.hpp"
#include "program/opcode.hpp"

namespace warpmark::cpu {

/// The undefined bits of a result, for one lane, and where they come from.
struct BitFlow {
  static constexpr std::size_t kOperands = 4;
  std::uint64_t undefined = 0;
  /// By operand: undefined bits of the result that are unchanged bits of the operand, from any
  /// position. Undefined bits of no operand are computed.
  std::array<std::uint64_t, kOperands> copied{};
  bool low_part = false;  ///< the low bits of an operand, cut out with zeros before them
  bool joined = false;    ///< other bits are put beside undefined ones
  bool carry = false;     ///< the carry out is undefined
};

/// The flow from the operands a, b, c and e of an arithmetic operation, each as wide as its type
/// says; the carry in of a carry chain is the last operand. Selections, comparisons and operations
/// on predicates do not count as arithmetic.
BitFlow flow_of_bits(const OpcodeInfo& info,
                     const std::array<PartialValue, BitFlow::kOperands>& operands);

/// The flow from the registers of a Combination to the result of its last instruction, which `info`
/// describes.
BitFlow flow_of_combination(const OpcodeInfo& info, const Combination& combination,
                            const std::array<PartialValue, 3>& registers);

/// Returns whether the operation gives the same result for any value with itself: xor and sub.
bool cancels_itself(const OpcodeInfo& info);

/// Returns whether a comparison's outcome is undefined.
bool undefined_comparison(const OpcodeInfo& info, const PartialValue& a, const PartialValue& b);

}  // namespace warpmark::cpu
