// Registers that may be read before they are written: those that are not on every way to a read.
#include <cstdint>
#include <vector>

#include "program/program.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

using Set = std::vector<std::uint64_t>;  // a bit for each slot of 128 bytes

void add(Set& set, std::uint32_t slot) {
  if (slot != Instruction::kNone)
    set[slot / kSlotBytes / 64] |= std::uint64_t{1} << (slot / kSlotBytes % 64);
}
bool has(const Set& set, std::uint32_t slot) {
  return (set[slot / kSlotBytes / 64] >> (slot / kSlotBytes % 64) & 1) != 0;
}

}  // namespace

void find_unwritten(Program& program) {
  program.unwritten.clear();
  const std::size_t blocks = program.blocks.size();
  const std::size_t words = program.register_bytes / kSlotBytes / 64 + 1;
  std::vector<std::vector<std::uint32_t>> before(blocks);
  std::vector<std::uint8_t> begins(blocks);
  begins[program.entry] = 1;
  for (const Callee& callee : program.callees) begins[callee.entry] = 1;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const Block& block = program.blocks[b];
    if (block.exit == Exit::leave || block.exit == Exit::ret) continue;
    before[block.next].push_back(b);
    if (block.exit == Exit::branch) before[block.taken].push_back(b);
  }
  // What every way to the end of a block writes; begun with everything, and cut down.
  Set given(words);
  for (const Program::Constant& constant : program.constants) add(given, constant.slot);
  for (const Program::SpecialSlot& special : program.specials) add(given, special.slot);
  for (const Callee& callee : program.callees) {
    add(given, callee.frame_slot);
    add(given, callee.return_slot);
  }
  if (program.barrier_count != Instruction::kNone) {
    add(given, program.barrier_count);
    add(given, program.barrier_count + kSlotBytes);
  }
  std::vector<Set> written(blocks, Set(words)), after(blocks, Set(words, ~std::uint64_t{0}));
  for (std::size_t b = 0; b < blocks; ++b) {
    const Block& block = program.blocks[b];
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      if (program.code[i].guard != Instruction::kNone) continue;
      for (const std::uint32_t slot : uses_of(program, program.code[i]).writes)
        add(written[b], slot);
    }
  }
  const auto before_block = [&](std::size_t b) {
    Set set(words, ~std::uint64_t{0});
    if (begins[b] != 0) set = given;
    for (const std::uint32_t from : before[b]) {
      for (std::size_t w = 0; w < words; ++w) set[w] &= after[from][w];
    }
    return set;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < blocks; ++b) {
      Set set = before_block(b);
      for (std::size_t w = 0; w < words; ++w) set[w] |= written[b][w];
      if (set == after[b]) continue;
      after[b] = std::move(set);
      changed = true;
    }
  }
  Set found(words);
  const auto read = [&](const Set& known, std::uint32_t slot) {
    if (slot == Instruction::kNone || has(known, slot) || has(found, slot)) return;
    add(found, slot);
    program.unwritten.push_back(slot);
  };
  for (std::size_t b = 0; b < blocks; ++b) {
    const Block& block = program.blocks[b];
    Set known = before_block(b);
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = program.code[i];
      const Uses uses = uses_of(program, instruction);
      read(known, instruction.guard);
      for (const std::uint32_t slot : uses.reads) read(known, slot);
      for (const std::uint32_t slot : uses.places) read(known, slot);
      if (instruction.guard != Instruction::kNone) continue;
      for (const std::uint32_t slot : uses.writes) add(known, slot);
    }
    if (block.exit == Exit::branch) read(known, block.predicate);
  }
}

}  // namespace warpmark::cpu
