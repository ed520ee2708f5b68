// Accesses whose results depend on the order of threads, although they do not race.
#pragma once

#include "program/program.hpp"

namespace warpmark::cpu {

/// Returns whether a statement is an atomic operation, or a load or store that is volatile, relaxed,
/// acquiring or releasing.
bool is_strong(const InstructionFacts& facts);

/// Returns whether a statement by itself may be such an access: an atomic operation that swaps, or
/// a load or store that is volatile, relaxed, acquiring or releasing. Each begins a separate block,
/// so that other threads can run between two of them. Other atomic operations contend only if their
/// results are read.
bool may_contend(const InstructionFacts& facts);

/// Fills in Program::contended and Program::contends_globally. An atomic operation contends if its
/// result is read, it swaps or wraps around, or adds numbers that are rounded; if another one to
/// the same kind of memory does not commute with it; a strong store always, and a strong load if
/// anything strong writes to that kind of memory.
void find_contention(Program& program);

}  // namespace warpmark::cpu
