// Cuts a kernel into blocks and numbers them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/contention.hpp"
#include "program/data_flow.hpp"
#include "program/decoder.hpp"
#include "program/flow.hpp"
#include "program/memory_words.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
void Decoder::find_leaders() {
  const std::size_t count = function_.statements.size();
  leader_.assign(count + 1, 0);
  leader_[0] = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Statement& statement = function_.statements[i];
    if (is_collective(statement)) {
      leader_[i] = 1;
      if (statement.guard != Operand::kNone) leader_[i + 1] = 1;
    }
    if (!ends_block(statement)) continue;
    leader_[i + 1] = 1;
    if (statement.facts->mnemonic == Mnemonic::bra) {
      expect_operands(statement, 1, 1);
      const Operand& label = operand(statement, 0);
      if (label.kind != OperandKind::label || label.negated || label.value != 0)
        invalid(statement, "expected a label");
      leader_[operand(statement, 0).index] = 1;
    } else if (is_indexed_branch(statement)) {
      const BranchTable& table = branch_table(statement);
      for (std::uint32_t label = 0; label < table.labels; ++label)
        leader_[function_.operands[table.first_operand + label].index] = 1;
    }
  }
  part_contended();
}

// No two contended accesses stay in one basic block, because other threads may run between them.
void Decoder::part_contended() {
  bool contends = false;
  for (std::size_t i = 0; i < function_.statements.size(); ++i) {
    if (leader_[i] != 0) contends = false;
    const Statement& statement = function_.statements[i];
    const bool atom = statement.facts->mnemonic == Mnemonic::atom && statement.operands > 0;
    const Operand& result = atom ? operand(statement, 0) : Operand{};
    const bool returns = result.kind == OperandKind::vector ||
                         (result.kind == OperandKind::reg && reads_of(result.index) > 0);
    if (!returns && !may_contend(*statement.facts)) continue;
    if (contends) leader_[i] = 1;
    contends = true;
  }
}

/// Basic blocks as they are first numbered: by the statement that begins them. Higher numbers are
/// of those that hold a guarded instruction that ends a block (@p ret; @p bar.sync 0;), reached by
/// a branch on the guard.
struct Decoder::BlockNumbers {
  std::vector<std::uint32_t> at;  ///< by statement; one more for the end, where threads leave
  std::uint32_t count = 0;        ///< of those that a statement begins
  std::vector<BasicBlock> extra;

  std::uint32_t add(const BasicBlock& block) {
    extra.push_back(block);
    return count + static_cast<std::uint32_t>(extra.size()) - 1;
  }
};

Decoder::BlockNumbers Decoder::number_blocks() {
  const std::size_t statements = function_.statements.size();
  leader_[statements] = 1;  // falling off the end is a return
  BlockNumbers numbers;
  for (std::size_t i = 0; i <= statements; ++i) {
    if (leader_[i] != 0) ++numbers.count;
    numbers.at.push_back(numbers.count - 1);
  }
  return numbers;
}

// The instruction that ends a block, alone in one of its own if it is guarded.
void Decoder::add_exit(const Statement& statement, std::uint32_t index, BasicBlock& block,
                       BlockNumbers& numbers) {
  const std::uint32_t behind = numbers.at[index + 1];
  block.end = static_cast<std::uint32_t>(program_.code.size());
  BasicBlock last;
  last.begin = last.end = block.end;
  last.statement = first_statement_ + index;
  last.next = behind;
  if (is_indexed_branch(statement))
    indexed_branch(statement, last, numbers.at, numbers.extra, numbers.count);
  else
    try_end_block(statement, index, last);
  if (last.counts) barrier_reduction(statement, last, numbers.extra, numbers.count);
  if (last.exit == Exit::jump) last.next = numbers.at[last.next];
  if (statement.guard == Operand::kNone) {
    last.begin = block.begin;
    block = last;
    return;
  }
  block.exit = Exit::branch;
  block.predicate = register_slot(statement.guard);
  block.negated = statement.guard_negated;
  block.next = behind;
  const bool only_jumps = last.exit == Exit::jump && last.begin == last.end;
  block.taken = only_jumps ? last.next : numbers.add(last);
}

