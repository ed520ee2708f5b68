// Cuts a kernel into blocks and numbers them.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "program/contention.hpp"
#include "program/data_flow.hpp"
#include "program/decoder.hpp"
#include "program/flow.hpp"
#include "program/memory_words.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

bool ends_block(const Statement& statement) {
  return statement.facts->family == Family::control;
}

// The basic blocks of a function. They are first numbered by the statement that begins them. Higher
// numbers are of those that hold a guarded instruction that ends a block (@p ret; @p bar.sync 0;),
// reached by a branch on the guard.
class Blocks {
 public:
  explicit Blocks(Emitter& out) : out_(out) {}

  void find_leaders();
  void build();
  void order();

 private:
  void part_contended();
  void add_exit(std::uint32_t index, BasicBlock& block);
  void collect_before(const Statement& operation, std::uint32_t index, BasicBlock& block);
  std::uint32_t build_block(std::uint32_t first);
  void try_instruction();
  [[nodiscard]] bool is_convergent(const BasicBlock& block) const;
  void mark_loops_and_barriers(std::vector<BasicBlock>& ordered);

  Emitter& out_;
  std::vector<std::uint8_t> leader_;
  std::vector<std::uint32_t> at_;  ///< by statement; one more for the end, where threads leave
  std::vector<BasicBlock> blocks_;
  ExtraBlocks extra_;
};

void Blocks::find_leaders() {
  const std::size_t count = out_.function.statements.size();
  leader_.assign(count + 1, 0);
  leader_[0] = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Statement& statement = out_.function.statements[i];
    out_.at(statement);
    if (is_collective(statement)) {
      leader_[i] = 1;
      if (statement.guard != Operand::kNone) leader_[i + 1] = 1;
    }
    if (!ends_block(statement)) continue;
    leader_[i + 1] = 1;
    if (statement.facts->mnemonic == Mnemonic::bra) {
      out_.expect_operands(1);
      const Operand& label = out_.operand(0);
      if (label.kind != OperandKind::label || label.negated || label.value != 0)
        out_.invalid("expected a label");
      leader_[label.index] = 1;
    } else if (is_indexed_branch(statement)) {
      const BranchTable& table = branch_table(out_);
      for (std::uint32_t label = 0; label < table.labels; ++label)
        leader_[out_.function.operands[table.first_operand + label].index] = 1;
    }
  }
  part_contended();
}

// No two contended accesses stay in one basic block, because other threads may run between them.
void Blocks::part_contended() {
  bool contends = false;
  for (std::size_t i = 0; i < out_.function.statements.size(); ++i) {
    if (leader_[i] != 0) contends = false;
    const Statement& statement = out_.function.statements[i];
    const bool atom = statement.facts->mnemonic == Mnemonic::atom && statement.operands > 0;
    out_.at(statement);
    const Operand& result = atom ? out_.operand(0) : Operand{};
    const bool returns = result.kind == OperandKind::vector ||
                         (result.kind == OperandKind::reg && out_.reads_of(result.index) > 0);
    if (!returns && !may_contend(*statement.facts)) continue;
    if (contends) leader_[i] = 1;
    contends = true;
  }
}

// The instruction that ends a block, alone in one of its own if it is guarded.
void Blocks::add_exit(std::uint32_t index, BasicBlock& block) {
  const Statement& statement = out_.statement();
  const std::uint32_t behind = at_[index + 1];
  block.end = out_.code_end();
  BasicBlock last;
  last.begin = last.end = block.end;
  last.statement = out_.first_statement + index;
  last.next = behind;
  if (is_indexed_branch(statement)) {
    indexed_branch(out_, last, at_, extra_);
  } else {
    try {
      end_block(out_, last);
    } catch (const PtxError& error) {
      out_.keep_unsupported(error);
      last.exit = Exit::trap;
    }
  }
  if (last.counts) barrier_reduction(out_, last, extra_);
  if (last.exit == Exit::jump) last.next = at_[last.next];
  if (statement.guard == Operand::kNone) {
    last.begin = block.begin;
    block = last;
    return;
  }
  block.exit = Exit::branch;
  block.predicate = out_.register_slot(statement.guard);
  block.negated = statement.guard_negated;
  block.next = behind;
  const bool only_jumps = last.exit == Exit::jump && last.begin == last.end;
  block.taken = only_jumps ? last.next : extra_.add(last);
}

