// Finds threads that wait for ever, and says where threads wait.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

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

}  // namespace

Wait BlockState::wait_of(const Warp& warp, const Fragment& fragment) const {
  Wait wait;
  wait.warp = warp.lanes.warp;
  wait.lanes = fragment.mask;
  wait.node = fragment.node;
  switch (fragment.wait) {
    case Fragment::Wait::barrier: {
      const Barrier& barrier = barriers_[fragment.key];
      wait.what = Wait::For::barrier;
      wait.barrier = fragment.key;
      wait.arrived = barrier.arrived;
      wait.expected = fragment.key >= 16      ? 128
                      : barrier.expected != 0 ? barrier.expected
                                              : live_threads_;
      break;
    }
    case Fragment::Wait::cluster:
      wait.what = Wait::For::cluster;
      wait.arrived = cluster_->arrived;
      wait.expected = cluster_->live_threads();
      break;
    case Fragment::Wait::warp:
    case Fragment::Wait::collect:
      wait.what = Wait::For::lanes;
      break;
    case Fragment::Wait::held:
    case Fragment::Wait::none:
      break;
  }
  return wait;
}

template <typename Wanted>
void BlockState::report_waits(FaultKind kind, Wanted wanted) {
  for (const Warp& warp : warps_) {
    for (const Fragment& fragment : warp.fragments) {
      if (wanted(fragment)) report_wait(*this, wait_of(warp, fragment), kind);
    }
  }
}

void BlockState::report_deadlock() {
  launch_.stop = true;
  report_waits(FaultKind::barrier, [](const Fragment&) { return true; });
}

// Reports what the threads that test mbarriers wait for, those with `first` first: one fault for each
// place and state of an mbarrier.
void BlockState::report_tests(std::uint32_t first) {
  const auto threads = static_cast<std::uint32_t>(polls_.size());
  std::vector<bool> told(threads);
  if (threads == 0) return;
  for (const Warp& warp : warps_) {
    std::uint32_t blocked = 0;
    for (const Fragment& fragment : warp.fragments) blocked |= fragment.waits() ? fragment.mask : 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      told[warp.lanes.warp * 32 + lane] = ((warp.live & ~blocked) >> lane & 1) == 0;
  }
  for (std::uint32_t k = 0; k <= threads; ++k) {
    const std::uint32_t thread = k == 0 ? first : k - 1;
    if (told[thread]) continue;
    const Polls& polls = polls_[thread];
    Fault fault = this->fault(FaultKind::barrier, polls.statement, thread / 32, 1u << thread % 32);
    fault.count = 0;
    for (std::uint32_t other = 0; other < threads; ++other) {
      const Polls& its = polls_[other];
      if (told[other] || its.statement != polls.statement || its.state != polls.state) continue;
      told[other] = true;
      ++fault.count;
    }
    const Mbarrier barrier(polls.state);
    fault.message = mbarrier_wait_text(static_cast<std::uint32_t>(fault.count), barrier.pending(),
                                       barrier.expected(), barrier.missing_bytes());
    launch_.faults.add(fault);
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
  if (polls.change != changes) polls = {changes, 0, 0, 0};
  polls.statement = statement;
  polls.state = barrier.state();
  if (++polls.count < vain.looks || polls.count % kLookStep != 0) return;
  // Returns whether all threads of a block that are not blocked test mbarriers.
  const auto all_look = [&](const BlockState& block) {
    for (const Warp& other : block.warps_) {
      std::uint32_t blocked = 0;
      for (const Fragment& fragment : other.fragments)
        blocked |= fragment.waits() ? fragment.mask : 0;
      for (std::uint32_t rest = other.live & ~blocked; rest != 0; rest &= rest - 1) {
        if (block.polls_.empty()) return false;
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
        const Polls& its = block.polls_[other.lanes.warp * 32 + bit];
        if (its.change != changes || its.count < vain.looks) return false;
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
  launch_.stop = true;
  report_tests(thread);
  for (BlockState* block : blocks) {
    if (block != this) block->report_tests(0);
    block->report_waits(FaultKind::barrier,
                        [](const Fragment& fragment) { return fragment.waits(); });
  }
}

void BlockState::report_cluster_waits(const BlockState& stuck) {
  if (this == &stuck) return;
  report_waits(FaultKind::barrier,
               [](const Fragment& fragment) { return fragment.wait == Fragment::Wait::cluster; });
}

void BlockState::report_waits() {
  report_waits(FaultKind::waiting, [](const Fragment&) { return true; });
}

}  // namespace warpmark::cpu
