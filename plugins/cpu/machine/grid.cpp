// The order of a grid's blocks, and the limits of a launch.
#include "machine/grid.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "machine/turns.hpp"

namespace warpmark::cpu {
namespace {

// Blocks that wait for others may take this much host memory together, at most so many.
constexpr std::uint64_t kResidentBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kResidentBlocks = 2048;
// What a cooperative grid may take, whose blocks must all run at the same time.
constexpr std::uint64_t kCooperativeBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kCooperativeBlocks = 1 << 16;
// The workspace of cooperative groups: its barrier's counter lies at byte 4.
constexpr std::uint64_t kWorkspaceBytes = 4096;

void add_limit(LaunchState& state, const BlockState* block, const std::string& message) {
  Fault fault;
  fault.kind = FaultKind::limit;
  fault.count = 1;
  fault.message = message;
  if (block != nullptr) fault.block = block->coordinates();
  state.faults.add(fault);
  state.stop = true;
}

using Time = std::chrono::steady_clock;

std::uint64_t blocks_of(const LaunchShape& shape) {
  return std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
}

Time::time_point deadline_of(const LaunchShape& shape) {
  if (shape.wall_limit_ms == 0) return Time::time_point::max();
  // A limit beyond a year is none; it would overflow the clock.
  const std::uint64_t most = std::uint64_t{365} * 86400 * 1000;
  return Time::now() + std::chrono::milliseconds(std::min(shape.wall_limit_ms, most));
}

std::string budget_text(std::uint64_t executed, const LaunchShape& shape) {
  return "the launch executed " + std::to_string(executed) +
         " thread-instructions, its budget is " + std::to_string(shape.instruction_budget);
}
std::string over_time(const LaunchShape& shape) {
  return "the launch took longer than its limit of " + std::to_string(shape.wall_limit_ms) + " ms";
}

// The order in which a schedule's seed starts `count` blocks or clusters: i times a number that has
// no common divisor with their count, and an offset.
class Order {
 public:
  Order(std::uint64_t seed, std::uint64_t count) : count_(count) {
    if (seed == 0) return;
    seed = (seed ^ seed >> 31) * 0x9e3779b97f4a7c15;
    offset_ = (seed >> 7) % count;
    factor_ = (seed >> 13) % count | 1;
    while (std::gcd(factor_, count) != 1) ++factor_;
  }
  // The product stays below 2^128: a grid has up to 2^63 blocks.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{i} * factor_ + offset_) % count_);
  }

 private:
  std::uint64_t count_, factor_ = 1, offset_ = 0;
};

// Blocks of one cluster, which start together; a finished one keeps its memory for the others.
struct Unit {
  Cluster cluster;
  std::vector<std::unique_ptr<BlockState>> blocks;
  std::vector<std::uint8_t> finished;
};

// Where the units of a launch come from.
class Units {
 public:
  explicit Units(LaunchState& state) : state_(state) {
    const LaunchShape& shape = state.shape;
    for (std::size_t i = 0; i < 3; ++i) clusters_[i] = shape.grid[i] / shape.cluster[i];
    size_ = std::uint64_t{shape.cluster[0]} * shape.cluster[1] * shape.cluster[2];
    count_ = blocks_of(shape) / size_;
    most_ = std::max<std::uint64_t>(1, resident_blocks(state.program, shape) / size_);
  }

  [[nodiscard]] bool left() const { return next_ < count_; }
  [[nodiscard]] bool fits(std::size_t active) const { return active < most_; }
  std::unique_ptr<Unit> start() {
    const LaunchShape& shape = state_.shape;
    if (idle_.empty()) {
      idle_.push_back(std::make_unique<Unit>());
      for (std::uint64_t i = 0; i < size_; ++i) {
        idle_.back()->blocks.push_back(std::make_unique<BlockState>(state_));
        idle_.back()->cluster.blocks.push_back(idle_.back()->blocks.back().get());
      }
    }
    std::unique_ptr<Unit> unit = std::move(idle_.back());
    idle_.pop_back();
    unit->cluster.arrived = 0;
    unit->finished.assign(size_, 0);
    const std::uint64_t index = Order(shape.schedule_seed, count_)(next_++);
    const std::uint64_t at[3] = {index % clusters_[0], index / clusters_[0] % clusters_[1],
                                 index / clusters_[0] / clusters_[1]};
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
      const std::uint64_t x = at[0] * shape.cluster[0] + rank % shape.cluster[0];
      const std::uint64_t y = at[1] * shape.cluster[1] + rank / shape.cluster[0] % shape.cluster[1];
      const std::uint64_t z = at[2] * shape.cluster[2] + rank / shape.cluster[0] / shape.cluster[1];
      unit->blocks[rank]->start(x + shape.grid[0] * (y + shape.grid[1] * z), unit->cluster, rank);
    }
    return unit;
  }
  void put_back(std::unique_ptr<Unit> unit) { idle_.push_back(std::move(unit)); }

