// Runs a launch: all blocks of a grid.
#pragma once

#include <cstdint>

#include "machine/block.hpp"

namespace warpmark::cpu {

enum class LaunchEnd : std::uint8_t { good, illegal_address, misaligned_address, timeout, failed };

struct LaunchResult {
  LaunchEnd end = LaunchEnd::good;
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  std::vector<Fault> faults;
};

/// Executes the grid. The program must be bound to handlers that suit shape.exact_bounds. Blocks
/// run in order of their index, one after another, unless one waits too long: then others start
/// before it ends, in an order that depends on nothing but the launch. Throws std::bad_alloc.
LaunchResult run_grid(const Program& program, const LaunchShape& shape, Arena& arena);

}  // namespace warpmark::cpu
