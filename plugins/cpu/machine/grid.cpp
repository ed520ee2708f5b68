// The order of a grid's blocks, the limits of a launch, and the slow paths of memory accesses.
#include "machine/grid.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

namespace warpmark::cpu {
namespace {

// Blocks that wait for others may take this much host memory together, at most so many.
constexpr std::uint64_t kResidentBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kResidentBlocks = 2048;

void add_limit(LaunchState& state, const BlockState* block, const std::string& message) {
  Fault fault;
  fault.kind = FaultKind::limit;
  fault.count = 1;
  fault.message = message;
  if (block != nullptr) fault.block = block->coordinates();
  state.faults.add(fault);
  state.stop = true;
}

}  // namespace

LaunchResult run_grid(const Program& program, const LaunchShape& shape, Arena& arena) {
  LaunchState state(program, shape, arena);
  if (shape.wall_limit_ms != 0) {
    // A limit beyond a year is none; it would overflow the clock.
    const std::uint64_t most = std::uint64_t{365} * 86400 * 1000;
    state.deadline = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(std::min(shape.wall_limit_ms, most));
  }
  const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  const std::uint64_t most = std::clamp<std::uint64_t>(
      kResidentBytes / std::max<std::uint64_t>(1, BlockState::footprint(state)), 1,
      kResidentBlocks);
  std::deque<std::unique_ptr<BlockState>> active;
  std::vector<std::unique_ptr<BlockState>> idle;
  std::uint64_t next = 0;
  bool start = true;
  bool limited = false;
  while (!state.stop && (next < blocks || !active.empty())) {
    if (next < blocks && (active.empty() || (start && active.size() < most))) {
      if (idle.empty()) idle.push_back(std::make_unique<BlockState>(state));
      idle.back()->start(next++);
      active.push_front(std::move(idle.back()));
      idle.pop_back();
    }
    start = false;
    std::unique_ptr<BlockState> block = std::move(active.front());
    active.pop_front();
    const BlockState::Progress progress = block->run();
    const bool over_budget =
        shape.instruction_budget != 0 && state.executed >= shape.instruction_budget &&
        !(progress == BlockState::Progress::finished && active.empty() && next == blocks);
    if (over_budget) {
      limited = true;
      add_limit(state, block.get(),
                "the launch executed " + std::to_string(state.executed) +
                    " thread-instructions, its budget is " +
                    std::to_string(shape.instruction_budget));
    } else if (state.timed_out) {
      limited = true;
      add_limit(state, block.get(),
                "the launch took longer than its limit of " + std::to_string(shape.wall_limit_ms) +
                    " ms");
    }
    if (progress == BlockState::Progress::finished) {
      idle.push_back(std::move(block));
    } else {
      active.push_back(std::move(block));
      start = true;  // whom it waits for may not have started yet
    }
  }
  LaunchResult result;
  result.thread_instructions = state.executed;
  result.warp_instructions = state.warp_instructions;
  result.faults = state.faults.take();
  for (auto fault = result.faults.rbegin(); fault != result.faults.rend(); ++fault) {
    if (fault->kind == FaultKind::illegal_address) result.end = LaunchEnd::illegal_address;
    if (fault->kind == FaultKind::misaligned_address) result.end = LaunchEnd::misaligned_address;
    if (fault->kind == FaultKind::barrier) result.end = LaunchEnd::timeout;
    if (fault->kind == FaultKind::trap) result.end = LaunchEnd::failed;
  }
  if (limited) result.end = LaunchEnd::timeout;
  return result;
}

bool find_region(Lanes& lanes, const Instruction& instruction, std::uint64_t address,
                 std::uint32_t bytes) {
  const Arena& arena = lanes.block->launch().arena;
  const Allocation* allocation = arena.find(address, bytes);
  if (allocation == nullptr) return false;
  lanes.sites[instruction.site] = {allocation->address, allocation->bytes,
                                   arena.host(allocation->address)};
  return true;
}

void record_fault(Lanes& lanes, const Instruction& instruction, Space space, std::uint32_t lane,
                  std::uint64_t address, std::uint32_t bytes, bool store) {
  LaunchState& launch = lanes.block->launch();
  Fault fault;
  fault.kind = address % bytes != 0 ? FaultKind::misaligned_address : FaultKind::illegal_address;
  fault.statement = instruction.statement;
  fault.has_access = true;
  fault.space = space;
  fault.write = store;
  fault.bytes = bytes;
  fault.address = address;
  fault.thread = lanes.block->thread(lanes.warp, lane);
  fault.block = lanes.block->coordinates();
  fault.count = 1;
  if (space == Space::global) {
    const Nearest nearest = launch.arena.nearest(address, bytes);
    if (nearest.allocation != nullptr) {
      fault.allocation = *nearest.allocation;
      fault.side = nearest.side;
      fault.distance = nearest.distance;
    }
  } else {
    const Region& region = space == Space::shared  ? lanes.shared
                           : space == Space::local ? lanes.local
                                                   : lanes.param;
    fault.allocation.bytes = region.size;
    fault.distance = address >= region.size          ? address - region.size + 1
                     : address + bytes > region.size ? 1
                                                     : 0;
    fault.side = fault.distance == 0 ? Nearest::Side::inside : Nearest::Side::after;
  }
  launch.faults.add(fault);
}

}  // namespace warpmark::cpu
