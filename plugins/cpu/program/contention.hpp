// Accesses whose results the order of threads decides, although they race with nothing.
#pragma once

#include "program/program.hpp"

namespace warpmark::cpu {

/// Returns whether a statement is an atomic operation, or a load or store that is volatile, relaxed,
/// acquiring or releasing.
bool is_strong(const InstructionFacts& facts);

/// Whether a statement may be one, as far as it alone shows: an atomic operation that swaps, or a
/// load or store that is volatile, relaxed, acquiring or releasing. Each begins a block of its own,
/// so that other threads can come between two of them. Of other atomic operations
/// it depends on who reads their results.
bool may_contend(const InstructionFacts& facts);

/// Fills in Program::contended and Program::contends_globally. An atomic operation contends if its
/// result is read, it swaps or wraps around, or adds numbers that are rounded; if another one to
/// the same kind of memory does not commute with it; a strong store always, and a strong load if
/// anything strong writes to that kind of memory.
void find_contention(Program& program);

}  // namespace warpmark::cpu