// Lanes that reach a warp operation, by falling through or by a branch, first wait for the lanes of
// its mask, in an empty block before it that collects them. At a guarded operation, which is a
// separate block, only the lanes whose guard holds wait.
void Blocks::collect_before(const Statement& operation, std::uint32_t index, BasicBlock& block) {
  out_.at(operation);
  BasicBlock wait;
  wait.begin = wait.end = block.begin;
  wait.exit = Exit::collect;
  wait.statement = out_.first_statement + index;
  const std::uint32_t computed = out_.code_end();
  wait.barrier = members(out_);
  wait.next = extra_.add(block);
  if (out_.program.code.size() != computed) {  // a mask that is a register and an offset
    BasicBlock sum = wait;
    sum.begin = computed;
    sum.end = out_.code_end();
    sum.exit = Exit::jump;
    sum.barrier = BasicBlock().barrier;
    sum.next = extra_.add(wait);
    wait = sum;
  }
  if (operation.facts->family == Family::warpgroup &&
      operation.facts->has(Modifier::wait_group)) {  // products are done when four warps made them
    BasicBlock others = wait;
    others.exit = Exit::barrier;
    others.barrier = Instruction::kNone;
    others.threads = out_.constant(128, false);
    others.next = extra_.add(wait);
    wait = others;
  }
  if (operation.guard == Operand::kNone) {
    block = wait;
    return;
  }
  BasicBlock ask = wait;
  ask.barrier = BasicBlock().barrier;
  ask.exit = Exit::branch;
  ask.predicate = out_.register_slot(operation.guard);
  ask.negated = operation.guard_negated;
  ask.next = block.next;
  ask.taken = extra_.add(wait);
  block = ask;
}

// Decodes a statement, or keeps that this device does not support it.
void Blocks::try_instruction() {
  try {
    decode_instruction(out_);
  } catch (const PtxError& error) {
    out_.keep_unsupported(error);
  }
}

// The block that begins with a statement; the number of the statement behind it.
std::uint32_t Blocks::build_block(std::uint32_t first) {
  const auto count = static_cast<std::uint32_t>(out_.function.statements.size());
  BasicBlock& block = blocks_[at_[first]];
  block.begin = out_.code_end();
  block.exit = Exit::jump;
  out_.polls = out_.polls_block = false;
  out_.at(out_.function.statements[first]);
  if (first == 0) keep_stack(out_);
  std::uint32_t i = first;
  bool ended = false;
  do {
    const Statement& statement = out_.function.statements[i];
    out_.at(statement);
    block.statement = out_.place();
    ended = ends_block(statement);
    if (ended)
      add_exit(i, block);
    else
      try_instruction();
    ++i;
  } while (!ended && i < count && leader_[i] == 0);
  if (!ended) {
    block.end = out_.code_end();
    block.next = at_[i];
  }
  block.weight = i - first;
  block.polls = out_.polls || out_.polls_block;
  block.polls_block = !out_.polls;
  const std::vector<Instruction>& code = out_.program.code;
  block.shuffles =
      std::any_of(code.begin() + block.begin, code.end(),
                  [](const Instruction& instruction) { return is_shuffle(instruction.opcode); });
  const Statement& begin = out_.function.statements[first];
  if (is_collective(begin)) collect_before(begin, first, block);
  return i;
}

void Blocks::build() {
  const auto count = static_cast<std::uint32_t>(out_.function.statements.size());
  leader_[count] = 1;  // falling off the end is a return
  for (std::uint32_t i = 0; i <= count; ++i) {
    if (leader_[i] != 0) ++extra_.first;
    at_.push_back(extra_.first - 1);
  }
  blocks_.resize(extra_.first);
  for (std::uint32_t i = 0; i < count;) i = build_block(i);
  BasicBlock& end = blocks_[at_[count]];
  end.begin = out_.code_end();
  if (count > 0) {
    out_.at(out_.function.statements.back());
    give_stack_back(out_);
  }
  end.end = out_.code_end();
  end.exit = out_.in_kernel() ? Exit::leave : Exit::ret;
  end.barrier = out_.callee;
  end.statement = out_.first_statement + (count == 0 ? 0 : count - 1);
  blocks_.insert(blocks_.end(), extra_.blocks.begin(), extra_.blocks.end());
}

