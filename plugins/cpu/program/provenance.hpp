// The parts of finding what the address of an access is derived from.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "program/program.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {

/// Whether the register at a slot holds a number in the whole kernel, computed from no address.
using Numbers = std::function<bool(std::uint32_t slot)>;
/// Whether it is an access of which nothing is known yet.
using Accesses = std::function<bool(const Instruction& instruction)>;

/// Fills in Instruction::object of accesses through pointers that are read from memory. `uses` are
/// those of each instruction.
void find_loaded_pointers(Program& program, const std::vector<Uses>& uses, const Numbers& is_number,
                          const Accesses& is_open);

}  // namespace warpmark::cpu