 private:
  LaunchState& state_;
  std::array<std::uint64_t, 3> clusters_{};
  std::uint64_t size_ = 1, count_ = 0, most_ = 1, next_ = 0;
  std::vector<std::unique_ptr<Unit>> idle_;
};

// Gives the blocks of a unit their share. True if all have finished.
bool run_unit(Unit& unit) {
  bool finished = true, moved = false;
  for (std::size_t i = 0; i < unit.blocks.size(); ++i) {
    if (unit.finished[i] != 0) continue;
    BlockState& block = *unit.blocks[i];
    const BlockState::Progress progress = block.run();
    unit.finished[i] = progress == BlockState::Progress::finished ? 1 : 0;
    finished = finished && unit.finished[i] != 0;
    moved = moved || progress != BlockState::Progress::stuck;
    if (block.launch().stop) return false;
  }
  if (!finished && !moved) {
    for (std::size_t i = 0; i < unit.blocks.size(); ++i) {
      if (unit.finished[i] == 0) unit.blocks[i]->report_deadlock();
    }
  }
  return finished;
}

// Blocks that may wait for each other: one thread gives each its share in turn. True if a limit
// ended the launch.
bool run_in_rotation(LaunchState& state, Counters& counters, Profile& profile) {
  const LaunchShape& shape = state.shape;
  Units units(state);
  std::deque<std::unique_ptr<Unit>> active;
  bool start = true;
  bool limited = false;
  while (!state.stop && (units.left() || !active.empty())) {
    if (units.left() && (active.empty() || (start && units.fits(active.size()))))
      active.push_front(units.start());
    if (shape.schedule_seed == 0) start = false;
    if (shape.schedule_seed != 0) {
      start = state.random(2) == 0;
      std::swap(active.front(), active[state.random(static_cast<std::uint32_t>(active.size()))]);
    }
    state.active = active.size() * active.front()->blocks.size();
    std::unique_ptr<Unit> unit = std::move(active.front());
    active.pop_front();
    const bool finished = run_unit(*unit);
    const bool over_budget = shape.instruction_budget != 0 &&
                             state.executed >= shape.instruction_budget &&
                             !(finished && active.empty() && !units.left());
    if (over_budget || state.timed_out) {
      limited = true;
      add_limit(state, unit->blocks[0].get(),
                over_budget ? budget_text(state.executed, shape) : over_time(shape));
    }
    if (finished) {
      units.put_back(std::move(unit));
    } else {
      active.push_back(std::move(unit));
      start = true;  // whom it waits for may not have started yet
    }
  }
  if (limited) {
    for (const std::unique_ptr<Unit>& unit : active) {
      for (std::size_t i = 0; i < unit->blocks.size(); ++i) {
        if (unit->finished[i] == 0) unit->blocks[i]->report_waits();
      }
    }
  }
  profile = state.take_profile();
  counters = state.tally.take();
  return limited;
}

// Blocks that one worker runs before it looks at what the others do, whatever their number: few
// enough that all end at about the same time, many enough that they seldom meet.
std::uint64_t blocks_each(const Program& program, const LaunchShape& shape) {
  constexpr std::uint64_t kTurns = 128, kMost = 16;
  if (program.ordered || shape.heap != nullptr || shape.instruction_budget != 0) return 1;
  return std::clamp<std::uint64_t>(blocks_of(shape) / kTurns, 1, kMost);
}

// What one worker does: blocks, from start to end, as long as there are any.
void run_blocks(const LaunchState& whole, const LaunchShape& shape, Turns& turns,
                Time::time_point deadline, bool parallel) {
  LaunchState state(whole.program, shape, whole.arena);
  state.observer = whole.observer;
  state.deadline = deadline;
  state.turns = &turns;
  state.parallel = parallel;
  BlockState block(state);
  const Order order(shape.schedule_seed, blocks_of(shape));
  for (Turns::Turn turn = turns.take(); turn.begin != turn.end; turn = turns.take()) {
    state.turn = turn.number;
    state.stop = state.timed_out = false;
    state.in_turn = !parallel;
    Outcome outcome;
    try {
      for (std::uint64_t index = turn.begin; index != turn.end && !outcome.stop; ++index) {
        state.executed = state.warp_instructions = state.clock_reads = state.last = 0;
        state.random_state = shape.schedule_seed + index;
        block.start(order(index));
        while (block.run() == BlockState::Progress::paused && !state.stop &&
               turns.wanted(turn.number)) {
        }
        outcome.executed += state.executed;
        outcome.warp_instructions += state.warp_instructions;
        outcome.stop = state.stop || state.timed_out;
      }
    } catch (...) {  // out of memory: nobody may wait for this block
      Outcome nothing;
      nothing.stop = true;
      turns.retire(turn.number, std::move(nothing));
      throw;
    }
    if (state.timed_out ||
        (shape.instruction_budget != 0 && state.executed >= shape.instruction_budget))
      block.report_waits();
    outcome.profile = state.take_profile();
    outcome.counters = state.tally.take();
    outcome.faults = std::exchange(state.faults, {});
    outcome.printed = std::move(state.printed);
    outcome.asserted = std::move(state.asserted);
    outcome.timed_out = state.timed_out;
    outcome.coordinates = block.coordinates();
    turns.retire(turn.number, std::move(outcome));
    state.printed.clear();
    state.asserted.clear();
  }
}

