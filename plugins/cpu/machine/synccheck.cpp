// Barriers and warp operations that not everybody reaches, as far as nobody waits for ever.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "machine/block.hpp"

namespace warpmark::cpu {
namespace {

std::string lanes_text(std::uint32_t mask) {
  std::string text;
  for (; mask != 0; mask &= mask - 1) {
    const int first = std::countr_zero(mask);
    const int count = std::countr_one(mask >> first);
    if (!text.empty()) text += ", ";
    text += std::to_string(first);
    if (count > 1) text += (count > 2 ? " to " : ", ") + std::to_string(first + count - 1);
    mask &= count == 32 ? 0 : ~(((1u << count) - 1) << first) | (1u << first);
  }
  return text;
}

}  // namespace

// A mask must name the lane that gives it.
void BlockState::check_members(const Warp& warp, std::uint32_t mask, const Block& node) {
  std::uint32_t without = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint32_t members;
    std::memcpy(&members, warp.lanes.registers + node.barrier + lane * 4, 4);
    if ((members >> lane & 1) == 0) without |= 1u << lane;
    check_present(warp, 1u << lane, members, node.statement);
  }
  if (without == 0) return;
  Fault fault;
  fault.kind = FaultKind::sync;
  fault.statement = node.statement;
  fault.block = coordinates_;
  fault.thread = thread(warp.lanes.warp, static_cast<std::uint32_t>(std::countr_zero(without)));
  fault.count = static_cast<std::uint64_t>(std::popcount(without));
  fault.hazard = "Invalid arguments";
  fault.message = "the mask of the operation does not name the lane that executes it";
  launch_.faults.add(fault);
}

// … and only lanes that are there: threads that have left can never arrive. Lanes that never were,
// in the last warp of a block, may be named.
void BlockState::check_present(const Warp& warp, std::uint32_t mask, std::uint32_t members,
                               std::uint32_t statement) {
  const std::uint32_t threads = std::min(32u, launch_.threads() - warp.lanes.warp * 32);
  const std::uint32_t all = threads == 32 ? 0xffffffff : (1u << threads) - 1;
  const std::uint32_t left = members & all & ~warp.live;
  if (left == 0) return;
  const bool one = std::popcount(left) == 1;
  Fault fault;
  fault.kind = FaultKind::sync;
  fault.statement = statement;
  fault.block = coordinates_;
  fault.thread = thread(warp.lanes.warp, static_cast<std::uint32_t>(std::countr_zero(mask)));
  fault.count = static_cast<std::uint64_t>(std::popcount(mask));
  fault.hazard = "Divergent thread(s) in warp";
  fault.message = std::string("the mask names lane") + (one ? " " : "s ") + lanes_text(left) +
                  " of the warp, which " + (one ? "has" : "have") + " left the kernel";
  launch_.faults.add(fault);
}

// Threads that meet at a barrier for all should come to the same one: the compiler was told so.
// Barriers with a number or a count are made for threads that come from different places.
void BlockState::check_meeting(const Warp& warp, const Fragment& fragment, std::uint32_t number,
                               std::uint32_t threads, const Block& node) {
  if (number != 0 || threads != 0) return;
  Barrier& barrier = barriers_[number];
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(fragment.mask));
  if (barrier.statement == Instruction::kNone) {
    barrier.statement = node.statement;
    barrier.first = warp.lanes.warp * 32 + lane;
  } else if (barrier.statement != node.statement) {
    Fault fault;
    fault.kind = FaultKind::sync;
    fault.statement = node.statement;
    fault.block = coordinates_;
    fault.thread = thread(warp.lanes.warp, lane);
    fault.count = static_cast<std::uint64_t>(std::popcount(fragment.mask));
    fault.hazard = barrier.first / 32 == warp.lanes.warp ? "Divergent thread(s) in warp"
                                                         : "Divergent thread(s) in block";
    fault.message = "threads of a block wait for each other at different barriers";
    fault.other.known = true;
    fault.other.statement = barrier.statement;
    fault.other.thread = thread(barrier.first / 32, barrier.first % 32);
    fault.other.block = coordinates_;
    launch_.faults.add(fault);
  }
}

}  // namespace warpmark::cpu
