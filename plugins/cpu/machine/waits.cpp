// Reports of who waits where: for threads that wait for ever, and for those that a limit has ended.
#include <bit>
#include <cstdint>
#include <string>

#include "machine/block.hpp"

namespace warpmark::cpu {
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
  Fault fault;
  fault.kind = kind;
  fault.block = coordinates_;
  fault.thread =
      thread(warp.lanes.warp, static_cast<std::uint32_t>(std::countr_zero(fragment.mask)));
  fault.count = static_cast<std::uint64_t>(std::popcount(fragment.mask));
  fault.statement = statement_of_wait(fragment);
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
    case Fragment::Wait::none: {
      const Block& node = program.blocks[fragment.node];
      fault.statement = node.begin < node.end ? program.code[node.begin].statement : node.statement;
      fault.message = node.polls ? "threads poll here for what others do" : "threads run here";
    }
  }
  launch_.faults.add(fault);
}

void BlockState::report_deadlock() {
  launch_.stop = true;
  for (const Warp& warp : warps_) {
    for (const Fragment& fragment : warp.fragments) add_wait(warp, fragment, FaultKind::barrier);
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
