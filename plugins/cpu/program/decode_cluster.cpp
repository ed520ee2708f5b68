// Decoding of the addresses that clusters add: those of another block's shared memory.
#include <cstdint>

#include <array>
#include <cstdint>

#include "program/decoder.hpp"
#include "program/memory_words.hpp"

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

// clusterlaunchcontrol.try_cancel… [answer], [mbarrier]; .query_cancel… result, answer. The answer has
// the coordinates of the first block and, above them, whether a cluster was taken over.
void Decoder::cluster_cancel(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  expect_operands(statement, 2, 2);
  if (facts.has(Modifier::try_cancel)) {
    const Space space = space_of(facts);
    Instruction instruction;
    instruction.opcode = Opcode::try_cancel;
    instruction.proxy = facts.has(Modifier::multicast_cluster_all);
    instruction.space = space;
    instruction.address = address_value(statement, operand(statement, 0), space);
    instruction.c = address_value(statement, operand(statement, 1), space);
    instruction.site = program_.sites++;
    program_.cancels = true;
    emit(statement, instruction);
    return;
  }
  check_is_register(statement, 1);
  const std::uint32_t low = source(statement, 1, Type::b128), high = low + kWideSlot;
  if (facts.has(Modifier::is_canceled)) {
    emit_plain(statement, Opcode::setp_lt_u64, destination(statement, 0, Type::pred),
               constant(0xffffffff, true), high);
    return;
  }
  std::array<std::uint32_t, 3> at{};
  if (facts.has(Modifier::first_ctaid)) {
    const Operand& list = operand(statement, 0);
    if (list.kind != OperandKind::vector || list.count != 4)
      invalid(statement, "expected a vector of 4");
    for (std::uint32_t d = 0; d < 3; ++d) {
      const Operand& one = function_.operands[list.index + d];
      at.at(d) =
          one.kind == OperandKind::sink ? allocate(false) : destination(statement, one, Type::b32);
    }
  } else {
    const std::size_t wanted = facts.has(Modifier::first_ctaid_x)   ? 0
                               : facts.has(Modifier::first_ctaid_y) ? 1
                                                                    : 2;
    for (std::size_t d = 0; d < 3; ++d)
      at.at(d) = d == wanted ? destination(statement, 0, Type::b32) : allocate(false);
  }
  for (const bool upper : {false, true}) {
    Instruction parts;
    parts.opcode = Opcode::unpack_32;
    parts.count = 2;
    parts.e = upper ? high : low;
    parts.d = at[upper ? 2 : 0];
    parts.a = upper ? allocate(false) : at[1];
    emit(statement, parts);
  }
}

}  // namespace warpmark::cpu
