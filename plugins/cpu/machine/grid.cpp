// How the blocks of a grid are run, and how a launch ends.
#include "machine/grid.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "machine/access_places.hpp"
#include "machine/in_order.hpp"
#include "machine/rotation.hpp"
#include "machine/schedule.hpp"
#include "machine/speculative.hpp"

namespace warpmark::cpu {
namespace {

// Blocks that wait for others may take this much host memory together, at most so many.
constexpr std::uint64_t kResidentBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kResidentBlocks = 2048;
// The limits of a cooperative grid, whose blocks must all run at the same time.
constexpr std::uint64_t kCooperativeBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kCooperativeBlocks = 1 << 16;
// The workspace of cooperative groups: its barrier's counter lies at byte 4.
constexpr std::uint64_t kWorkspaceBytes = 4096;

using Time = std::chrono::steady_clock;

Time::time_point deadline_of(const LaunchShape& shape) {
  if (shape.wall_limit_ms == 0) return Time::time_point::max();
  // A limit beyond a year is none; it would overflow the clock.
  const std::uint64_t most = std::uint64_t{365} * 86400 * 1000;
  return Time::now() + std::chrono::milliseconds(std::min(shape.wall_limit_ms, most));
}

// The error that a launch ends with.
LaunchEnd end_of(const std::vector<Fault>& faults) {
  LaunchEnd end = LaunchEnd::good;
  for (auto fault = faults.rbegin(); fault != faults.rend(); ++fault) {
    if (fault->goes_on) continue;
    if (fault->kind == FaultKind::illegal_address) end = LaunchEnd::illegal_address;
    if (fault->kind == FaultKind::misaligned_address) end = LaunchEnd::misaligned_address;
    if (fault->kind == FaultKind::barrier) end = LaunchEnd::timeout;
    if (fault->kind == FaultKind::trap || fault->kind == FaultKind::handle ||
        fault->kind == FaultKind::surface || fault->kind == FaultKind::heap) {
      end = LaunchEnd::failed;
    }
    if (fault->kind == FaultKind::descriptor) end = LaunchEnd::illegal_instruction;
    if (fault->kind == FaultKind::stack) end = LaunchEnd::stack;
    if (fault->kind == FaultKind::invalid_pc) end = LaunchEnd::invalid_pc;
    if (fault->kind == FaultKind::assertion) end = LaunchEnd::assertion;
  }
  return end;
}

// Collects the results of a launch from `state`.
LaunchResult result_of(LaunchState& state, const Counters& counters, Profile profile,
                       bool limited) {
  LaunchResult result;
  result.thread_instructions = state.executed;
  result.warp_instructions = state.warp_instructions;
  result.counters = counters;
  result.profile = std::move(profile);
  result.faults = state.faults.take();
  merge_places(result.faults, state.program);
  result.printed = std::move(state.printed);
  result.asserted = std::move(state.asserted);
  result.launches = std::move(state.device.launches);
  result.end = limited ? LaunchEnd::timeout : end_of(result.faults);
  return result;
}

LaunchState begin(const Program& program, const LaunchShape& shape, Arena& arena) {
  LaunchState state(program, shape, arena);
  state.deadline = deadline_of(shape);
  state.random_state = shape.schedule_seed;
  return state;
}

// Blocks of a launch with checks on several threads; nothing, and memory is as before, if they
// must run on one.
std::optional<LaunchResult> speculate(const Program& program, const LaunchShape& shape,
                                      Arena& arena) {
  Counters counters{};
  Profile profile;
  LaunchState state = begin(program, shape, arena);
  bool limited = false;
  if (!run_speculatively(state, counters, profile, limited)) return std::nullopt;
  return result_of(state, counters, std::move(profile), limited);
}

}  // namespace

bool in_rotation(const Program& program, const LaunchShape& shape) {
  const bool clusters = shape.cluster != std::array<std::uint32_t, 3>{1, 1, 1};
  // By a schedule's seed others may come between any two accesses by which blocks may meet.
  const bool meet = shape.schedule_seed != 0 && program.contends_globally;
  return program.waits || program.cancels || clusters || shape.cooperative || meet;
}

std::uint64_t resident_blocks(const Program& program, const LaunchShape& shape) {
  const std::uint64_t bytes = shape.cooperative ? kCooperativeBytes : kResidentBytes;
  return std::clamp<std::uint64_t>(
      bytes / std::max<std::uint64_t>(1, BlockState::footprint(program, shape)), 1,
      shape.cooperative ? kCooperativeBlocks : kResidentBlocks);
}

// Memory of the blocks in global memory, which nobody has written. PTX ISA, "%perctamemorysize": what
// each has is a multiple of 1024 bytes.
class BlockMemory {
 public:
  BlockMemory(const Program& program, LaunchShape& shape, Arena& arena) : arena_(arena) {
    constexpr std::uint64_t kUnit = 1024;
    const std::uint64_t bytes = program.function->block_memory.value_or(0);
    const std::uint64_t pitch = (bytes + kUnit - 1) / kUnit * kUnit;
    if (pitch == 0) return;
    const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
    if (pitch <= arena.capacity() / std::max<std::uint64_t>(blocks, 1))
      address_ = arena.allocate(pitch * blocks);
    if (address_ == 0) throw std::bad_alloc();
    shape.block_memory = address_;
    shape.block_memory_pitch = pitch;
  }
  ~BlockMemory() {
    if (address_ != 0) arena_.free(address_);
  }
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;

 private:
  Arena& arena_;
  std::uint64_t address_ = 0;
};

LaunchResult run_grid(const Program& program, const LaunchShape& asked, Arena& arena) {
  LaunchShape shape = asked;
  const BlockMemory block_memory(program, shape, arena);
  const bool checks = shape.checks.any() && shape.inspection != nullptr;
  const bool rotates = in_rotation(program, shape);
  bool serialized = false;
  if (checks && !rotates && may_speculate(program, shape, arena)) {
    if (std::optional<LaunchResult> result = speculate(program, shape, arena)) return *result;
    serialized = true;
  }
  if (shape.cooperative) {
    shape.workspace = arena.allocate(kWorkspaceBytes);
    if (shape.workspace == 0) throw std::bad_alloc();
    arena.set_values(shape.workspace, kWorkspaceBytes, true);
  }
  LaunchState state = begin(program, shape, arena);
  std::optional<LaunchObserver> observer;
  if (checks) observer.emplace(shape.checks, *shape.inspection, program, homes_in(state));
  const std::span<LaunchObserver> observers =
      observer ? std::span(&*observer, 1) : std::span<LaunchObserver>();
  if (observer) state.observer = &*observer;
  Counters counters{};
  Profile profile;
  const bool limited = rotates ? run_in_rotation(state, counters, profile)
                               : run_in_order(state, observers, counters, profile);
  if (shape.workspace != 0) arena.free(shape.workspace);
  if (observer) {
    for (const Fault& fault : observer->end()) state.faults.add(fault);
  }
  LaunchResult result = result_of(state, counters, std::move(profile), limited);
  result.serialized = serialized;
  return result;
}

}  // namespace warpmark::cpu
