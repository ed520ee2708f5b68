// Which registers an instruction reads and writes, for following undefined values.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace warpmark::cpu {

/// Register slots, Instruction::kNone among them where an operand is left out. The guard is not
/// one.
struct Uses {
  std::vector<std::uint32_t> reads;   ///< results depend on them, or they are stored
  std::vector<std::uint32_t> places;  ///< addresses, handles and coordinates
  std::vector<std::uint32_t> writes;
};

/// How many operands the PTX of an arithmetic operation has, the result included.
std::size_t operand_count(Form form);

/// Whether it is a compare and swap, before which one reads the place plainly.
bool is_swap(Opcode opcode);

/// For instructions of every form.
Uses uses_of(const Program& program, const Instruction& instruction);

}  // namespace warpmark::cpu