// Lanes that reach a warp operation, by falling through or by a branch, first wait for the lanes of
// its mask, in an empty block before it that collects them. At a guarded operation, which is a
// separate block, only the lanes whose guard holds wait.
void Decoder::collect_before(const Statement& operation, std::uint32_t index, BasicBlock& block,
                             BlockNumbers& numbers) {
  BasicBlock wait;
  wait.begin = wait.end = block.begin;
  wait.exit = Exit::collect;
  wait.statement = first_statement_ + index;
  const auto computed = static_cast<std::uint32_t>(program_.code.size());
  wait.barrier = members(operation);
  wait.next = numbers.add(block);
  if (program_.code.size() != computed) {  // a mask that is a register and an offset
    BasicBlock sum = wait;
    sum.begin = computed;
    sum.end = static_cast<std::uint32_t>(program_.code.size());
    sum.exit = Exit::jump;
    sum.barrier = BasicBlock().barrier;
    sum.next = numbers.add(wait);
    wait = sum;
  }
  if (operation.facts->family == Family::warpgroup &&
      operation.facts->has(Modifier::wait_group)) {  // products are done when four warps made them
    BasicBlock others = wait;
    others.exit = Exit::barrier;
    others.barrier = Instruction::kNone;
    others.threads = constant(128, false);
    others.next = numbers.add(wait);
    wait = others;
  }
  if (operation.guard == Operand::kNone) {
    block = wait;
    return;
  }
  BasicBlock ask = wait;
  ask.barrier = BasicBlock().barrier;
  ask.exit = Exit::branch;
  ask.predicate = register_slot(operation.guard);
  ask.negated = operation.guard_negated;
  ask.next = block.next;
  ask.taken = numbers.add(wait);
  block = ask;
}

// The block that begins with a statement; the number of the statement behind it.
std::uint32_t Decoder::build_block(std::uint32_t first, BlockNumbers& numbers) {
  const auto count = static_cast<std::uint32_t>(function_.statements.size());
  BasicBlock& block = blocks_[numbers.at[first]];
  block.begin = static_cast<std::uint32_t>(program_.code.size());
  block.exit = Exit::jump;
  polls_ = polls_block_ = false;
  if (first == 0) keep_stack();
  std::uint32_t i = first;
  bool ended = false;
  do {
    const Statement& statement = function_.statements[i];
    block.statement = first_statement_ + i;
    ended = ends_block(statement);
    if (ended)
      add_exit(statement, i, block, numbers);
    else
      try_instruction(statement);
    ++i;
  } while (!ended && i < count && leader_[i] == 0);
  if (!ended) {
    block.end = static_cast<std::uint32_t>(program_.code.size());
    block.next = numbers.at[i];
  }
  block.weight = i - first;
  block.polls = polls_ || polls_block_;
  block.polls_block = !polls_;
  const Statement& begin = function_.statements[first];
  if (is_collective(begin)) collect_before(begin, first, block, numbers);
  return i;
}

void Decoder::build_blocks() {
  const auto count = static_cast<std::uint32_t>(function_.statements.size());
  BlockNumbers numbers = number_blocks();
  blocks_.resize(numbers.count);
  for (std::uint32_t i = 0; i < count;) i = build_block(i, numbers);
  BasicBlock& end = blocks_[numbers.at[count]];
  end.begin = static_cast<std::uint32_t>(program_.code.size());
  if (count > 0) give_stack_back(function_.statements.back());
  end.end = static_cast<std::uint32_t>(program_.code.size());
  end.exit = callee_ == Instruction::kNone ? Exit::leave : Exit::ret;
  end.barrier = callee_;
  end.statement = first_statement_ + (count == 0 ? 0 : count - 1);
  blocks_.insert(blocks_.end(), numbers.extra.begin(), numbers.extra.end());
}

void Decoder::end_block(const Statement& statement, std::uint32_t index, BasicBlock& block) {
  (void)index;
  if (statement.facts->form == nullptr) invalid(statement, what_is_wrong(statement.opcode));
  check_target(statement);
  const Mnemonic name = statement.facts->mnemonic;
  if (name == Mnemonic::bra) {
    block.exit = Exit::jump;
    block.next = operand(statement, 0).index;  // a statement; the caller turns it into a block
  } else if (name == Mnemonic::ret || name == Mnemonic::exit) {
    expect_operands(statement, 0, 0);
    block.exit = callee_ == Instruction::kNone || name == Mnemonic::exit ? Exit::leave : Exit::ret;
    block.barrier = callee_;
    if (block.exit == Exit::ret) give_stack_back(statement);
    block.end = static_cast<std::uint32_t>(program_.code.size());
  } else if (name == Mnemonic::call) {
    call(statement, block);
  } else if (name == Mnemonic::trap ||
             name == Mnemonic::brkpt) {  // no debugger is there to break into
    block.exit = Exit::trap;
  } else {
    barrier(statement, block);
  }
}

