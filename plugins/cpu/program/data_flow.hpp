// How instructions use their operands, for analyses that follow values through a program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace warpmark::cpu {

/// How an instruction uses its operands.
enum class Flow : std::uint8_t {
  copy,     ///< d is a, or part of it, or it with zeros or its sign before it
  both,     ///< d = a and b, bit by bit
  either,   ///< d = a or b, bit by bit
  shift,    ///< d = a shifted by b
  select,   ///< d = a or b, as predicate c says
  compare,  ///< predicates d and `predicate` from a and b, and predicate c
  pack,     ///< d is made of a, b, c and e
  unpack,   ///< d, a, b and c are made of e
  compute,  ///< d from all others
  load,     ///< d, a, b, c and more from memory
  store,    ///< data d, a, b, c and more
  atomic,   ///< d from memory and a, b
  shuffle,  ///< d from a of another lane
  reduce,   ///< d and `predicate` from a of all lanes of a mask
  special,  ///< in a special way: operations.def has its operands
};

Flow flow_of(Opcode opcode);

/// Returns whether an operation may read the registers of lanes that do not execute it.
bool may_read_other_lanes(Opcode opcode);

enum class FlowTypes : std::uint8_t { any, integers };
/// The index of an arithmetic operation's line in flows.def, from 0.
inline constexpr std::size_t kNoFlowRow = ~std::size_t{0};
std::size_t flow_row(const OpcodeInfo& info);

/// The slots of the data of a load or store, Instruction::kNone among them where one is left out.
struct DataSlots {
  static constexpr std::uint32_t kMost = 8;
  std::array<std::uint32_t, kMost> slots{};
  std::uint32_t count = 0;
  [[nodiscard]] const std::uint32_t* begin() const { return slots.data(); }
  [[nodiscard]] const std::uint32_t* end() const { return slots.data() + count; }
};
DataSlots data_slots(const Program& program, const Instruction& instruction);

/// Returns whether control goes on to no other block of the function, behind a block with that exit.
constexpr bool ends_way(Exit exit) {
  return exit == Exit::leave || exit == Exit::trap || exit == Exit::ret;
}

/// For each block, the blocks to which control goes on in the same function: BasicBlock::next, then
/// BasicBlock::taken.
std::vector<std::vector<std::uint32_t>> successors(const std::vector<BasicBlock>& blocks);

/// For each block, the blocks from which control continues to it in the same function. The block
/// after a call follows the block that calls.
std::vector<std::vector<std::uint32_t>> predecessors(const Program& program);

}  // namespace warpmark::cpu
