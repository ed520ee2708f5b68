// Runs blocks on several threads with checks.
#pragma once

#include "machine/block.hpp"

namespace warpmark::cpu {

/// Returns whether a launch with checks, whose blocks do not wait for each other, may run on
/// several threads at all.
bool may_speculate(const Program& program, const LaunchShape& shape, Arena& arena);

/// Runs the launch as Speculation describes; each thread has separate records. Returns false if the
/// launch must run again on one thread; memory is then as before. Sets `limited` if a limit of the
/// host's time ended the launch.
bool run_speculatively(LaunchState& state, Counters& counters, Profile& profile, bool& limited);

}  // namespace warpmark::cpu
