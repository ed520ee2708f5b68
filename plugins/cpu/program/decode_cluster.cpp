// Decoding of what clusters and cooperative grids add: barriers, address maps, special registers.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::array<std::pair<std::string_view, Special>, 17> kLaunchSpecials = {{
    {"%envreg1", Special::workspace_high},
    {"%envreg2", Special::workspace_low},
    {"%clusterid.x", Special::clusterid_x},
    {"%clusterid.y", Special::clusterid_y},
    {"%clusterid.z", Special::clusterid_z},
    {"%nclusterid.x", Special::nclusterid_x},
    {"%nclusterid.y", Special::nclusterid_y},
    {"%nclusterid.z", Special::nclusterid_z},
    {"%cluster_ctaid.x", Special::cluster_ctaid_x},
    {"%cluster_ctaid.y", Special::cluster_ctaid_y},
    {"%cluster_ctaid.z", Special::cluster_ctaid_z},
    {"%cluster_nctaid.x", Special::cluster_nctaid_x},
    {"%cluster_nctaid.y", Special::cluster_nctaid_y},
    {"%cluster_nctaid.z", Special::cluster_nctaid_z},
    {"%cluster_ctarank", Special::cluster_ctarank},
    {"%cluster_nctarank", Special::cluster_nctarank},
    {"%is_explicit_cluster", Special::is_explicit_cluster},
}};

}  // namespace

std::uint32_t Decoder::launch_special(std::string_view name) {
  for (const auto& [known, which] : kLaunchSpecials) {
    if (name == known) return special(which);
  }
  // The environment of a kernel holds nothing but the workspace of a cooperative launch.
  return name.starts_with("%envreg") ? special(Special::zero) : Instruction::kNone;
}

// mapa{.space}.type d, a, rank; getctarank{.space}.type d, a
void Decoder::cluster_address(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool map = statement.opcode.starts_with("mapa."), shared = facts.has("shared::cluster");
  const Type type = facts.types().front().ends_with("32") ? Type::u32 : Type::u64;
  expect_operands(statement, map ? 3 : 2, map ? 3 : 2);
  Instruction instruction;
  instruction.opcode = map ? Opcode::map_address : Opcode::rank_of_address;
  instruction.address_narrow = type == Type::u32;
  // Of a generic address in 32 bits, which has no space of its own here, the low half is taken.
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