// Blocks that do not wait for each other: on several threads, and as if in order.
bool run_in_order(LaunchState& state, Counters& counters, Profile& profile) {
  const LaunchShape& shape = state.shape;
  const std::uint64_t blocks = blocks_of(shape);
  Turns turns(shape, blocks, blocks_each(state.program, shape));
  const std::uint64_t most = resident_blocks(state.program, shape);
  const auto workers = static_cast<std::size_t>(
      std::min({std::uint64_t{std::max(shape.workers, 1u)}, blocks, most}));
  const auto work = [&] { run_blocks(state, shape, turns, state.deadline, workers > 1); };
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
  profile = std::move(turns.profile);
  state.faults = std::move(turns.faults);
  state.printed = std::move(turns.printed);
  state.asserted = std::move(turns.asserted);
  if (!turns.over_budget && !turns.timed_out) return false;
  Fault fault;
  fault.kind = FaultKind::limit;
  fault.count = 1;
  fault.block = turns.last_block;
  fault.message = turns.over_budget ? budget_text(turns.executed, shape) : over_time(shape);
  state.faults.add_before(FaultKind::waiting, fault);  // who waited where then
  return true;
}

}  // namespace

std::uint64_t resident_blocks(const Program& program, const LaunchShape& shape) {
  const std::uint64_t bytes = shape.cooperative ? kCooperativeBytes : kResidentBytes;
  return std::clamp<std::uint64_t>(
      bytes / std::max<std::uint64_t>(1, BlockState::footprint(program, shape)), 1,
      shape.cooperative ? kCooperativeBlocks : kResidentBlocks);
}

LaunchResult run_grid(const Program& program, const LaunchShape& asked, Arena& arena) {
  LaunchShape shape = asked;
  if (shape.cooperative) {
    shape.workspace = arena.allocate(kWorkspaceBytes);
    if (shape.workspace == 0) throw std::bad_alloc();
    arena.set_values(shape.workspace, kWorkspaceBytes, true);
  }
  LaunchState state(program, shape, arena);
  state.deadline = deadline_of(shape);
  state.random_state = shape.schedule_seed;
  std::optional<LaunchObserver> observer;
  if (shape.checks.any() && shape.inspection != nullptr) {
    observer.emplace(shape.checks, *shape.inspection, program);
    state.observer = &*observer;
    // What blocks see of each other's accesses must not depend on which of them ran first.
    shape.workers = 1;
  }
  LaunchResult result;
  Counters counters{};
  const bool clusters = shape.cluster != std::array<std::uint32_t, 3>{1, 1, 1};
  const bool limited = program.waits || clusters || shape.cooperative
                           ? run_in_rotation(state, counters, result.profile)
                           : run_in_order(state, counters, result.profile);
  if (shape.workspace != 0) arena.free(shape.workspace);
  if (observer && observer->races) {
    for (const Fault& race : observer->races->settled()) state.faults.add(race);
    Fault note;
    note.kind = FaultKind::incomplete;
    note.warning = true;
    note.count = 1;
    note.message = observer->races->left_out();
    if (!note.message.empty()) state.faults.add(note);
  }
  result.thread_instructions = state.executed;
  result.warp_instructions = state.warp_instructions;
  result.counters = counters;
  result.faults = state.faults.take();
  merge_places(result.faults, program);
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
    if (fault->kind == FaultKind::descriptor) result.end = LaunchEnd::illegal_instruction;
    if (fault->kind == FaultKind::stack) result.end = LaunchEnd::stack;
    if (fault->kind == FaultKind::invalid_pc) result.end = LaunchEnd::invalid_pc;
    if (fault->kind == FaultKind::assertion) result.end = LaunchEnd::assertion;
    if (fault->kind == FaultKind::heap) result.end = LaunchEnd::failed;
  }
  if (limited) result.end = LaunchEnd::timeout;
  return result;
}

}  // namespace warpmark::cpu
