#include "program/data_flow.hpp"

#include <algorithm>
#include <iterator>

namespace warpmark::cpu {
namespace {

struct FlowRow {
  Mnemonic mnemonic;
  Modifier word;
  FlowTypes types;
  Flow flow;
};
constexpr FlowRow kFlowRows[] = {
#define FLOW(mnemonic, word, types, flow, bits) \
  {Mnemonic::mnemonic, Modifier::word, FlowTypes::types, Flow::flow},
#include "program/flows.def"
};

Flow flow_of_arithmetic(const OpcodeInfo& info) {
  if (info.form == Form::mask1 || info.form == Form::mask2) return Flow::compute;
  if (info.form == Form::select) return Flow::select;
  if (info.form == Form::compare) return Flow::compare;
  if (is_atomic(info.form)) return Flow::atomic;
  const std::size_t row = flow_row(info);
  return row == kNoFlowRow ? Flow::compute : kFlowRows[row].flow;
}

using Flows = std::array<Flow, static_cast<std::size_t>(Opcode::count)>;

Flows make_flows() {
  Flows flows;
  flows.fill(Flow::compute);
  const auto set = [&](Opcode opcode, Flow flow) {
    flows.at(static_cast<std::size_t>(opcode)) = flow;
  };
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const OpcodeInfo* info = find_opcode(static_cast<Opcode>(i));
    if (info != nullptr) flows.at(i) = flow_of_arithmetic(*info);
  }
#define ACCESS_LOAD(space, memory, bits) set(Opcode::load_##space##_##memory##_##bits, Flow::load);
#define ACCESS_STORE(space, memory, bits) \
  set(Opcode::store_##space##_##memory##_##bits, Flow::store);
#include "program/memory_ops.def"
#define OPERATION(id, flow, operands) set(Opcode::id, Flow::flow);
#include "program/operations.def"
  return flows;
}

const Flows& flows() {
  static const Flows table = make_flows();
  return table;
}

}  // namespace

std::size_t flow_row(const OpcodeInfo& info) {
  const InstructionFacts& words = words_of(info);
  const bool integers = is_integer(info.d) && is_integer(info.a);
  const auto* const found = std::ranges::find_if(kFlowRows, [&](const FlowRow& row) {
    return words.mnemonic == row.mnemonic && (row.word == Modifier::none || words.has(row.word)) &&
           (integers || row.types == FlowTypes::any);
  });
  return found == std::end(kFlowRows) ? kNoFlowRow : static_cast<std::size_t>(found - kFlowRows);
}

Flow flow_of(Opcode opcode) {
  return flows()[static_cast<std::size_t>(opcode)];
}

DataSlots data_slots(const Program& program, const Instruction& instruction) {
  const std::uint32_t first[4] = {instruction.d, instruction.a, instruction.b, instruction.c};
  DataSlots data;
  data.count = std::min<std::uint32_t>(instruction.count, DataSlots::kMost);
  for (std::uint32_t i = 0; i < data.count; ++i)
    data.slots.at(i) = i < 4 ? first[i] : program.operands[instruction.more + i - 4];
  return data;
}

bool may_read_other_lanes(Opcode opcode) {
  const Flow flow = flow_of(opcode);
  return flow == Flow::shuffle || flow == Flow::reduce || flow == Flow::special;
}

std::vector<std::vector<std::uint32_t>> successors(const std::vector<BasicBlock>& blocks) {
  std::vector<std::vector<std::uint32_t>> behind(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (ends_way(blocks[b].exit)) continue;
    behind[b].push_back(blocks[b].next);
    if (blocks[b].exit == Exit::branch) behind[b].push_back(blocks[b].taken);
  }
  return behind;
}

std::vector<std::vector<std::uint32_t>> predecessors(const Program& program) {
  const std::vector<std::vector<std::uint32_t>> behind = successors(program.blocks);
  std::vector<std::vector<std::uint32_t>> before(behind.size());
  for (std::uint32_t b = 0; b < behind.size(); ++b) {
    for (const std::uint32_t next : behind[b]) before[next].push_back(b);
  }
  return before;
}

}  // namespace warpmark::cpu
