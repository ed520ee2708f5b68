// Expressions of several instructions that depend less on undefined bits than their parts do.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "program/program.hpp"

namespace warpmark::cpu {

/// The function that the last instruction of such an expression computes of registers that still
/// hold the values that the other instructions have read. In b ^ ((a ^ b) & m) each bit depends on
/// a or on b; in x & -x only the bits up to the lowest set bit of x matter; x - x % 256 has only
/// the bits above the lowest eight.
struct Combination {
  enum class Kind : std::uint8_t {
    bitwise,      ///< `table`, as lop3's, of the registers a, b and c, bit by bit
    negative,     ///< `table` of x, which is a, and -x
    predecessor,  ///< `table` of x and x - 1
    masked,       ///< x & `mask`; with `with_sign`, only for x that are not negative
  };
  Kind kind = Kind::bitwise;
  std::uint8_t table = 0;
  std::array<std::uint32_t, 3> slots{Instruction::kNone, Instruction::kNone, Instruction::kNone};
  std::uint64_t mask = 0;
  bool with_sign = false;
};

/// The combinations of a program whose instructions lie in one basic block.
class Combinations {
 public:
  explicit Combinations(const Program& program);
  /// The combination that ends at an instruction, by its number in Program::code; null if there is
  /// none.
  [[nodiscard]] const Combination* find(std::size_t instruction) const {
    const auto found = by_instruction_.find(instruction);
    return found == by_instruction_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::size_t, Combination> by_instruction_;
};

}  // namespace warpmark::cpu
