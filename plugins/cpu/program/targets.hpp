// Which instructions a .target does not have yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpmark::cpu {

/// The least architecture (80 for sm_80) that has the instruction, as far as it is one that came
/// after sm_75; 0 for all others. Source: the "Target ISA Notes" of the PTX ISA's instructions.
std::uint32_t least_architecture(std::string_view opcode, std::size_t operands);

}  // namespace warpmark::cpu
