// Reports of where threads wait, in words: those that wait for ever, and those that a limit has
// ended.
#pragma once

#include <cstdint>
#include <string>

#include "inspect/fault.hpp"

namespace warpmark::cpu {

class ObservedBlock;

/// The place where some lanes of a warp are, and what they wait for there.
struct Wait {
  enum class For : std::uint8_t { nothing, barrier, lanes, cluster };
  For what = For::nothing;
  std::uint32_t warp = 0, lanes = 0;
  std::uint32_t node = 0;                   ///< where they go on, of Program::blocks
  std::uint32_t barrier = 0;                ///< its number
  std::uint32_t arrived = 0, expected = 0;  ///< threads, at either barrier
};

/// The statement that a wait before a block of the control-flow graph is for; 0 if it is for none.
std::uint32_t statement_of_wait(const Program& program, std::uint32_t node);
/// Reports a wait as a fault of this kind.
void report_wait(ObservedBlock& block, const Wait& wait, FaultKind kind);
/// "2 threads wait at an mbarrier for 1 of 4 arrivals that never come". Missing bytes are negative
/// if more have come than were expected.
std::string mbarrier_wait_text(std::uint32_t threads, std::uint32_t missing, std::uint32_t expected,
                               std::int32_t missing_bytes);

}  // namespace warpmark::cpu
