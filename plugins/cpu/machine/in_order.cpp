#include "machine/in_order.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "machine/grid.hpp"
#include "machine/schedule.hpp"
#include "machine/turns.hpp"

namespace warpmark::cpu {
namespace {

// Returns whether each block has to be a turn, and turns have to begin in order.
bool one_by_one(const Program& program, const LaunchShape& shape) {
  return program.ordered || shape.heap != nullptr || shape.instruction_budget != 0;
}

// Blocks that one worker runs before it looks at what the others do, whatever their number: few
// enough that all end at about the same time, many enough that they seldom meet.
std::uint64_t blocks_each(const Program& program, const LaunchShape& shape) {
  constexpr std::uint64_t kTurns = 128, kMost = 32;
  return one_by_one(program, shape)
             ? 1
             : std::clamp<std::uint64_t>(blocks_of(shape) / kTurns, 1, kMost);
}

bool abandoned(const LaunchState& state) {
  return state.speculation != nullptr && state.speculation->abandoned();
}

// The loop of one worker: runs blocks, from start to end, as long as there are any.
void run_blocks(const LaunchState& whole, LaunchObserver* observer, Turns& turns,
                std::size_t worker, bool parallel) {
  const LaunchShape& shape = whole.shape;
  LaunchState state(whole.program, shape, whole.arena);
  state.observer = observer;
  state.speculation = whole.speculation;
  state.deadline = whole.deadline;
  state.turns = &turns;
  state.parallel = parallel;
  BlockState block(state);
  const Order order(shape.schedule_seed, blocks_of(shape));
  for (Turns::Turn turn; turn = turns.take(worker), turn.begin != turn.end;) {
    state.turn = turn.number;
    state.stop = state.timed_out = false;
    state.in_turn = !parallel;
    Outcome outcome;
    try {
      for (std::uint64_t index = turn.begin; index != turn.end && !outcome.stop; ++index) {
        state.executed = state.warp_instructions = state.clock_reads = state.last = 0;
        state.next_look = 0;
        state.random_state = shape.schedule_seed + index;
        block.start(order(index));
        while (block.run() == BlockState::Progress::paused && !state.stop && !abandoned(whole) &&
               turns.wanted(turn.number)) {
        }
        if (state.speculation != nullptr && finds(state.faults)) state.speculation->abandon();
        outcome.executed += state.executed;
        outcome.warp_instructions += state.warp_instructions;
        outcome.stop = state.stop || state.timed_out || abandoned(whole);
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
    outcome.launches = std::exchange(state.device.launches, {});
    outcome.timed_out = state.timed_out;
    outcome.coordinates = block.coordinates();
    turns.retire(turn.number, std::move(outcome));
    state.printed.clear();
    state.asserted.clear();
  }
}

}  // namespace

bool finds(const FaultLog& faults) {
  return std::any_of(faults.faults().begin(), faults.faults().end(), [](const Fault& fault) {
    return fault.kind != FaultKind::limit && fault.kind != FaultKind::waiting;
  });
}

namespace {

// The threads of a launch. Each starts the next one before it begins, and only if there is work
// left: a launch that takes less time than starting a thread costs no more than one of them.
class Crew {
 public:
  Crew(std::size_t workers, std::function<void(std::size_t)> work)
      : workers_(workers), work_(std::move(work)) {}

  /// Returns when all threads have ended; throws what one of them has thrown.
  void run(const std::function<bool()>& remains) {
    remains_ = &remains;
    begin(0);
    while (std::optional<std::thread> thread = next()) thread->join();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  void begin(std::size_t worker) {
    if (worker + 1 < workers_ && (*remains_)()) start(worker + 1);
    try {
      work_(worker);
    } catch (...) {
      // It failed before its first block (out of memory), so the others get on without it.
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  void start(std::size_t worker) {
    const std::lock_guard lock(mutex_);
    try {
      threads_.emplace_back([this, worker] { begin(worker); });
    } catch (const std::system_error&) {  // no more threads: fewer do the same
    }
  }

  // A thread has started the next one before it ends, so the last one is joined when none is left.
  std::optional<std::thread> next() {
    const std::lock_guard lock(mutex_);
    if (joined_ == threads_.size()) return std::nullopt;
    return std::move(threads_[joined_++]);
  }

  const std::size_t workers_;
  const std::function<void(std::size_t)> work_;
  const std::function<bool()>* remains_ = nullptr;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::size_t joined_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::size_t workers_for(const Program& program, const LaunchShape& shape) {
  return static_cast<std::size_t>(std::min({std::uint64_t{std::max(shape.workers, 1u)},
                                            blocks_of(shape), resident_blocks(program, shape)}));
}

bool run_in_order(LaunchState& state, std::span<LaunchObserver> observers, Counters& counters,
                  Profile& profile) {
  const LaunchShape& shape = state.shape;
  std::size_t workers = workers_for(state.program, shape);
  if (!observers.empty()) workers = std::min(workers, observers.size());
  Turns turns(shape, blocks_of(shape), blocks_each(state.program, shape),
              one_by_one(state.program, shape) ? 1 : workers);
  Crew crew(workers, [&](std::size_t worker) {
    run_blocks(state, observers.empty() ? nullptr : &observers[worker], turns, worker, workers > 1);
  });
  crew.run([&] { return turns.remain(); });
  state.executed = turns.executed;
  state.warp_instructions = turns.warp_instructions;
  counters = turns.counters;
  profile = std::move(turns.profile);
  state.faults = std::move(turns.faults);
  state.printed = std::move(turns.printed);
  state.asserted = std::move(turns.asserted);
  state.device.launches = std::move(turns.launches);
  if (!turns.over_budget && !turns.timed_out) return false;
  Fault fault;
  fault.kind = FaultKind::limit;
  fault.count = 1;
  fault.block = turns.last_block;
  fault.message = turns.over_budget ? budget_text(turns.executed, shape) : over_time(shape);
  state.faults.add_before(FaultKind::waiting, fault);  // who waited where then
  return true;
}

}  // namespace warpmark::cpu
