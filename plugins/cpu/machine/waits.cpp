// Reports of who waits where: for threads that wait for ever, and for those that a limit has ended.
#include <bit>
#include <cstdint>
#include <string>

#include "machine/block.hpp"

namespace warpmark::cpu {
namespace {

// Looks at an mbarrier in vain, by each thread of a block, after which it waits for ever: more than
// those who wait for some time only make of it.
constexpr std::uint32_t kVainPolls = 1 << 13;

}  // namespace

// The instruction that a fragment waits at ended the node before the one where it goes on.
std::uint32_t BlockState::statement_of_wait(const Fragment& fragment) const {
  for (const Block& node : launch_.program.blocks) {
    const bool waits = node.exit == Exit::barrier || node.exit == Exit::warp ||
                       node.exit == Exit::collect || node.exit == Exit::cluster_wait;
    if (waits && node.next == fragment.node) return node.statement;
  }
  return 0;
}

void BlockState::add_wait(const Warp& warp, const Fragment& fragment, FaultKind kind) {
  const Program& program = launch_.program;
  std::uint32_t statement = statement_of_wait(fragment);
  if (fragment.wait == Fragment::Wait::none) {
    const Block& node = program.blocks[fragment.node];
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
    case Fragment::Wait::none:
      fault.message = program.blocks[fragment.node].polls ? "threads poll here for what others do"
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
  // Other blocks of a cluster may arrive, too.
  if (cluster_->blocks.size() > 1) return;
  if (polls_.empty()) polls_.resize(warps_.size() * 32);
  Polls& polls = polls_[thread];
  if (polls.change != mbarrier_changes_) polls = {mbarrier_changes_, 0};
  if (++polls.count % kVainPolls != 0) return;
  std::uint32_t waiting = 0;
  for (const Warp& other : warps_) {
    std::uint32_t blocked = 0;
    for (const Fragment& fragment : other.fragments)
      blocked |= fragment.wait != Fragment::Wait::none ? fragment.mask : 0;
    for (std::uint32_t rest = other.live & ~blocked; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
      const Polls& its = polls_[other.lanes.warp * 32 + bit];
      if (its.change != mbarrier_changes_ || its.count < kVainPolls) return;
      ++waiting;
    }
  }
  Fault fault = this->fault(FaultKind::barrier, statement, warp, 1u << lane);
  fault.count = waiting;
  fault.message = std::to_string(waiting) + (waiting == 1 ? " thread waits" : " threads wait") +
                  " at an mbarrier for ";
  if (barrier.pending() != 0)
    fault.message += std::to_string(barrier.pending()) + " of " +
                     std::to_string(barrier.expected()) + " arrivals that never come";
  else
    fault.message += barrier.misses_bytes() ? "bytes of asynchronous copies that never come"
                                            : "a phase that never ends";
  launch_.faults.add(fault);
  launch_.stop = true;
  for (const Warp& other : warps_) {
    for (const Fragment& fragment : other.fragments) {
      if (fragment.wait != Fragment::Wait::none) add_wait(other, fragment, FaultKind::barrier);
    }
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
