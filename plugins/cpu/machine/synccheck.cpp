// Barriers and warp operations that not everybody reaches, as far as nobody waits for ever.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "machine/block.hpp"
#include "program/shuffle.hpp"

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

constexpr const char* kGonePast =
    "threads wait at a barrier that others of the block have gone past";

}  // namespace

// A mask must name the lane that gives it.
void BlockState::check_members(const Warp& warp, std::uint32_t mask, const BasicBlock& node) {
  std::uint32_t without = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint32_t members;
    std::memcpy(&members, warp.lanes.registers + node.barrier + lane * 4, 4);
    if ((members >> lane & 1) == 0) without |= 1u << lane;
    if (node.exit == Exit::collect)
      check_present(warp, 1u << lane, members, node.statement, node.next);
  }
  if (without == 0) return;
  Fault fault = this->fault(FaultKind::sync, node.statement, warp.lanes.warp, without);
  fault.hazard = "Invalid arguments";
  fault.message = "the mask of the operation does not name the lane that executes it";
  launch_.faults.add(fault);
}

// "The mandatory .aligned qualifier indicates that all threads in the warp must execute the same
// instruction … otherwise the behavior is undefined" (PTX ISA, mma, ldmatrix and their like); on an
// H200 the missing lanes' parts have other values (results/h200/undefined.json). `next` begins with
// the operation.
void BlockState::check_aligned(const Warp& warp, std::uint32_t mask, const BasicBlock& next) {
  if (mask == 0xffffffff || next.begin == next.end) return;
  const std::uint32_t number = launch_.program.code[next.begin].statement;
  const Statement* statement = launch_.program.statement(number);
  if (statement == nullptr || !statement->facts->has(Modifier::aligned)) return;
  Fault fault = this->fault(FaultKind::sync, number, warp.lanes.warp, mask);
  fault.hazard = "Divergent thread(s) in warp";
  fault.message = "an operation of the whole warp is executed by some of its lanes";
  const std::uint32_t missing = ~mask;
  fault.detail = std::string(": ") + (std::popcount(missing) == 1 ? "lane " : "lanes ") +
                 lanes_text(missing) + (std::popcount(missing) == 1 ? " does" : " do") +
                 " not take part in " + std::string(statement->facts->name) + ".aligned";
  launch_.faults.add(fault);
}

std::uint32_t BlockState::lanes_that_left(std::uint32_t warp) const {
  const std::uint32_t threads = std::min(32u, launch_.threads() - warp * 32);
  return (threads == 32 ? 0xffffffff : (1u << threads) - 1) & ~warps_[warp].live;
}

// Lanes that have left take no part in votes, matches, reductions and barriers, whatever the mask
// (CUDA C++ Programming Guide: "all non-exited threads named in mask"). A shuffle must not read
// what they would give. `node` begins with the operation. Lanes that never were, in the last warp
// of a block, may be named.
void BlockState::check_present(const Warp& warp, std::uint32_t mask, std::uint32_t members,
                               std::uint32_t statement, std::uint32_t node) {
  const std::uint32_t left = members & lanes_that_left(warp.lanes.warp);
  const BasicBlock& next = launch_.program.blocks[node];
  if (left == 0 || next.begin == next.end) return;
  const Instruction& operation = launch_.program.code[next.begin];
  if (operation.opcode < Opcode::shfl_up || operation.opcode > Opcode::shfl_idx) return;
  std::uint32_t readers = 0, read = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t from =
        shuffle_source(operation.opcode, lane, uniform(warp, operation.b, 1u << lane),
                       uniform(warp, operation.c, 1u << lane))
            .lane;
    if ((left >> from & 1) == 0) continue;
    readers |= 1u << lane;
    read |= 1u << from;
  }
  if (readers == 0) return;
  Fault fault = this->fault(FaultKind::sync, statement, warp.lanes.warp, readers);
  fault.hazard = "Divergent thread(s) in warp";
  fault.message = "values are read from lanes of the warp that have left the kernel";
  fault.detail = (std::popcount(read) == 1 ? ": lane " : ": lanes ") + lanes_text(read);
  launch_.faults.add(fault);
}

