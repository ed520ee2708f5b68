// Decoding of brx.idx, a chain of comparisons that are blocks of their own; constants of barriers.
#include <cstdint>
#include <string>
#include <string_view>

#include "program/decoder.hpp"

namespace warpmark::cpu {

bool Decoder::is_indexed_branch(std::string_view opcode) {
  return opcode == "brx.idx" || opcode == "brx.idx.uni";
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
  if (number.kind == OperandKind::integer && (number.value < 0 || number.value > 15))
    invalid(statement, "a barrier's number is from 0 to 15");
  if (statement.operands <= first + 1) return;
  const Operand& threads = operand(statement, first + 1);
  const bool arrives = statement.opcode.find(".arrive") != std::string_view::npos;
  if (threads.kind == OperandKind::integer &&
      (threads.value % 32 != 0 || (arrives && threads.value == 0)))
    invalid(statement, "a barrier's threads are a multiple of 32");
}

// Compares in `block`, which a guard may precede, and in one extra block for each further label. An
// index beyond the table, whose effect is undefined, goes where the last one does.
void Decoder::indexed_branch(const Statement& statement, Block& block,
                             const std::vector<std::uint32_t>& block_at, std::vector<Block>& extra,
                             std::uint32_t first_extra) {
  const BranchTable& table = branch_table(statement);
  const std::uint32_t index = source(statement, 0, Type::u32);
  const auto target = [&](std::uint32_t label) {
    return block_at[function_.operands[table.first_operand + label].index];
  };
  Block* at = &block;
  for (std::uint32_t label = 0; label + 1 < table.labels; ++label) {
    at->begin = static_cast<std::uint32_t>(program_.code.size());
    at->predicate = allocate(false);
    emit_plain(statement, Opcode::setp_eq_b32, at->predicate, index, constant(label, false));
    at->end = static_cast<std::uint32_t>(program_.code.size());
    at->exit = Exit::branch;
    at->taken = target(label);
    if (label + 2 == table.labels) {
      at->next = target(label + 1);
      return;
    }
    at->next = first_extra + static_cast<std::uint32_t>(extra.size());
    Block step;
    step.statement = block.statement;
    extra.push_back(step);
    at = &extra.back();
  }
  block.exit = Exit::jump;  // whose target the caller turns from a statement into a block
  block.next = function_.operands[table.first_operand].index;
}

}  // namespace warpmark::cpu
