// Runs a launch: all blocks of a grid.
#pragma once

#include <cstdint>

#include "machine/block.hpp"

namespace warpmark::cpu {

enum class LaunchEnd : std::uint8_t {
  good,
  illegal_address,
  misaligned_address,
  timeout,
  failed,
  stack,
  invalid_pc,
  assertion,
  illegal_instruction
};

struct LaunchResult {
  LaunchEnd end = LaunchEnd::good;
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  Counters counters{};
  Profile profile;  ///< if the shape asked for traffic
  std::vector<Fault> faults;
  PrintLog printed, asserted;          ///< of printf, and of assertions that failed
  std::vector<DeviceLaunch> launches;  ///< what the kernel launched, and has not begun
  /// Several threads could not run the blocks, because of what was found or what the blocks share.
  bool serialized = false;
};

/// How many blocks of such a launch can run at the same time; 1 or more.
std::uint64_t resident_blocks(const Program& program, const LaunchShape& shape);

/// Executes the grid. The program must be bound to handlers that suit shape.exact_bounds.
///
/// Blocks of a program that cannot wait for each other (Program::waits) run on shape.workers
/// threads, with the results, faults and counters of one after another in order of their index: an
/// atomic on global memory whose result depends on order waits for all earlier blocks. An
/// instruction budget then ends a launch behind the block that passes it. With checks beyond bounds
/// the threads first run as if they find nothing, and the launch runs again on one of them if they
/// do (speculative.hpp). Blocks that may wait for each other run on one thread (rotation.hpp).
/// Throws std::bad_alloc.
LaunchResult run_grid(const Program& program, const LaunchShape& shape, Arena& arena);

}  // namespace warpmark::cpu
