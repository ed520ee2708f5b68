// Blocks that do not wait for each other.
#pragma once

#include <span>

#include "machine/block.hpp"

namespace warpmark::cpu {

/// Returns whether the log has a fault other than a limit of the launch's time or instructions.
bool finds(const FaultLog& faults);

/// The number of host threads that may run the blocks.
std::size_t workers_for(const Program& program, const LaunchShape& shape);

/// Runs the blocks on several threads, as if one after another. For checks beyond bounds each
/// thread has an observer; if there are observers, there are no more threads than observers.
/// Returns true if a limit ended the launch. A launch that is abandoned (Speculation) has no
/// result.
bool run_in_order(LaunchState& state, std::span<LaunchObserver> observers, Counters& counters,
                  Profile& profile);

}  // namespace warpmark::cpu
