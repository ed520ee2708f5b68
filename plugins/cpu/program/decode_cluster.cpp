// Decoding of the addresses that clusters add: those of another block's shared memory.
#include <cstdint>

#include "program/decoder.hpp"

namespace warpmark::cpu {

// mapa{.space}.type d, a, rank; getctarank{.space}.type d, a
void Decoder::cluster_address(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool map = facts.mnemonic == Mnemonic::mapa, shared = facts.has(Modifier::shared_cluster);
  const Type type = facts.types.front();
  expect_operands(statement, map ? 3 : 2, map ? 3 : 2);
  Instruction instruction;
  instruction.opcode = map ? Opcode::map_address : Opcode::rank_of_address;
  instruction.address_narrow = type == Type::u32;
  // A generic address in 32 bits, for which there is no separate space here, is the low half of the
  // full one.
  const std::uint64_t window = type == Type::u32
                                   ? static_cast<std::uint32_t>(placement_.shared_window)
                                   : placement_.shared_window;
  instruction.imm = shared ? 0 : static_cast<std::int64_t>(window);
  instruction.d = destination(statement, 0, map ? type : Type::u32);
  Operand variable = operand(statement, 1);
  if (variable.kind == OperandKind::name) {  // a shared variable, perhaps with an offset
    variable.kind = OperandKind::address;
    variable.index = statement.first_operand + 1;
    if (space_of_name(variable) != Space::shared)
      invalid(statement, "'" + std::string(variable.text) + "' is no shared variable");
    instruction.a = address_value(statement, variable, shared ? Space::shared : Space::generic);
    if (type == Type::u32) {
      const std::uint32_t narrow = allocate(false);
      emit_plain(statement, Opcode::cvt_u32_u64, narrow, instruction.a);
      instruction.a = narrow;
    }
  } else {
    instruction.a = source(statement, 1, type);
  }
  if (map) instruction.b = source(statement, 2, Type::u32);
  emit(statement, instruction);
}

}  // namespace warpmark::cpu