// `thread` and others, `threads` of them, stand at a barrier where `other` does not come.
void BlockState::report_apart(std::uint32_t statement, std::uint32_t thread, std::uint32_t threads,
                              const char* message, Passer& other) {
  Fault fault = this->fault(FaultKind::sync, statement, thread / 32, 1u << thread % 32);
  fault.count = threads;
  if (other.hazard == nullptr) {
    other.hazard = other.thread / 32 == thread / 32 ? "Divergent thread(s) in warp"
                                                    : "Divergent thread(s) in block";
  }
  fault.hazard = other.hazard;
  fault.message = message;
  fault.other.known = true;
  fault.other.statement = other.statement;
  fault.other.thread = this->thread(other.thread / 32, other.thread % 32);
  fault.other.block = coordinates_;
  fault.other.calls = other.calls;
  launch_.faults.add(fault);
}

// Threads that meet at a barrier for all should come to the same one: the compiler relies on it. That
// is an instruction, and not a line, which may have several. What the compiler makes of one barrier
// in a loop are several, too, but of different rounds.
// Barriers with a number or a count are made for threads that come from different places.
void BlockState::check_meeting(const Warp& warp, const Fragment& fragment, std::uint32_t number,
                               std::uint32_t threads, const BasicBlock& node) {
  if (number != 0 || threads != 0) return;
  Barrier& barrier = barriers_[number];
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(fragment.mask));
  const std::uint32_t thread = warp.lanes.warp * 32 + lane;
  const auto count = static_cast<std::uint32_t>(std::popcount(fragment.mask));
  std::vector<std::uint32_t> calls = calls_to(node.statement, warp.lanes.warp, lane);
  // In a function: the barrier is where the kernel calls.
  std::uint64_t bit = node.barrier_bit;
  if (!calls.empty()) {
    const std::vector<BasicBlock>& blocks = launch_.program.blocks;
    const auto from = std::find_if(blocks.begin(), blocks.end(), [&](const BasicBlock& block) {
      return block.exit == Exit::call && block.statement == calls.back();
    });
    if (from != blocks.end()) bit = from->barrier_bit;
  }
  if (barrier.statement == Instruction::kNone) {
    barrier.statement = node.statement;
    barrier.first = thread;
    barrier.bit = bit;
    barrier.calls = std::move(calls);
  } else if (barrier.calls != calls || barrier.statement != node.statement) {
    Passer other{barrier.statement, barrier.first, nullptr, barrier.calls};
    report_apart(node.statement, thread, count,
                 "threads of a block wait for each other at different barriers", other);
  }
  if ((bit & ~ahead_) != 0)
    report_apart(node.statement, thread, count, kGonePast,
                 passers_[static_cast<std::size_t>(std::countr_zero(bit))]);
}

// Lanes of a warp begin what stands behind barriers to which they cannot come back. Threads of
// their block that wait there, or come there later, miss them. Threads that return early are not
// reported: since sm_70 they count as arrived.
void BlockState::go_past(const Warp& warp, const BasicBlock& node, std::uint32_t mask) {
  // The place where they touch memory says more than the one where they compute an address.
  const auto begin = launch_.program.code.begin() + node.begin;
  const auto end = launch_.program.code.begin() + node.end;
  const auto access =
      std::find_if(begin, end, [](const Instruction& i) { return i.counter != Counter::none; });
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
  Passer passer{(access == end ? begin : access)->statement, warp.lanes.warp * 32 + lane};
  passer.calls = calls_to(passer.statement, warp.lanes.warp, lane);
  const Barrier& barrier = barriers_[0];
  if (barrier.statement != Instruction::kNone && (barrier.bit & node.past & ahead_) != 0)
    report_apart(barrier.statement, barrier.first, barrier.arrived, kGonePast, passer);
  for (std::uint64_t bits = node.past & ahead_; bits != 0; bits &= bits - 1)
    passers_[static_cast<std::size_t>(std::countr_zero(bits))] = passer;
  ahead_ &= ~node.past;
}

}  // namespace warpmark::cpu
