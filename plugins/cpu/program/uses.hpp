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

/// The number of operands of an arithmetic operation in PTX, including the result.
std::size_t operand_count(Form form);

/// Returns whether an operation is a compare and swap, before which programs read the place
/// plainly.
bool is_swap(Opcode opcode);

/// The uses of an instruction of any form.
Uses uses_of(const Program& program, const Instruction& instruction);

}  // namespace warpmark::cpu
