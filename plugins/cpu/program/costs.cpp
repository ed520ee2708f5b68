// Computes how much one execution of a block of the control-flow graph adds to each counter.
#include <cstddef>
#include <cstdint>

#include "program/program.hpp"

namespace warpmark::cpu {

void lay_out_costs(Program& program) {
  for (std::uint32_t i = 0; i < program.blocks.size(); ++i) {
    const BasicBlock& block = program.blocks[i];
    Counters amounts{};
    const auto add = [&](Counter counter, std::uint64_t amount) {
      amounts[static_cast<std::size_t>(counter)] += amount;
    };
    for (std::uint32_t at = block.begin; at < block.end; ++at) {
      const Instruction& instruction = program.code[at];
      if (instruction.counter == Counter::none || instruction.guard != Instruction::kNone) continue;
      add(instruction.counter, instruction.cost);
      if (instruction.counter != Counter::ptx_flops) add(requests_of(instruction.counter), 1);
    }
    if (block.exit == Exit::barrier && block.barrier != Instruction::kNone)
      add(Counter::barriers, 1);
    for (std::size_t counter = 0; counter < amounts.size(); ++counter) {
      if (amounts[counter] != 0)
        program.costs.push_back({i, static_cast<Counter>(counter), amounts[counter]});
    }
  }
}

}  // namespace warpmark::cpu