// Returns whether a block ends at a barrier of all threads, or in a call of a function that has
// one.
bool Blocks::is_convergent(const BasicBlock& block) const {
  if (block.exit == Exit::barrier) return block.threads == Instruction::kNone && !block.arrive_only;
  if (block.exit != Exit::call) return false;
  const std::uint32_t callee = out_.program.calls[block.barrier].callee;
  return callee < out_.shared.convergent.size() && out_.shared.convergent[callee];
}

// Marks, in blocks numbered from 0 in their order, accesses that wait for other blocks, volatile
// loads that do not, and BasicBlock::past.
void Blocks::mark_loops_and_barriers(std::vector<BasicBlock>& ordered) {
  const std::vector<std::vector<std::uint32_t>> successors = cpu::successors(ordered);
  const std::vector<bool> loops = in_loops(successors);
  const bool kernel = out_.in_kernel();
  std::vector<std::uint32_t> barriers;
  for (std::uint32_t i = 0; i < ordered.size(); ++i) {
    const BasicBlock& block = ordered[i];
    // The caller of a function may be in a loop.
    const bool repeats = loops[i] || !kernel;
    out_.program.waits = out_.program.waits || (repeats && block.polls && !block.polls_block);
    if (is_convergent(block)) barriers.push_back(i);
    if (block.exit == Exit::call) out_.program.calls[block.barrier].repeated = loops[i];
    for (std::uint32_t at = block.begin; at < block.end && !loops[i]; ++at) {
      Instruction& instruction = out_.program.code[at];
      if ((instruction.order & Instruction::kVolatile) != 0 &&
          flow_of(instruction.opcode) == Flow::load)
        instruction.order |= Instruction::kOnce;
    }
  }
  if (!kernel && !barriers.empty()) {
    out_.shared.convergent.resize(out_.program.callees.size());
    out_.shared.convergent[out_.callee] = true;
  }
  if (!kernel || barriers.empty()) return;
  const std::vector<std::uint64_t> past = behind_for_good(successors, barriers);
  for (std::uint32_t i = 0; i < ordered.size(); ++i) {
    // Blocks that only return are excluded: a thread may return early, also from a function whose
    // result is unused.
    const auto begin = out_.program.code.begin() + ordered[i].begin;
    const auto end = out_.program.code.begin() + ordered[i].end;
    const bool returns = std::all_of(begin, end, [&](const Instruction& instruction) {
      const Statement& one = out_.function.statements[instruction.statement - out_.first_statement];
      return one.facts->mnemonic == Mnemonic::ld && space_of(*one.facts) == Space::param;
    });
    if (!returns) ordered[i].past = past[i];
  }
  for (std::uint32_t bit = 0; bit < barriers.size() && bit < 64; ++bit)
    ordered[barriers[bit]].barrier_bit = std::uint64_t{1} << bit;
}

void Blocks::order() {
  const auto base = static_cast<std::uint32_t>(out_.program.blocks.size());
  const std::vector<std::uint32_t> order = reconvergence_order(successors(blocks_));
  std::vector<std::uint32_t> number(blocks_.size(), 0);
  std::vector<BasicBlock> ordered;
  ordered.reserve(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    ordered.push_back(blocks_[order[i]]);
  }
  for (BasicBlock& block : ordered) {
    block.next = number[block.next];
    block.taken = number[block.taken];
  }
  mark_loops_and_barriers(ordered);
  for (BasicBlock& block : ordered) {
    block.next += base;
    block.taken += base;
    if (block.exit == Exit::call) out_.program.calls[block.barrier].next = block.next;
  }
  out_.program.blocks.insert(out_.program.blocks.end(), ordered.begin(), ordered.end());
  // The order begins with the entry.
  (out_.in_kernel() ? out_.program.entry : out_.program.callees[out_.callee].entry) = base;
}

}  // namespace

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

void decode_blocks(Emitter& out) {
  Blocks blocks(out);
  blocks.find_leaders();
  blocks.build();
  blocks.order();
}

}  // namespace warpmark::cpu
