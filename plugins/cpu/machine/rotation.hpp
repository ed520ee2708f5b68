// Blocks that may wait for each other.
#pragma once

#include "machine/block.hpp"

namespace warpmark::cpu {

/// One thread gives each block its share in turn; if one waits too long others start before it
/// ends, in an order that depends on nothing but the launch. True if a limit ended the launch.
bool run_in_rotation(LaunchState& state, Counters& counters, Profile& profile);

}  // namespace warpmark::cpu