void Decoder::barrier(const Statement& statement, BasicBlock& block) {
  const InstructionFacts& facts = *statement.facts;
  if (facts.has(Modifier::cluster)) {
    expect_operands(statement, 0, 0);
    block.exit = facts.has(Modifier::arrive) ? Exit::cluster_arrive : Exit::cluster_wait;
    block.relaxed = facts.has(Modifier::relaxed);
  } else if (facts.has(Modifier::warp)) {
    expect_operands(statement, 1, 1);
    block.exit = Exit::warp;
    block.barrier = source(statement, 0, Type::u32);
  } else if (facts.has(Modifier::red)) {
    block.exit = Exit::barrier;
    block.counts = true;
    expect_operands(statement, 3, 4);
    block.barrier = source(statement, 1, Type::u32);
    if (statement.operands > 3) block.threads = source(statement, 2, Type::u32);
    check_barrier(statement, 1);
    const Operand& vote = operand(statement, statement.operands - 1u);
    block.predicate = predicate(statement, vote);
    block.negated = vote.negated;
  } else {
    block.exit = Exit::barrier;
    block.arrive_only = facts.has(Modifier::arrive);
    expect_operands(statement, block.arrive_only ? 2 : 1, 2);
    block.barrier = source(statement, 0, Type::u32);
    if (statement.operands > 1) block.threads = source(statement, 1, Type::u32);
    check_barrier(statement, 0);
  }
}

// The barrier leaves its count in registers; a block behind it makes the result of that.
void Decoder::barrier_reduction(const Statement& statement, BasicBlock& block,
                                std::vector<BasicBlock>& extra, std::uint32_t first_extra) {
  if (program_.barrier_count == Instruction::kNone) {
    program_.barrier_count = allocate(false);
    allocate(false);
  }
  Instruction result;
  result.a = program_.barrier_count;
  if (statement.facts->has(Modifier::popc)) {
    result.opcode = Opcode::mov_32;
    result.d = destination(statement, 0, Type::u32);
  } else if (statement.facts->has(Modifier::and_)) {
    result.opcode = Opcode::setp_eq_u32;
    result.b = program_.barrier_count + kSlotBytes;
    result.d = destination(statement, 0, Type::pred);
  } else {
    result.opcode = Opcode::setp_ne_u32;
    result.b = constant(0, false);
    result.d = destination(statement, 0, Type::pred);
  }
  BasicBlock behind;
  behind.begin = static_cast<std::uint32_t>(program_.code.size());
  emit(statement, result);
  behind.end = static_cast<std::uint32_t>(program_.code.size());
  behind.exit = Exit::jump;
  behind.statement = block.statement;
  behind.next = block.next;
  block.next = first_extra + static_cast<std::uint32_t>(extra.size());
  extra.push_back(behind);
}

// Blocks that lead to blocks of the same function.
std::vector<std::vector<std::uint32_t>> Decoder::successors_of(
    const std::vector<BasicBlock>& blocks) {
  std::vector<std::vector<std::uint32_t>> successors(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Exit exit = blocks[i].exit;
    if (exit == Exit::leave || exit == Exit::trap || exit == Exit::ret) continue;
    successors[i].push_back(blocks[i].next);
    if (exit == Exit::branch) successors[i].push_back(blocks[i].taken);
  }
  return successors;
}

// Returns whether a block ends at a barrier of all threads, or in a call of a function that has
// one.
bool Decoder::is_convergent(const BasicBlock& block) const {
  if (block.exit == Exit::barrier) return block.threads == Instruction::kNone && !block.arrive_only;
  if (block.exit != Exit::call) return false;
  const std::uint32_t callee = program_.calls[block.barrier].callee;
  return callee < shared_.convergent.size() && shared_.convergent[callee];
}

