// Reports of where threads wait: those that wait for ever, and those that a limit has ended.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>

#include "machine/block.hpp"
#include "machine/grid.hpp"

namespace warpmark::cpu {
namespace {

// Looks at mbarriers in vain, by each thread of a block or a cluster, after which all wait for
// ever: more than threads make that wait for some time only.
constexpr std::uint32_t kVainLooks = 1 << 13;
// Instructions of each warp that count as well, with fewer looks, if no thread changes what others
// see: with -G a look of the toolkit's barriers takes a thousand.
constexpr std::uint64_t kVainWork = std::uint64_t{1} << 18;
constexpr std::uint32_t kLeastLooks = 256;
// Looks from one time that this is asked to the next.
constexpr std::uint32_t kLookStep = 64;
// Threads that wait for some time may have to wait long. They can notice that by the clock only, so
// the clock goes forward at once; first by less than half of its lower word.
constexpr std::uint64_t kLeaps[] = {std::uint64_t{1} << 30, std::uint64_t{1} << 40,
                                    std::uint64_t{1} << 40};
// Looks up to which threads that went on after a leap may wait, and have the clock leap, again.
constexpr std::uint32_t kMostLooks = kVainLooks * 16;

// Returns whether threads changed anything visible to others between two counts.
bool has_changed(const Counters& before, const Counters& now) {
  constexpr Counter kCounters[] = {Counter::global_store_requests, Counter::global_atomic_requests,
                                   Counter::shared_store_requests, Counter::shared_atomic_requests,
                                   Counter::barriers};
  return std::any_of(std::begin(kCounters), std::end(kCounters), [&](Counter counter) {
    const auto i = static_cast<std::size_t>(counter);
    return before[i] != now[i];
  });
}

// How often warps made accesses by which one waits for other blocks.
std::uint64_t polls_of_others(const Program& program, const Tally& tally) {
  std::uint64_t polls = 0;
  for (std::size_t i = 0; i < program.blocks.size(); ++i) {
    const BasicBlock& node = program.blocks[i];
    if (node.polls && !node.polls_block) polls += tally.visits()[i].warps;
  }
  return polls;
}

bool reads_clock(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& instruction) {
    return instruction.opcode == Opcode::read_clock;
  });
}

// Returns whether all threads of some blocks of a cluster have tested in vain so often that they
// will do so for ever, unless a clock ends it.
bool lasts(VainWait& vain, std::uint32_t looks, const LaunchState& launch, std::uint64_t blocks) {
  // Blocks that run interleaved share the count of instructions, and may wait for each other.
  const LaunchShape& shape = launch.shape;
  const bool interleaved = blocks > 1 || launch.program.waits || shape.cooperative;
  const std::uint64_t grid = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  const std::uint64_t sharing =
      interleaved ? std::clamp(resident_blocks(launch.program, shape), blocks, grid) : 1;
  const bool first = vain.looks == kLookStep;
  vain.looks = looks + kLookStep;
  const Counters now = launch.tally.so_far();
  const std::uint64_t polls = polls_of_others(launch.program, launch.tally);
  const bool changed = !first && has_changed(vain.counters, now);
  const bool quiet = !first && !changed && (!interleaved || grid == blocks || polls == vain.polls);
  if (changed && looks < kMostLooks) vain.leaps = 0;
  if (!quiet || !vain.quiet) vain.since = launch.warp_instructions;
  vain.quiet = quiet;
  vain.counters = now;
  vain.polls = polls;
  const std::uint64_t work = (launch.warp_instructions - vain.since) / sharing / launch.warps();
  return looks >= kVainLooks || (quiet && looks >= kLeastLooks && work >= kVainWork);
}

std::string what_is_missing(const Mbarrier& barrier) {
  if (barrier.pending() != 0) {
    return std::to_string(barrier.pending()) + " of " + std::to_string(barrier.expected()) +
           " arrivals that never come";
  }
  return barrier.misses_bytes() ? "bytes of asynchronous copies that never come"
                                : "a phase that never ends";
}

}  // namespace

// The instruction that a fragment waits at ended the node before the one where it goes on.
std::uint32_t BlockState::statement_of_wait(const Fragment& fragment) const {
  for (const BasicBlock& node : launch_.program.blocks) {
    const bool waits = node.exit == Exit::barrier || node.exit == Exit::warp ||
                       node.exit == Exit::collect || node.exit == Exit::cluster_wait;
    if (waits && node.next == fragment.node) return node.statement;
  }
  return 0;
}

