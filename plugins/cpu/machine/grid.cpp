// The order of a grid's blocks, the limits of a launch, and the slow paths of memory accesses.
#include "machine/grid.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "machine/heap.hpp"
#include "machine/turns.hpp"

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

using Clock = std::chrono::steady_clock;

std::uint64_t blocks_of(const LaunchShape& shape) {
  return std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
}

Clock::time_point deadline_of(const LaunchShape& shape) {
  if (shape.wall_limit_ms == 0) return Clock::time_point::max();
  // A limit beyond a year is none; it would overflow the clock.
  const std::uint64_t most = std::uint64_t{365} * 86400 * 1000;
  return Clock::now() + std::chrono::milliseconds(std::min(shape.wall_limit_ms, most));
}

std::string budget_text(std::uint64_t executed, const LaunchShape& shape) {
  return "the launch executed " + std::to_string(executed) +
         " thread-instructions, its budget is " + std::to_string(shape.instruction_budget);
}
std::string over_time(const LaunchShape& shape) {
  return "the launch took longer than its limit of " + std::to_string(shape.wall_limit_ms) + " ms";
}

// Blocks that may wait for each other: one thread gives each its share in turn. True if a limit
// ended the launch.
bool run_in_rotation(LaunchState& state, Counters& counters) {
  const LaunchShape& shape = state.shape;
  const std::uint64_t blocks = blocks_of(shape);
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
      add_limit(state, block.get(), budget_text(state.executed, shape));
    } else if (state.timed_out) {
      limited = true;
      add_limit(state, block.get(), over_time(shape));
    }
    if (progress == BlockState::Progress::finished) {
      idle.push_back(std::move(block));
    } else {
      active.push_back(std::move(block));
      start = true;  // whom it waits for may not have started yet
    }
  }
  counters = state.tally.take();
  return limited;
}

// What one worker does: blocks, from start to end, as long as there are any.
void run_blocks(const Program& program, const LaunchShape& shape, Arena& arena, Turns& turns,
                Clock::time_point deadline, bool parallel) {
  LaunchState state(program, shape, arena);
  state.deadline = deadline;
  state.turns = &turns;
  state.parallel = parallel;
  BlockState block(state);
  const std::uint64_t blocks = blocks_of(shape);
  for (std::uint64_t index = turns.take(); index < blocks; index = turns.take()) {
    state.index = index;
    state.executed = state.warp_instructions = state.clock_reads = 0;
    state.stop = state.timed_out = false;
    state.in_turn = !parallel;
    try {
      block.start(index);
      while (block.run() == BlockState::Progress::paused && !state.stop && turns.wanted(index)) {
      }
    } catch (...) {  // out of memory: nobody may wait for this block
      BlockOutcome nothing;
      nothing.stop = true;
      turns.retire(index, std::move(nothing));
      throw;
    }
    turns.retire(index, {state.executed, state.warp_instructions, state.tally.take(),
                         state.faults.take(), std::move(state.printed), std::move(state.asserted),
                         state.stop || state.timed_out, state.timed_out, block.coordinates()});
    state.printed.clear();
    state.asserted.clear();
  }
}

// Blocks that do not wait for each other: on several threads, and as if in order.
bool run_in_order(LaunchState& state, Counters& counters) {
  const LaunchShape& shape = state.shape;
  const std::uint64_t blocks = blocks_of(shape);
  Turns turns(shape, blocks);
  const std::uint64_t most = std::max<std::uint64_t>(
      1, kResidentBytes / std::max<std::uint64_t>(1, BlockState::footprint(state)));
  const auto workers = static_cast<std::size_t>(
      std::min({std::uint64_t{std::max(shape.workers, 1u)}, blocks, most}));
  const auto work = [&] {
    run_blocks(state.program, shape, state.arena, turns, state.deadline, workers > 1);
  };
  std::vector<std::thread> threads;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  for (std::size_t i = 1; i < workers; ++i) {
    try {
      threads.emplace_back([&] {
        try {
          work();
        } catch (...) {
          // It failed before its first block (out of memory), so the others get on without it.
          const std::lock_guard lock(failure_mutex);
          failure = std::current_exception();
        }
      });
    } catch (const std::system_error&) {
      break;  // no more threads: fewer do the same
    }
  }
  try {
    work();
  } catch (...) {
    const std::lock_guard lock(failure_mutex);
    failure = std::current_exception();
  }
  for (std::thread& thread : threads) thread.join();
  if (failure != nullptr) std::rethrow_exception(failure);
  state.executed = turns.executed;
  state.warp_instructions = turns.warp_instructions;
  counters = turns.counters;
  state.faults = std::move(turns.faults);
  state.printed = std::move(turns.printed);
  state.asserted = std::move(turns.asserted);
  if (!turns.over_budget && !turns.timed_out) return false;
  Fault fault;
  fault.kind = FaultKind::limit;
  fault.count = 1;
  fault.block = turns.last_block;
  fault.message = turns.over_budget ? budget_text(turns.executed, shape) : over_time(shape);
  state.faults.add(fault);
  return true;
}

}  // namespace

LaunchResult run_grid(const Program& program, const LaunchShape& shape, Arena& arena) {
  LaunchState state(program, shape, arena);
  state.deadline = deadline_of(shape);
  Counters counters{};
  const bool limited =
      program.waits ? run_in_rotation(state, counters) : run_in_order(state, counters);
  LaunchResult result;
  result.thread_instructions = state.executed;
  result.warp_instructions = state.warp_instructions;
  result.counters = counters;
  result.faults = state.faults.take();
  result.printed = std::move(state.printed);
  result.asserted = std::move(state.asserted);
  for (auto fault = result.faults.rbegin(); fault != result.faults.rend(); ++fault) {
    if (fault->kind == FaultKind::illegal_address) result.end = LaunchEnd::illegal_address;
    if (fault->kind == FaultKind::misaligned_address) result.end = LaunchEnd::misaligned_address;
    if (fault->kind == FaultKind::barrier) result.end = LaunchEnd::timeout;
    if (fault->kind == FaultKind::trap || fault->kind == FaultKind::handle ||
        fault->kind == FaultKind::surface) {
      result.end = LaunchEnd::failed;
    }
    if (fault->kind == FaultKind::stack) result.end = LaunchEnd::stack;
    if (fault->kind == FaultKind::invalid_pc) result.end = LaunchEnd::invalid_pc;
    if (fault->kind == FaultKind::assertion) result.end = LaunchEnd::assertion;
    if (fault->kind == FaultKind::heap) result.end = LaunchEnd::failed;
  }
  if (limited) result.end = LaunchEnd::timeout;
  return result;
}

bool find_region(Lanes& lanes, const Instruction& instruction, std::uint64_t address,
                 std::uint32_t bytes) {
  const Arena& arena = lanes.block->launch().arena;
  const Allocation* allocation = arena.find(address, bytes);
  if (allocation == nullptr) return false;
  const DeviceHeap* heap = lanes.block->launch().shape.heap;
  if (heap != nullptr && heap->owns(address)) {
    const Allocation block = heap->find(address, bytes);
    if (block.bytes == 0) return false;
    lanes.sites[instruction.site] = {block.address, block.bytes, arena.host(block.address)};
    return true;
  }
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
    if (launch.shape.heap != nullptr && launch.shape.heap->owns(address))
      launch.shape.heap->explain(fault);
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
