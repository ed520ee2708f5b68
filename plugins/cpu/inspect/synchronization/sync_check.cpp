#include "inspect/synchronization/sync_check.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "inspect/observed_block.hpp"
#include "inspect/waits.hpp"
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

std::uint32_t value_of(const Lanes& w, std::uint32_t slot, std::uint32_t lane) {
  return read_lane<std::uint32_t>(w.registers, slot, lane);
}

constexpr const char* kGonePast =
    "threads wait at a barrier that others of the block have gone past";

}  // namespace

void SyncCheck::begin(std::uint64_t) {
  waiting_ = {};
  ahead_ = ~std::uint64_t{0};
}

void SyncCheck::barrier_complete(std::uint32_t number, bool, std::uint32_t) {
  if (number == 0) waiting_ = {};
}

void SyncCheck::collect_complete(const Lanes& w, std::uint32_t mask, std::uint32_t members,
                                 std::uint32_t node) {
  check_present(w, mask, members, statement_of_wait(block_.program(), node), node);
  check_aligned(w, mask, node);
}

// A mask must name the lane that gives it.
void SyncCheck::warp_arrive(const Lanes& w, std::uint32_t mask, const BasicBlock& node, bool met) {
  std::uint32_t without = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t members = value_of(w, node.barrier, lane);
    if ((members >> lane & 1) == 0) without |= 1u << lane;
    if (node.exit == Exit::collect)
      check_present(w, 1u << lane, members, node.statement, node.next);
  }
  if (without != 0) {
    Fault fault = block_.fault(FaultKind::sync, node.statement, w.warp, without);
    fault.hazard = "Invalid arguments";
    fault.message = "the mask of the operation does not name the lane that executes it";
    block_.report(fault);
  }
  if (met && node.exit == Exit::collect) check_aligned(w, mask, node.next);
}

// "The mandatory .aligned qualifier indicates that all threads in the warp must execute the same
// instruction … otherwise the behavior is undefined" (PTX ISA, mma, ldmatrix and their like); on an
// H200 the missing lanes' parts have other values (results/h200/undefined.json). `node` begins with
// the operation.
void SyncCheck::check_aligned(const Lanes& w, std::uint32_t mask, std::uint32_t node) {
  const Program& program = block_.program();
  const BasicBlock& next = program.blocks[node];
  if (mask == 0xffffffff || next.begin == next.end) return;
  const std::uint32_t number = program.code[next.begin].statement;
  const Statement* statement = program.statement(number);
  if (statement == nullptr || !statement->facts->has(Modifier::aligned)) return;
  Fault fault = block_.fault(FaultKind::sync, number, w.warp, mask);
  fault.hazard = "Divergent thread(s) in warp";
  fault.message = "an operation of the whole warp is executed by some of its lanes";
  const std::uint32_t missing = ~mask;
  fault.detail = std::string(": ") + (std::popcount(missing) == 1 ? "lane " : "lanes ") +
                 lanes_text(missing) + (std::popcount(missing) == 1 ? " does" : " do") +
                 " not take part in " + std::string(statement->facts->name) + ".aligned";
  block_.report(fault);
}

// Lanes that have left take no part in votes, matches, reductions and barriers, whatever the mask
// (CUDA C++ Programming Guide: "all non-exited threads named in mask"). A shuffle must not read
// what they would give. `node` begins with the operation. Lanes that never were, in the last warp
// of a block, may be named.
void SyncCheck::check_present(const Lanes& w, std::uint32_t mask, std::uint32_t members,
                              std::uint32_t statement, std::uint32_t node) {
  const std::uint32_t left = members & block_.lanes_that_left(w.warp);
  const BasicBlock& next = block_.program().blocks[node];
  if (left == 0 || next.begin == next.end) return;
  const Instruction& operation = block_.program().code[next.begin];
  if (operation.opcode < Opcode::shfl_up || operation.opcode > Opcode::shfl_idx) return;
  std::uint32_t readers = 0, read = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t from =
        shuffle_source(operation.opcode, lane, value_of(w, operation.b, lane),
                       value_of(w, operation.c, lane))
            .lane;
    if ((left >> from & 1) == 0) continue;
    readers |= 1u << lane;
    read |= 1u << from;
  }
  if (readers == 0) return;
  Fault fault = block_.fault(FaultKind::sync, statement, w.warp, readers);
  fault.hazard = "Divergent thread(s) in warp";
  fault.message = "values are read from lanes of the warp that have left the kernel";
  fault.detail = (std::popcount(read) == 1 ? ": lane " : ": lanes ") + lanes_text(read);
  block_.report(fault);
}