void BlockState::add_wait(const Warp& warp, const Fragment& fragment, FaultKind kind) {
  const Program& program = launch_.program;
  std::uint32_t statement = statement_of_wait(fragment);
  if (!fragment.waits()) {
    const BasicBlock& node = program.blocks[fragment.node];
    statement = node.begin < node.end ? program.code[node.begin].statement : node.statement;
  }
  Fault fault = this->fault(kind, statement, warp.lanes.warp, fragment.mask);
  const auto of = [](std::uint32_t arrived, std::uint32_t expected) {
    return std::to_string(arrived) + " of " + std::to_string(expected) + " threads wait at ";
  };
  switch (fragment.wait) {
    case Fragment::Wait::barrier: {
      const Barrier& barrier = barriers_[fragment.key];
      fault.message =
          of(barrier.arrived, barrier.expected != 0 ? barrier.expected : live_threads_) +
          "barrier " + std::to_string(fragment.key) + " for others that never reach it";
      break;
    }
    case Fragment::Wait::cluster:
      fault.message = of(cluster_->arrived, cluster_->live_threads()) +
                      "the cluster's barrier for others that never reach it";
      break;
    case Fragment::Wait::warp:
    case Fragment::Wait::collect:
      fault.message = "lanes wait for others of the instruction's mask that never reach it";
      break;
    case Fragment::Wait::held:
    case Fragment::Wait::none:
      fault.message = program.blocks[fragment.node].polls ? "threads poll here until others act"
                                                          : "threads run here";
  }
  launch_.faults.add(fault);
}

void BlockState::report_deadlock() {
  launch_.stop = true;
  for (const Warp& warp : warps_) {
    for (const Fragment& fragment : warp.fragments) add_wait(warp, fragment, FaultKind::barrier);
  }
}

void BlockState::mbarrier_tested(std::uint32_t warp, std::uint32_t lane, std::uint32_t statement,
                                 const Mbarrier& barrier, bool over) {
  const std::uint32_t thread = warp * 32 + lane;
  if (over) {
    if (!polls_.empty()) polls_[thread].count = 0;
    return;
  }
  const std::vector<BlockState*>& blocks = cluster_->blocks;
  std::uint64_t changes = 0;  // by those of other blocks of the cluster, too
  for (const BlockState* block : blocks) changes += block->mbarrier_changes_;
  VainWait& vain = cluster_->vain;
  if (polls_.empty() || vain.changes != changes) vain = {changes, kLookStep};
  if (polls_.empty()) polls_.resize(warps_.size() * 32);
  Polls& polls = polls_[thread];
  if (polls.change != changes) polls = {changes, 0};
  if (++polls.count < vain.looks || polls.count % kLookStep != 0) return;
  // Returns whether all threads of a block that are not blocked test mbarriers.
  std::uint32_t waiting = 0;
  const auto all_look = [&](const BlockState& block) {
    waiting = 0;
    for (const Warp& other : block.warps_) {
      std::uint32_t blocked = 0;
      for (const Fragment& fragment : other.fragments)
        blocked |= fragment.waits() ? fragment.mask : 0;
      for (std::uint32_t rest = other.live & ~blocked; rest != 0; rest &= rest - 1) {
        if (block.polls_.empty()) return false;
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
        const Polls& its = block.polls_[other.lanes.warp * 32 + bit];
        if (its.change != changes || its.count < vain.looks) return false;
        ++waiting;
      }
    }
    return true;
  };
  const auto others_look = [&](const BlockState* block) {
    return block == this || all_look(*block);
  };
  if (!std::all_of(blocks.begin(), blocks.end(), others_look) || !all_look(*this)) return;
  if (!lasts(vain, polls.count, launch_, blocks.size())) return;
  if (vain.leaps < std::size(kLeaps) && reads_clock(launch_.program)) {
    launch_.clock_reads += kLeaps[vain.leaps++];
    return;
  }
  Fault fault = this->fault(FaultKind::barrier, statement, warp, 1u << lane);
  fault.count = waiting;
  fault.message = std::to_string(waiting) + (waiting == 1 ? " thread waits" : " threads wait") +
                  " at an mbarrier for " + what_is_missing(barrier);
  launch_.faults.add(fault);
  launch_.stop = true;
  for (const Warp& other : warps_) {
    for (const Fragment& fragment : other.fragments) {
      if (fragment.waits()) add_wait(other, fragment, FaultKind::barrier);
    }
  }
  for (BlockState* block : blocks) {
    if (block != this) block->report_deadlock();
  }
}

void BlockState::report_cluster_waits(const BlockState& stuck) {
  if (this == &stuck) return;
  for (const Warp& warp : warps_) {
    for (const Fragment& fragment : warp.fragments) {
      if (fragment.wait == Fragment::Wait::cluster) add_wait(warp, fragment, FaultKind::barrier);
    }
  }
}

void BlockState::report_waits() {
  for (const Warp& warp : warps_) {
    for (const Fragment& fragment : warp.fragments) add_wait(warp, fragment, FaultKind::waiting);
  }
}

}  // namespace warpmark::cpu
