// Expressions of several instructions that depend less on undefined bits than their parts do.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "program/program.hpp"

namespace warpmark::cpu {

/// What the last instruction of such an expression computes from registers that still hold what the
/// others have read. In b ^ ((a ^ b) & m) each bit depends on a or on b; in x & -x only the bits up
/// to the lowest one of x matter; x - x % 256 has those above the lowest eight.
struct Combination {
  enum class Kind : std::uint8_t {
    bitwise,      ///< `table`, as lop3's, of the registers a, b and c, bit by bit
    negative,     ///< `table` of x, which is a, and -x
    predecessor,  ///< `table` of x and x - 1
    masked,       ///< x & `mask`; if it is `with_sign` for those x that are not negative
  };
  Kind kind = Kind::bitwise;
  std::uint8_t table = 0;
  std::array<std::uint32_t, 3> slots{Instruction::kNone, Instruction::kNone, Instruction::kNone};
  std::uint64_t mask = 0;
  bool with_sign = false;
};

/// Those of a program, of instructions that lie in one block of it.
class Combinations {
 public:
  explicit Combinations(const Program& program);
  /// That of an instruction, by its number in Program::code; null if it is no such expression.
  [[nodiscard]] const Combination* find(std::size_t instruction) const {
    const auto found = by_instruction_.find(instruction);
    return found == by_instruction_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::size_t, Combination> by_instruction_;
};

}  // namespace warpmark::cpu
