// Decoding of the addresses that clusters add: those of another block's shared memory.
#include <cstdint>

#include <array>
#include <cstdint>

#include "program/decoder.hpp"
#include "program/memory_words.hpp"

namespace warpmark::cpu {
// mapa{.space}.type d, a, rank; getctarank{.space}.type d, a
void decode_cluster_address(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool map = facts.mnemonic == Mnemonic::mapa, shared = facts.has(Modifier::shared_cluster);
  const Type type = facts.types.front();
  out.expect_operands(map ? 3 : 2);
  Instruction instruction;
  instruction.opcode = map ? Opcode::map_address : Opcode::rank_of_address;
  instruction.address_narrow = type == Type::u32;
  // A generic address in 32 bits, for which there is no separate space here, is the low half of the
  // full one.
  const std::uint64_t window = type == Type::u32
                                   ? static_cast<std::uint32_t>(out.placement.shared_window)
                                   : out.placement.shared_window;
  instruction.imm = shared ? 0 : static_cast<std::int64_t>(window);
  instruction.d = out.destination(0, map ? type : Type::u32);
  Operand variable = out.operand(1);
  if (variable.kind == OperandKind::name) {  // a shared variable, perhaps with an offset
    variable.kind = OperandKind::address;
    variable.index = out.statement().first_operand + 1;
    if (space_of_name(out, variable) != Space::shared)
      out.invalid("'" + std::string(variable.text) + "' is no shared variable");
    instruction.a = address_value(out, variable, shared ? Space::shared : Space::generic);
    if (type == Type::u32) {
      const std::uint32_t narrow = out.allocate(false);
      out.emit(Opcode::cvt_u32_u64, narrow, instruction.a);
      instruction.a = narrow;
    }
  } else {
    instruction.a = out.source(1, type);
  }
  if (map) instruction.b = out.source(2, Type::u32);
  out.emit(instruction);
}

// clusterlaunchcontrol.try_cancel… [answer], [mbarrier]; .query_cancel… result, answer. The answer has
// the coordinates of the first block and, above them, whether a cluster was taken over.
void decode_cluster_cancel(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  out.expect_operands(2);
  if (facts.has(Modifier::try_cancel)) {
    const Space space = space_of(facts);
    Instruction instruction;
    instruction.opcode = Opcode::try_cancel;
    instruction.proxy = facts.has(Modifier::multicast_cluster_all);
    instruction.space = space;
    instruction.address = address_value(out, out.operand(0), space);
    instruction.c = address_value(out, out.operand(1), space);
    instruction.site = out.program.sites++;
    out.program.cancels = true;
    out.emit(instruction);
    return;
  }
  out.check_is_register(1);
  const std::uint32_t low = out.source(1, Type::b128), high = low + kWideSlot;
  if (facts.has(Modifier::is_canceled)) {
    out.emit(Opcode::setp_lt_u64, out.destination(0, Type::pred), out.constant(0xffffffff, true),
             high);
    return;
  }
  std::array<std::uint32_t, 3> at{};
  if (facts.has(Modifier::first_ctaid)) {
    const Operand& list = out.operand(0);
    if (list.kind != OperandKind::vector || list.count != 4) out.invalid("expected a vector of 4");
    for (std::uint32_t d = 0; d < 3; ++d) {
      at.at(d) = out.result(out.part(list, d), Type::b32);
    }
  } else {
    const std::size_t wanted = facts.has(Modifier::first_ctaid_x)   ? 0
                               : facts.has(Modifier::first_ctaid_y) ? 1
                                                                    : 2;
    for (std::size_t d = 0; d < 3; ++d)
      at.at(d) = d == wanted ? out.destination(0, Type::b32) : out.allocate(false);
  }
  for (const bool upper : {false, true}) {
    Instruction parts;
    parts.opcode = Opcode::unpack_32;
    parts.count = 2;
    parts.e = upper ? high : low;
    parts.d = at[upper ? 2 : 0];
    parts.a = upper ? out.allocate(false) : at[1];
    out.emit(parts);
  }
}

}  // namespace warpmark::cpu
