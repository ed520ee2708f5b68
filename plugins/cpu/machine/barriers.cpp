// Barriers of a block and of the lanes of a warp.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "machine/block.hpp"

namespace warpmark::cpu {

void BlockState::arrive(Warp& warp, Fragment fragment, const BasicBlock& node) {
  const std::uint32_t number = warp.value(node.barrier, fragment.mask);
  const std::uint32_t threads =
      node.threads == Instruction::kNone ? 0 : warp.value(node.threads, fragment.mask);
  if (number >= barriers_.size() ||
      (node.threads != Instruction::kNone && (threads == 0 || threads % 32 != 0))) {
    Fault fault = this->fault(FaultKind::barrier, node.statement, warp.lanes.warp, fragment.mask);
    fault.message =
        number >= barriers_.size()
            ? "barrier " + std::to_string(number) + " does not exist; a block has barriers 0 to 15"
            : "a barrier for " + std::to_string(threads) +
                  " threads; the number must be a multiple of 32";
    launch_.faults.add(fault);
    launch_.stop = true;
    return;
  }
  Barrier& barrier = barriers_[number];
  barrier.arrived += static_cast<std::uint32_t>(std::popcount(fragment.mask));
  barrier.passed = barrier.passed || node.arrive_only;
  barrier.latest = std::max(barrier.latest, warp.clock());
  if (threads != 0) barrier.expected = threads;
  if (node.counts) {
    std::uint32_t predicate;
    std::memcpy(&predicate, warp.lanes.registers + node.predicate, 4);
    if (node.negated) predicate = ~predicate;
    barrier.counts = true;
    barrier.yes += static_cast<std::uint32_t>(std::popcount(predicate & fragment.mask));
  }
  fragment.node = node.next;
  if (!node.arrive_only) {
    fragment.wait = Fragment::Wait::barrier;
    fragment.key = number;
  }
  tell<&Check::barrier_arrive>(warp.lanes, fragment.mask, number, threads, node);
  warp.add(fragment);
  check_barrier(number);
}

// Threads that have left are no longer waited for (as on sm_70 and later).
void BlockState::check_barrier(std::uint32_t number) {
  Barrier& barrier = barriers_[number];
  const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : live_threads_;
  if (barrier.arrived == 0 || barrier.arrived < expected) return;
  const Barrier finished = std::exchange(barrier, {});
  // A barrier that counts its threads does not wait for those who have left.
  const bool everybody =
      !finished.passed &&
      finished.arrived >= (finished.expected != 0 ? launch_.threads() : live_threads_);
  // Those who have left were waited for, too.
  const std::uint64_t latest = everybody ? latest_clock() : finished.latest;
  if (observer_) {
    std::uint32_t waiting = 0;
    for (const Warp& warp : warps_) {
      for (const Fragment& fragment : warp.fragments) {
        if (fragment.wait == Fragment::Wait::barrier && fragment.key == number)
          waiting |= 1u << warp.lanes.warp;
      }
    }
    observer_->tell<&Check::barrier_complete>(number, everybody, waiting);
  }
  for (Warp& warp : warps_) {
    warp.release([&](Fragment& fragment) {
      if (fragment.wait != Fragment::Wait::barrier || fragment.key != number) return false;
      fragment.key = 0;
      if (warp.clock() < latest) warp.waited += latest - warp.clock();
      for (std::uint32_t lane = 0; finished.counts && lane < 32; ++lane) {
        if ((fragment.mask >> lane & 1) == 0) continue;
        std::byte* count = warp.lanes.registers + launch_.program.barrier_count + lane * 4;
        std::memcpy(count, &finished.yes, 4);
        std::memcpy(count + 128, &finished.arrived, 4);
      }
      return true;
    });
  }
}

std::uint64_t BlockState::latest_clock() const {
  std::uint64_t latest = 0;
  for (const Warp& warp : warps_) latest = std::max(latest, warp.clock());
  return latest;
}

// Lanes with equal masks wait together; lanes of one fragment may name different masks.
void BlockState::arrive_at_warp_barrier(Warp& warp, Fragment fragment, const BasicBlock& node) {
  std::uint32_t rest = fragment.mask;
  fragment.node = node.next;
  fragment.wait = node.exit == Exit::collect ? Fragment::Wait::collect : Fragment::Wait::warp;
  while (rest != 0) {
    fragment.key = warp.value(node.barrier, rest);
    fragment.mask = 0;
    for (std::uint32_t lanes = rest; lanes != 0; lanes &= lanes - 1) {
      const std::uint32_t lane = lanes & -lanes;
      if (warp.value(node.barrier, lane) == fragment.key) fragment.mask |= lane;
    }
    rest &= ~fragment.mask;
    warp.add(fragment);
  }
  release_warp_barriers(warp);
}

void BlockState::observe_warp_barrier(const Warp& warp, std::uint32_t mask,
                                      const BasicBlock& node) {
  while (mask != 0) {
    const std::uint32_t members = warp.value(node.barrier, mask);
    std::uint32_t together = 0;
    for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
      const std::uint32_t lane = lanes & -lanes;
      if (warp.value(node.barrier, lane) == members) together |= lane;
    }
    observer_->tell<&Check::warp_complete>(warp.lanes.warp, together);
    mask &= ~together;
  }
}

void BlockState::release_warp_barriers(Warp& warp) {
  for (std::size_t i = 0; i < warp.fragments.size(); ++i) {
    const Fragment waiting = warp.fragments[i];
    const bool collect = waiting.wait == Fragment::Wait::collect;
    if (waiting.wait != Fragment::Wait::warp && !collect) continue;
    const auto matches = [&](const Fragment& other) {
      return other.wait == waiting.wait && other.key == waiting.key &&
             (!collect || same_operation(other.node, waiting.node));
    };
    std::uint32_t here = 0;
    std::vector<Fragment> places;
    for (const Fragment& fragment : warp.fragments) {
      if (!matches(fragment)) continue;
      here |= fragment.mask;
      if (collect) places.push_back(fragment);
    }
    if ((waiting.key & warp.live & ~here) != 0) continue;
    if (collect)
      tell<&Check::collect_complete>(warp.lanes, here, waiting.key, waiting.node);
    else
      tell<&Check::warp_complete>(warp.lanes.warp, here);
    if (places.size() > 1) run_together(warp, places);
    warp.release([&](Fragment& fragment) {
      if (!matches(fragment)) return false;
      fragment.key = places.size() > 1 ? 1 : 0;
      return true;
    });
    i = static_cast<std::size_t>(-1);  // the fragments have moved: look again from the start
  }
}

}  // namespace warpmark::cpu
