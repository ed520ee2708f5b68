// Strong accesses (atomic, volatile, relaxed …) whose order with others decides a value.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ptx/instruction_set.hpp"

namespace warpmark::cpu {

struct Program;

/// How a strong access of a program changes memory, and where the value that it returns goes.
struct StrongAccess {
  Modifier operation = Modifier::none;  ///< `add`, `exch`, `cas` …; none for loads and stores
  bool writes = false;
  /// The value reaches the data of a store or of another atomic operation. Such a value in an
  /// address, or in a comparison, is the idiom of tickets, queues and flags.
  bool shows = false;
  /// The access waits for other threads, or tries again: a lock, a poll, a compare and swap.
  bool waits = false;
};

/// By statement, of the accesses that may decide something.
using DecidingAccesses = std::unordered_map<std::uint32_t, StrongAccess>;

/// Returns true if two accesses to one place that nothing orders leave or return another value the
/// other way round: they are of different statements, and they do not commute, or one of them
/// shows a value that the other changes.
bool order_decides(const StrongAccess& one, const StrongAccess& other);

/// Fills in Program::deciding: accesses of the kernel itself that decide with some other one of the
/// same kind of memory. Marks volatile loads of loops that do not wait for what they load
/// (Instruction::kOnce). With -G there are none, because values go through local memory there.
void find_deciding_accesses(Program& program);

}  // namespace warpmark::cpu
