#include "machine/barriers.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "machine/block.hpp"

namespace warpmark::cpu {

namespace {

constexpr std::uint32_t kOfBlock = 16;  // barriers; those of warpgroups come behind them
constexpr std::uint32_t kWarpsOfGroup = 4;

}  // namespace

inline void Barriers::check(std::uint32_t number) {
  const Barrier& barrier = barriers_[number];
  const std::uint32_t expected = number >= kOfBlock      ? threads_of_group(number)
                                 : barrier.expected != 0 ? barrier.expected
                                                         : block_.live_threads();
  if (barrier.arrived != 0 && barrier.arrived >= expected) complete(number);
}

// The warps of a warpgroup wait for each other before they wait for their products: nobody else
// sees that, and it orders no memory.
void Barriers::arrive_in_group(Warp& warp, Fragment& fragment, const BasicBlock& node) {
  const std::uint32_t number = kOfBlock + warp.lanes.warp / kWarpsOfGroup;
  waiting_ |= 1u << number;
  barriers_[number].arrived += static_cast<std::uint32_t>(std::popcount(fragment.mask));
  barriers_[number].latest = std::max(barriers_[number].latest, warp.clock());
  fragment.node = node.next;
  fragment.wait = Fragment::Wait::barrier;
  fragment.key = number;
  warp.add(fragment);
  check(number);
}

std::uint32_t Barriers::threads_of_group(std::uint32_t number) const {
  const std::uint32_t first = (number - kOfBlock) * kWarpsOfGroup;
  std::uint32_t threads = 0;
  for (std::uint32_t k = first; k < first + kWarpsOfGroup && k < warps_.size(); ++k)
    threads += static_cast<std::uint32_t>(std::popcount(warps_[k].live));
  return threads;
}

void Barriers::refuse(const Warp& warp, const Fragment& fragment, const BasicBlock& node,
                      std::uint32_t number, std::uint32_t threads) {
  Fault fault = block_.fault(FaultKind::barrier, node.statement, warp.lanes.warp, fragment.mask);
  fault.message = number >= kOfBlock ? "barrier " + std::to_string(number) +
                                           " does not exist; a block has barriers 0 to 15"
                                     : "a barrier for " + std::to_string(threads) +
                                           " threads; the number must be a multiple of 32";
  launch_.faults.add(fault);
  launch_.stop = true;
}

void Barriers::arrive(Warp& warp, Fragment& fragment, const BasicBlock& node) {
  if (node.barrier == Instruction::kNone) return arrive_in_group(warp, fragment, node);
  const std::uint32_t number = warp.value(node.barrier, fragment.mask);
  const std::uint32_t threads =
      node.threads == Instruction::kNone ? 0 : warp.value(node.threads, fragment.mask);
  if (number >= kOfBlock ||
      (node.threads != Instruction::kNone && (threads == 0 || threads % 32 != 0)))
    return refuse(warp, fragment, node, number, threads);
  Barrier& barrier = barriers_[number];
  waiting_ |= 1u << number;
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
  block_.tell<&Check::barrier_arrive>(warp.lanes, fragment.mask, number, threads, node);
  warp.add(fragment);
  check(number);
}

void Barriers::complete(std::uint32_t number) {
  Barrier& barrier = barriers_[number];
  const bool of_group = number >= kOfBlock;
  const Barrier finished = std::exchange(barrier, {});
  waiting_ &= ~(1u << number);
  // A barrier that counts its threads does not wait for those who have left.
  const bool everybody =
      !of_group && !finished.passed &&
      finished.arrived >= (finished.expected != 0 ? launch_.threads() : block_.live_threads());
  // Those who have left were waited for, too.
  const std::uint64_t latest = everybody ? latest_clock(warps_) : finished.latest;
  if (block_.observer() != nullptr && !of_group) {
    std::uint32_t waiting = 0;
    for (const Warp& warp : warps_) {
      for (const Fragment& fragment : warp.fragments) {
        if (fragment.wait == Fragment::Wait::barrier && fragment.key == number)
          waiting |= 1u << warp.lanes.warp;
      }
    }
    block_.tell<&Check::barrier_complete>(number, everybody, waiting);
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

bool Barriers::meet(Warp& warp, Fragment& current, const BasicBlock& node) {
  const bool met = warp.all_meet(current.mask, node.barrier);
  block_.tell<&Check::warp_arrive>(warp.lanes, current.mask, node, met);
  if (!met) {
    wait_for_lanes(warp, current, node);
    return false;
  }
  // Lanes with equal masks meet.
  std::uint32_t rest = block_.observer() != nullptr && node.exit == Exit::warp ? current.mask : 0;
  while (rest != 0) {
    const std::uint32_t together = warp.lanes_like_first(node.barrier, rest);
    block_.tell<&Check::warp_complete>(warp.lanes.warp, together);
    rest &= ~together;
  }
  current.node = node.next;
  return true;
}

void Barriers::threads_left(Warp& warp) {
  release(warp);
  for (std::uint32_t rest = waiting_; rest != 0; rest &= rest - 1) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (barriers_[number].expected == 0) check(number);
  }
}

// Lanes with equal masks wait together; lanes of one fragment may name different masks.
void Barriers::wait_for_lanes(Warp& warp, Fragment fragment, const BasicBlock& node) {
  std::uint32_t rest = fragment.mask;
  fragment.node = node.next;
  fragment.wait = node.exit == Exit::collect ? Fragment::Wait::collect : Fragment::Wait::warp;
  while (rest != 0) {
    fragment.key = warp.value(node.barrier, rest);
    fragment.mask = warp.lanes_like_first(node.barrier, rest);
    rest &= ~fragment.mask;
    warp.add(fragment);
  }
  release(warp);
}

void Barriers::release(Warp& warp) {
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
      block_.tell<&Check::collect_complete>(warp.lanes, here, waiting.key, waiting.node);
    else
      block_.tell<&Check::warp_complete>(warp.lanes.warp, here);
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
