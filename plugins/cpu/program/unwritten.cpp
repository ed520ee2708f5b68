// Registers that may be read before they are written: those that are not on every way to a read.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "program/data_flow.hpp"
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

class UnwrittenSearch {
 public:
  explicit UnwrittenSearch(const Program& program)
      : program_(program),
        words_(program.register_bytes / kSlotBytes / 64 + 1),
        before_(predecessors(program)),
        begins_(program.blocks.size()),
        given_(words_),
        found_(words_) {
    find_entries();
    find_given();
    find_written();
  }

  std::vector<std::uint32_t> run() {
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) read_block(b);
    return std::move(slots_);
  }

 private:
  void find_entries() {
    begins_[program_.entry] = 1;
    for (const Callee& callee : program_.callees) begins_[callee.entry] = 1;
  }

  // Finds the registers that the machine writes before a kernel or function begins.
  void find_given() {
    for (const Program::Constant& constant : program_.constants) add(given_, constant.slot);
    for (const Program::SpecialSlot& special : program_.specials) add(given_, special.slot);
    for (const Callee& callee : program_.callees) {
      add(given_, callee.frame_slot);
      add(given_, callee.return_slot);
    }
    if (program_.barrier_count != Instruction::kNone) {
      add(given_, program_.barrier_count);
      add(given_, program_.barrier_count + kSlotBytes);
    }
  }

  // Finds the registers that every path to the end of a block writes, starting from all registers
  // and removing some.
  void find_written() {
    const std::size_t blocks = program_.blocks.size();
    std::vector<Set> written(blocks, Set(words_));
    after_.assign(blocks, Set(words_, ~std::uint64_t{0}));
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::uint32_t i = program_.blocks[b].begin; i < program_.blocks[b].end; ++i)
        add_writes(program_.code[i], uses_of(program_, program_.code[i]), written[b]);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < blocks; ++b) {
        Set set = before_block(b);
        for (std::size_t w = 0; w < words_; ++w) set[w] |= written[b][w];
        if (set == after_[b]) continue;
        after_[b] = std::move(set);
        changed = true;
      }
    }
  }

  [[nodiscard]] Set before_block(std::size_t b) const {
    Set set(words_, ~std::uint64_t{0});
    if (begins_[b] != 0) set = given_;
    for (const std::uint32_t from : before_[b]) {
      for (std::size_t w = 0; w < words_; ++w) set[w] &= after_[from][w];
    }
    return set;
  }

  static void add_writes(const Instruction& instruction, const Uses& uses, Set& set) {
    if (instruction.guard != Instruction::kNone) return;
    for (const std::uint32_t slot : uses.writes) add(set, slot);
  }

  void read(const Set& known, std::uint32_t slot) {
    if (slot == Instruction::kNone || has(known, slot) || has(found_, slot)) return;
    add(found_, slot);
    slots_.push_back(slot);
  }

  void read_block(std::size_t b) {
    const BasicBlock& block = program_.blocks[b];
    Set known = before_block(b);
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = program_.code[i];
      const Uses uses = uses_of(program_, instruction);
      read(known, instruction.guard);
      for (const std::uint32_t slot : uses.reads) read(known, slot);
      for (const std::uint32_t slot : uses.places) read(known, slot);
      add_writes(instruction, uses, known);
    }
    if (block.exit == Exit::branch) read(known, block.predicate);
  }

  const Program& program_;
  std::size_t words_;
  std::vector<std::vector<std::uint32_t>> before_;  ///< by block: those that go on to it
  std::vector<std::uint8_t> begins_;
  Set given_, found_;
  std::vector<Set> after_;
  std::vector<std::uint32_t> slots_;  ///< those in found_
};

std::vector<std::uint32_t> slots_that_may_show(const Program& program) {
  std::vector<std::uint32_t> slots = UnwrittenSearch(program).run();
  const auto take = [&](const std::vector<std::uint32_t>& more) {
    slots.insert(slots.end(), more.begin(), more.end());
  };
  for (const Instruction& i : program.code) {
    if (!may_read_other_lanes(i.opcode)) continue;
    const Uses uses = uses_of(program, i);
    take(uses.reads);
    take(uses.places);
    // Their writes, too: results of lanes that take no part may stay as they are.
    take(uses.writes);
    take({i.b, i.c});
  }
  for (const BasicBlock& block : program.blocks) {
    take({block.threads, block.barrier});
    // A branch looks at the lanes that take it alone, and those have written the predicate or are
    // found above.
    if (block.exit != Exit::branch) take({block.predicate});
  }
  for (const Call& call : program.calls) take({call.target});
  return slots;
}

// Constants and special registers that no instruction writes: they stay as they are.
Set slots_that_stay(const Program& program) {
  Set stay(program.register_bytes / kSlotBytes / 64 + 1), written = stay;
  for (const Instruction& instruction : program.code) {
    for (const std::uint32_t slot : uses_of(program, instruction).writes) add(written, slot);
  }
  for (const Program::Constant& constant : program.constants) add(stay, constant.slot);
  for (const Program::SpecialSlot& special : program.specials) add(stay, special.slot);
  for (std::size_t word = 0; word < stay.size(); ++word) stay[word] &= ~written[word];
  return stay;
}

}  // namespace

void find_unwritten(Program& program) {
  program.unwritten = UnwrittenSearch(program).run();
}

RegisterRuns find_renewed(const Program& program) {
  // A slot says nothing of its register's width. Renewing a neighbour, too, does no harm.
  constexpr std::uint32_t kWidest = 2 * kSlotBytes;
  std::vector<std::uint32_t> slots = slots_that_may_show(program);
  std::sort(slots.begin(), slots.end());
  const Set stay = slots_that_stay(program);
  RegisterRuns runs;
  for (const std::uint32_t slot : slots) {
    if (slot >= program.register_bytes) break;  // none, or the number of a function
    if (has(stay, slot)) continue;
    const std::uint32_t end = std::min(slot + kWidest, program.register_bytes);
    if (runs.empty() || slot > runs.back().first + runs.back().second)
      runs.emplace_back(slot, end - slot);
    else
      runs.back().second = end - runs.back().first;
  }
  return runs;
}

}  // namespace warpmark::cpu
