// A launch: its geometry and limits, and the state that its blocks share.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "inspect/observer.hpp"
#include "machine/device_launch.hpp"
#include "machine/output.hpp"
#include "machine/seeded_schedule.hpp"
#include "memory/arena.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {

class DeviceHeap;
struct Module;

/// Geometry and limits of a launch.
struct LaunchShape {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared = 0;  ///< bytes
  std::vector<std::byte> parameters;
  std::uint64_t instruction_budget = 0;  ///< thread-instructions; 0 = none
  std::uint64_t wall_limit_ms = 0;       ///< 0 = none
  bool exact_bounds = true;
  Checks checks;  ///< beyond bounds; they need exact bounds, and the memory below
  InspectionMemory* inspection = nullptr;
  const TrafficMap* traffic = nullptr;    ///< of the program, if memory traffic is to be counted
  const RegisterRuns* renewed = nullptr;  ///< find_renewed() of the program; null: all registers
  class MulticastMappings* multicasts = nullptr;  ///< of the process, or null
  int device = 0;                                 ///< that runs it
  const struct ImageTable* images = nullptr;  ///< images that the kernel's handles name, or null
  std::uint32_t workers = 1;                  ///< threads of the host that execute blocks
  bool speculates = true;  ///< several threads also with checks: no launch was serialized yet
  std::uint64_t schedule_seed = 0;  ///< another order of blocks, warps and fragments; 0 = the usual
  std::array<std::uint32_t, 3> cluster{1, 1, 1};  ///< blocks; divides the grid
  bool explicit_cluster = false;                  ///< the kernel or the launch gave its size
  bool cooperative = false;                       ///< all blocks run at the same time
  std::uint64_t workspace = 0;                    ///< of a cooperative grid; run_grid sets it
  /// Memory of the blocks (.minperctamemory), so many bytes for each; run_grid sets it.
  std::uint64_t block_memory = 0, block_memory_pitch = 0;
  DeviceHeap* heap = nullptr;                           ///< if the program uses it
  std::uint64_t printf_bytes = std::uint64_t{1} << 20;  ///< of the launch's FIFO
  const Module* module = nullptr;         ///< of the kernel, if it may launch others of it
  std::uint32_t depth = 0;                ///< of launches by kernels that led here
  const CoverageMap* coverage = nullptr;  ///< of the program, if what runs of it is to be counted
  bool samples = false;                   ///< of traffic, if it is counted, are taken
  class Stepper* stepper = nullptr;       ///< of a debugger, or null
};

class Turns;

/// The state that the blocks of a launch share.
struct LaunchState {
  LaunchState(const Program& the_program, const LaunchShape& the_shape, Arena& the_arena)
      : program(the_program),
        shape(the_shape),
        arena(the_arena),
        schedule(the_shape.schedule_seed, the_program),
        tally(the_program) {
    printed.limit = asserted.limit = the_shape.printf_bytes;
    if (the_shape.traffic != nullptr)
      traffic.emplace(*the_shape.traffic, the_shape.block[0], the_shape.samples);
    if (the_shape.coverage != nullptr) coverage.emplace(*the_shape.coverage);
  }

  const Program& program;
  const LaunchShape& shape;
  Arena& arena;
  const SeededSchedule schedule;
  bool rotates = false;  ///< blocks take turns before they have ended
  FaultLog faults;
  PrintLog printed, asserted;  ///< for standard output, and for standard error
  DeviceLaunches device;
  std::uint64_t executed = 0;  ///< thread-instructions
  std::uint64_t warp_instructions = 0;
  std::uint64_t last = 0;  ///< thread-instructions after which a launch that has failed ends, or 0
  /// The registers of a block's warps as every block finds them; laid out by the first.
  std::vector<std::byte> registers;
  Tally tally;
  std::optional<TrafficCounts> traffic;  ///< set if traffic is counted
  /// Takes the counts since the last call, including visits. Must be called before Tally::take().
  Profile take_profile() {
    Profile profile;
    if (traffic) profile = traffic->take(tally);
    if (coverage) coverage->take(tally, profile);
    return profile;
  }
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  bool timed_out = false;  ///< the deadline has passed
  /// The number of `executed` at which the clock is looked at next within a turn, which recursion
  /// can make long, or at which the budget is spent.
  std::uint64_t next_look = 0;
  std::uint64_t clock_reads = 0;
  Turns* turns = nullptr;              ///< if blocks run in parallel, or in order
  std::uint64_t turn = 0;              ///< of the block that runs, if there are turns
  bool in_turn = false;                ///< all earlier blocks have retired
  bool parallel = false;               ///< others work on the same memory now
  LaunchObserver* observer = nullptr;  ///< if there are checks beyond bounds
  Speculation* speculation = nullptr;  ///< … and several threads run blocks
  std::uint64_t active = 1;            ///< blocks that have begun and not ended, in this thread
  bool stop = false;  ///< budget, wall limit or deadlock: the launch ends with error 702

  /// Takes the next cluster that has not begun out of the launch, and gives the coordinates of its
  /// first block; nothing if all have begun.
  std::function<std::optional<std::array<std::uint32_t, 3>>()> cancel;

  std::uint64_t random_state = 0;  ///< of the schedule
  /// A number below `end` > 0 that depends on the schedule's seed (the generator is splitmix64).
  std::uint32_t random(std::uint32_t end) {
    std::uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((z ^ z >> 31) % end);
  }

  /// Returns true if nothing more is to run: the budget is spent, or there are enough reports.
  bool ends() {
    if (executed < next_look && !stop && !faults.fatal() && !faults.full()) return false;
    return ends_now();
  }
  /// Returns whether the launch ends because its time is over.
  bool over_time();

  [[nodiscard]] std::uint32_t threads() const {
    return shape.block[0] * shape.block[1] * shape.block[2];
  }
  [[nodiscard]] std::uint32_t warps() const { return (threads() + 31) / 32; }

  std::optional<CoverageCounts> coverage;  ///< set if coverage is counted

 private:
  /// Thread-instructions that a launch may still execute when it has failed, to find what else is
  /// wrong: threads may wait for ever for one that the failure has kept from doing what they wait
  /// for.
  static constexpr std::uint64_t kAfterFailure = 100'000'000;

  bool ends_now();
  bool looks_at_clock();
};

}  // namespace warpmark::cpu
