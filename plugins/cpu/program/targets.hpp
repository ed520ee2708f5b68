// Which instructions a .target does not have yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpmark::cpu {

struct Target {
  std::uint32_t architecture = 0;  ///< 80 for sm_80
  bool specific = false;           ///< with architecture-specific features: sm_100a or sm_100f
};

/// The least target that has the instruction, as far as it is one that came after sm_75; that of 0
/// for all others. Source: the "Target ISA Notes" of the PTX ISA's instructions.
Target least_target(std::string_view opcode, std::size_t operands);

/// The least .version that has the instruction, 83 for 8.3, where that is above what its least
/// target needs; 0 for all others.
std::uint32_t least_version(std::string_view opcode, std::size_t operands);

/// The same of a special register: 90 for sm_90.
std::uint32_t least_target_of_special(std::string_view name);

}  // namespace warpmark::cpu
