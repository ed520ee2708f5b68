// Blocks that do not wait for each other.
#pragma once

#include <span>

#include "machine/block.hpp"

namespace warpmark::cpu {

/// Whether something is among them that is no limit of the launch's time or instructions.
bool finds(const FaultLog& faults);

/// Threads of the host that may run them.
std::size_t workers_for(const Program& program, const LaunchShape& shape);

/// Runs them on several threads, as if one after another. What is checked beyond bounds each thread
/// has an observer for; if there are any, there are no more threads than these. True if a limit
/// ended the launch. A launch that is abandoned (Speculation) has no result.
bool run_in_order(LaunchState& state, std::span<LaunchObserver> observers, Counters& counters,
                  Profile& profile);

}  // namespace warpmark::cpu
