// Decoding of brx.idx, a chain of comparisons that are blocks of their own; constants of barriers.
#include <cstdint>
#include <string>
#include <string_view>

#include "program/decoder.hpp"

namespace warpmark::cpu {

bool Decoder::is_indexed_branch(const Statement& statement) {
  return statement.facts->mnemonic == Mnemonic::brx;
}

const BranchTable& Decoder::branch_table(const Statement& statement) const {
  expect_operands(statement, 2, 2);
  const auto found = function_.branch_tables.find(operand(statement, 1).text);
  if (found == function_.branch_tables.end())
    invalid(statement, "'" + std::string(operand(statement, 1).text) +
                           "' is not the name of a .branchtargets");
  return found->second;
}

// A barrier's number, and the threads behind it, where they are constants.
void Decoder::check_barrier(const Statement& statement, std::size_t first) const {
  const Operand& number = operand(statement, first);
  if (number.kind == OperandKind::integer && static_cast<std::uint32_t>(number.value) > 15)
    invalid(statement, "a barrier's number is from 0 to 15");
  if (statement.operands <= (first == 0 ? 1 : 3)) return;  // a vote stands behind the threads
  const Operand& threads = operand(statement, first + 1);
  const bool arrives = statement.facts->has(Modifier::arrive);
  if (threads.kind == OperandKind::integer &&
      (threads.value % 32 != 0 || (arrives && threads.value == 0)))
    invalid(statement, "a barrier's threads are a multiple of 32");
}

// Compares in `block`, which a guard may precede, and in one extra block for each further label. An
// index beyond the table ends the launch: where it goes is undefined.
void Decoder::indexed_branch(const Statement& statement, BasicBlock& block,
                             const std::vector<std::uint32_t>& block_at,
                             std::vector<BasicBlock>& extra, std::uint32_t first_extra) {
  const BranchTable& table = branch_table(statement);
  const std::uint32_t index = source(statement, 0, Type::u32);
  // Blocks move when others are added.
  const auto add = [&](Exit exit) {
    BasicBlock step;
    step.statement = block.statement;
    step.exit = exit;
    step.begin = step.end = static_cast<std::uint32_t>(program_.code.size());
    extra.push_back(step);
    return first_extra + static_cast<std::uint32_t>(extra.size()) - 1;
  };
  std::uint32_t number = Instruction::kNone;  // of an extra block
  for (std::uint32_t label = 0; label < table.labels; ++label) {
    const auto begin = static_cast<std::uint32_t>(program_.code.size());
    const std::uint32_t predicate = allocate(false);
    emit_plain(statement, Opcode::setp_eq_b32, predicate, index, constant(label, false));
    const bool last = label + 1 == table.labels;
    const std::uint32_t next = add(last ? Exit::trap : Exit::branch);
    BasicBlock& at = number == Instruction::kNone ? block : extra[number - first_extra];
    at.begin = begin;
    at.end = begin + 1;
    at.predicate = predicate;
    at.exit = Exit::branch;
    at.taken = block_at[function_.operands[table.first_operand + label].index];
    at.next = next;
    number = next;
  }
}

}  // namespace warpmark::cpu