// `thread` and others, `threads` of them, stand at a barrier where `other` does not come.
void SyncCheck::report_apart(std::uint32_t statement, std::uint32_t thread, std::uint32_t threads,
                             const char* message, Passer& other) {
  Fault fault = block_.fault(FaultKind::sync, statement, thread / 32, 1u << thread % 32);
  fault.count = threads;
  if (other.hazard == nullptr) {
    other.hazard = other.thread / 32 == thread / 32 ? "Divergent thread(s) in warp"
                                                    : "Divergent thread(s) in block";
  }
  fault.hazard = other.hazard;
  fault.message = message;
  fault.other.known = true;
  fault.other.statement = other.statement;
  fault.other.thread = block_.thread(other.thread / 32, other.thread % 32);
  fault.other.block = block_.coordinates();
  fault.other.calls = other.calls;
  block_.report(fault);
}

// Threads that meet at a barrier for all should come to the same one: the compiler relies on it.
// That is an instruction, and not a line, which may have several. What the compiler makes of one
// barrier in a loop are several, too, but of different rounds. Barriers with a number or a count
// are made for threads that come from different places.
void SyncCheck::barrier_arrive(const Lanes& w, std::uint32_t mask, std::uint32_t number,
                               std::uint32_t threads, const BasicBlock& node) {
  if (number != 0) return;
  const auto count = static_cast<std::uint32_t>(std::popcount(mask));
  waiting_.arrived += count;
  if (threads != 0 || node.arrive_only) return;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
  const std::uint32_t thread = w.warp * 32 + lane;
  std::vector<std::uint32_t> calls = block_.calls_to(node.statement, w.warp, lane);
  // In a function: the barrier is where the kernel calls.
  std::uint64_t bit = node.barrier_bit;
  if (!calls.empty()) {
    const std::vector<BasicBlock>& blocks = block_.program().blocks;
    const auto from = std::find_if(blocks.begin(), blocks.end(), [&](const BasicBlock& block) {
      return block.exit == Exit::call && block.statement == calls.back();
    });
    if (from != blocks.end()) bit = from->barrier_bit;
  }
  if (waiting_.statement == Instruction::kNone) {
    waiting_.statement = node.statement;
    waiting_.first = thread;
    waiting_.bit = bit;
    waiting_.calls = std::move(calls);
  } else if (waiting_.calls != calls || waiting_.statement != node.statement) {
    Passer other{waiting_.statement, waiting_.first, nullptr, waiting_.calls};
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
void SyncCheck::go_past(const Lanes& w, std::uint32_t mask, const BasicBlock& node) {
  const Program& program = block_.program();
  // The place where they touch memory says more than the one where they compute an address.
  const auto begin = program.code.begin() + node.begin;
  const auto end = program.code.begin() + node.end;
  const auto access =
      std::find_if(begin, end, [](const Instruction& i) { return i.counter != Counter::none; });
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
  Passer passer{(access == end ? begin : access)->statement, w.warp * 32 + lane};
  passer.calls = block_.calls_to(passer.statement, w.warp, lane);
  if (waiting_.statement != Instruction::kNone && (waiting_.bit & node.past & ahead_) != 0)
    report_apart(waiting_.statement, waiting_.first, waiting_.arrived, kGonePast, passer);
  for (std::uint64_t bits = node.past & ahead_; bits != 0; bits &= bits - 1)
    passers_[static_cast<std::size_t>(std::countr_zero(bits))] = passer;
  ahead_ &= ~node.past;
}

// PTX ISA, "Arrive-on operation": the count of pending arrivals does not go below zero.
void SyncCheck::arrive_too_often(const Lanes& w, const Instruction& i, std::uint32_t lane,
                                 std::uint64_t, std::uint32_t expected) {
  Fault fault = block_.fault(FaultKind::sync, i.statement, w.warp, 1u << lane);
  fault.hazard = "Invalid arguments";
  fault.message = "a thread arrives at an mbarrier whose phase expects no more arrivals";
  fault.detail = ": it was made for " + std::to_string(expected);
  block_.report(fault);
}

}  // namespace warpmark::cpu
