// Decoding of statements that end a block: branches, returns and barriers. brx.idx is a chain of
// comparisons that are blocks of their own.
#include <cstdint>
#include <string>
#include <string_view>

#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

// A barrier's number, and the threads behind it, where they are constants.
void check_barrier(const Emitter& out, std::size_t first) {
  const Operand& number = out.operand(first);
  if (number.kind == OperandKind::integer && static_cast<std::uint32_t>(number.value) > 15)
    out.invalid("a barrier's number is from 0 to 15");
  if (out.operands() <= (first == 0 ? 1 : 3)) return;  // a vote stands behind the threads
  const Operand& threads = out.operand(first + 1);
  const bool arrives = out.facts().has(Modifier::arrive);
  if (threads.kind == OperandKind::integer &&
      (threads.value % 32 != 0 || (arrives && threads.value == 0)))
    out.invalid("a barrier's threads are a multiple of 32");
}

void barrier(Emitter& out, BasicBlock& block) {
  const InstructionFacts& facts = out.facts();
  if (facts.has(Modifier::cluster)) {
    out.expect_operands(0);
    block.exit = facts.has(Modifier::arrive) ? Exit::cluster_arrive : Exit::cluster_wait;
    block.relaxed = facts.has(Modifier::relaxed);
  } else if (facts.has(Modifier::warp)) {
    out.expect_operands(1);
    block.exit = Exit::warp;
    block.barrier = out.source(0, Type::u32);
  } else if (facts.has(Modifier::red)) {
    block.exit = Exit::barrier;
    block.counts = true;
    out.expect_operands(3, 4);
    block.barrier = out.source(1, Type::u32);
    if (out.operands() > 3) block.threads = out.source(2, Type::u32);
    check_barrier(out, 1);
    const Operand& vote = out.operand(out.operands() - 1u);
    block.predicate = out.predicate(vote);
    block.negated = vote.negated;
  } else {
    block.exit = Exit::barrier;
    block.arrive_only = facts.has(Modifier::arrive);
    out.expect_operands(block.arrive_only ? 2 : 1, 2);
    block.barrier = out.source(0, Type::u32);
    if (out.operands() > 1) block.threads = out.source(1, Type::u32);
    check_barrier(out, 0);
  }
}

}  // namespace

bool is_indexed_branch(const Statement& statement) {
  return statement.facts->mnemonic == Mnemonic::brx;
}

const BranchTable& branch_table(const Emitter& out) {
  out.expect_operands(2);
  const std::string_view name = out.operand(1).text;
  const auto found = out.function.branch_tables.find(name);
  if (found == out.function.branch_tables.end())
    out.invalid("'" + std::string(name) + "' is not the name of a .branchtargets");
  return found->second;
}

// Compares in `block`, which a guard may precede, and in one extra block for each further label. An
// index beyond the table ends the launch: where it goes is undefined.
void indexed_branch(Emitter& out, BasicBlock& block, const std::vector<std::uint32_t>& block_at,
                    ExtraBlocks& extra) {
  const BranchTable& table = branch_table(out);
  const std::uint32_t index = out.source(0, Type::u32);
  std::uint32_t number = Instruction::kNone;  // of an extra block
  for (std::uint32_t label = 0; label < table.labels; ++label) {
    const std::uint32_t begin = out.code_end();
    const std::uint32_t predicate = out.allocate(false);
    out.emit(Opcode::setp_eq_b32, predicate, index, out.constant(label, false));
    BasicBlock step;
    step.statement = block.statement;
    step.exit = label + 1 == table.labels ? Exit::trap : Exit::branch;
    step.begin = step.end = out.code_end();
    const std::uint32_t next = extra.add(step);
    // Blocks move when others are added.
    BasicBlock& at = number == Instruction::kNone ? block : extra.blocks[number - extra.first];
    at.begin = begin;
    at.end = begin + 1;
    at.predicate = predicate;
    at.exit = Exit::branch;
    at.taken = block_at[out.function.operands[table.first_operand + label].index];
    at.next = next;
    number = next;
  }
}

// The barrier leaves its count in registers; a block behind it makes the result of that.
void barrier_reduction(Emitter& out, BasicBlock& block, ExtraBlocks& extra) {
  if (out.program.barrier_count == Instruction::kNone) {
    out.program.barrier_count = out.allocate(false);
    out.allocate(false);
  }
  Instruction result;
  result.a = out.program.barrier_count;
  if (out.facts().has(Modifier::popc)) {
    result.opcode = Opcode::mov_32;
    result.d = out.destination(0, Type::u32);
  } else if (out.facts().has(Modifier::and_)) {
    result.opcode = Opcode::setp_eq_u32;
    result.b = out.program.barrier_count + kSlotBytes;
    result.d = out.destination(0, Type::pred);
  } else {
    result.opcode = Opcode::setp_ne_u32;
    result.b = out.constant(0, false);
    result.d = out.destination(0, Type::pred);
  }
  BasicBlock behind;
  behind.begin = out.code_end();
  out.emit(result);
  behind.end = out.code_end();
  behind.exit = Exit::jump;
  behind.statement = block.statement;
  behind.next = block.next;
  block.next = extra.add(behind);
}

void end_block(Emitter& out, BasicBlock& block) {
  if (out.facts().form == nullptr) out.invalid(what_is_wrong(out.statement().opcode));
  out.check_target();
  const Mnemonic name = out.facts().mnemonic;
  if (name == Mnemonic::bra) {
    block.exit = Exit::jump;
    block.next = out.operand(0).index;  // a statement; the caller turns it into a block
  } else if (name == Mnemonic::ret || name == Mnemonic::exit) {
    out.expect_operands(0);
    block.exit = out.in_kernel() || name == Mnemonic::exit ? Exit::leave : Exit::ret;
    block.barrier = out.callee;
    if (block.exit == Exit::ret) give_stack_back(out);
    block.end = out.code_end();
  } else if (name == Mnemonic::call) {
    call(out, block);
  } else if (name == Mnemonic::trap ||
             name == Mnemonic::brkpt) {  // no debugger is there to break into
    block.exit = Exit::trap;
  } else {
    barrier(out, block);
  }
}

}  // namespace warpmark::cpu
