// Blocks on several threads while something checks them.
#pragma once

#include "machine/block.hpp"

namespace warpmark::cpu {

/// Whether a launch with checks, whose blocks do not wait for each other, may run on several
/// threads at all.
bool may_speculate(const Program& program, const LaunchShape& shape, Arena& arena);

/// Runs it, as Speculation says; each thread has records of its own. False: it must run again on
/// one thread, and memory is as it was before. `limited`: a limit of the host's time ended it.
bool run_speculatively(LaunchState& state, Counters& counters, Profile& profile, bool& limited);

}  // namespace warpmark::cpu