void Decoder::mark_loops_and_barriers(std::vector<BasicBlock>& ordered) {
  const std::vector<std::vector<std::uint32_t>> successors = successors_of(ordered);
  const std::vector<bool> loops = in_loops(successors);
  const bool kernel = callee_ == Instruction::kNone;
  std::vector<std::uint32_t> barriers;
  for (std::uint32_t i = 0; i < ordered.size(); ++i) {
    const BasicBlock& block = ordered[i];
    // The caller of a function may be in a loop.
    const bool repeats = loops[i] || !kernel;
    program_.waits = program_.waits || (repeats && block.polls && !block.polls_block);
    if (is_convergent(block)) barriers.push_back(i);
    if (block.exit == Exit::call) program_.calls[block.barrier].repeated = loops[i];
    for (std::uint32_t at = block.begin; at < block.end && !loops[i]; ++at) {
      Instruction& instruction = program_.code[at];
      if ((instruction.order & Instruction::kVolatile) != 0 &&
          flow_of(instruction.opcode) == Flow::load)
        instruction.order |= Instruction::kOnce;
    }
  }
  if (!kernel && !barriers.empty()) {
    shared_.convergent.resize(program_.callees.size());
    shared_.convergent[callee_] = true;
  }
  if (!kernel || barriers.empty()) return;
  const std::vector<std::uint64_t> past = behind_for_good(successors, barriers);
  for (std::uint32_t i = 0; i < ordered.size(); ++i) {
    // Blocks that only return are excluded: a thread may return early, also from a function whose
    // result is unused.
    const auto begin = program_.code.begin() + ordered[i].begin;
    const auto end = program_.code.begin() + ordered[i].end;
    const bool returns = std::all_of(begin, end, [&](const Instruction& instruction) {
      const Statement& one = function_.statements[instruction.statement - first_statement_];
      return one.facts->mnemonic == Mnemonic::ld && space_of(*one.facts) == Space::param;
    });
    if (!returns) ordered[i].past = past[i];
  }
  for (std::uint32_t bit = 0; bit < barriers.size() && bit < 64; ++bit)
    ordered[barriers[bit]].barrier_bit = std::uint64_t{1} << bit;
}

// Loads of a function that is, or may be, called repeatedly are repeated.
void mark_repeated_functions(Program& program) {
  std::vector<bool> repeated(program.callees.size());
  bool changed = true;
  while (std::exchange(changed, false)) {
    for (const Call& call : program.calls) {
      const bool again = call.repeated || call.recursive ||
                         (call.caller != Instruction::kNone && repeated[call.caller]);
      for (std::uint32_t callee = 0; callee < repeated.size(); ++callee) {
        const bool called = call.callee == Instruction::kNone || call.callee == callee;
        if (!called || repeated[callee] || !(again || call.callee == Instruction::kNone)) continue;
        repeated[callee] = changed = true;
      }
    }
  }
  for (Instruction& instruction : program.code) {
    if ((instruction.order & Instruction::kOnce) == 0) continue;
    // Functions are decoded in the order of their numbers, and the kernel last.
    const auto next = std::upper_bound(
        program.sources.begin(), program.sources.end(), instruction.statement,
        [](std::uint32_t number, const Program::Source& source) { return number < source.first; });
    const auto callee = static_cast<std::size_t>(next - program.sources.begin()) - 1;
    if (callee < repeated.size() && repeated[callee]) instruction.order ^= Instruction::kOnce;
  }
}

void Decoder::order_blocks() {
  std::vector<BasicBlock>& blocks = blocks_;
  const auto base = static_cast<std::uint32_t>(program_.blocks.size());
  const std::vector<std::uint32_t> order = reconvergence_order(successors_of(blocks));
  std::vector<std::uint32_t> number(blocks.size(), 0);
  std::vector<BasicBlock> ordered;
  ordered.reserve(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    ordered.push_back(blocks[order[i]]);
  }
  for (BasicBlock& block : ordered) {
    block.next = number[block.next];
    block.taken = number[block.taken];
  }
  mark_loops_and_barriers(ordered);
  for (BasicBlock& block : ordered) {
    block.next += base;
    block.taken += base;
    if (block.exit == Exit::call) program_.calls[block.barrier].next = block.next;
  }
  program_.blocks.insert(program_.blocks.end(), ordered.begin(), ordered.end());
  // The order begins with the entry.
  (callee_ == Instruction::kNone ? program_.entry : program_.callees[callee_].entry) = base;
}

}  // namespace warpmark::cpu
