// Helpers to find the object that an access's address is derived from.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "program/program.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {

/// Returns whether the register at a slot holds a number in the whole kernel, not computed from any
/// address.
using Numbers = std::function<bool(std::uint32_t slot)>;
/// Returns whether an instruction is an access whose object is not known yet.
using Accesses = std::function<bool(const Instruction& instruction)>;

/// Fills in Instruction::object of accesses through pointers that are read from memory. `uses` are
/// the uses of each instruction.
void find_loaded_pointers(Program& program, const std::vector<Uses>& uses, const Numbers& is_number,
                          const Accesses& is_open);

}  // namespace warpmark::cpu
