#include "program/deciding_accesses.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "program/contention.hpp"
#include "program/data_flow.hpp"
#include "program/flow.hpp"
#include "program/memory_words.hpp"
#include "program/program.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

// More accesses than that are not followed: the time that it takes is bounded.
constexpr std::size_t kMost = 256;

struct Found {
  std::uint32_t statement = 0;
  const Instruction* instruction = nullptr;
  Space space = Space::generic;
  bool in_loop = false;
  StrongAccess access;
};

bool may_meet(Space one, Space other) {
  return one == Space::generic || other == Space::generic || one == other;
}

std::vector<bool> repeated_blocks(const Program& program) {
  const std::vector<std::vector<std::uint32_t>> before = predecessors(program);
  std::vector<std::vector<std::uint32_t>> successors(before.size());
  for (std::uint32_t to = 0; to < before.size(); ++to) {
    for (const std::uint32_t from : before[to]) successors[from].push_back(to);
  }
  return in_loops(successors);
}

// Follows returned values through registers, in the whole program and in any order: a register that
// has such a value once counts as having it.
class Values {
 public:
  explicit Values(const Program& program) : program_(program) {
    for (const Instruction& instruction : program.code) {
      uses_.push_back(uses_of(program, instruction));
      for (const std::uint32_t slot : uses_.back().reads)
        readers_[slot].push_back(static_cast<std::uint32_t>(uses_.size() - 1));
    }
  }

  void follow(Found& found) const {
    std::vector<std::uint32_t> open = results_of(*found.instruction);
    std::vector<bool> seen(program_.register_bytes / kSlotBytes + 1);
    bool compared = false, swapped = false;
    while (!open.empty()) {
      const std::uint32_t slot = open.back();
      open.pop_back();
      if (slot == Instruction::kNone || seen.at(slot / kSlotBytes)) continue;
      seen[slot / kSlotBytes] = true;
      const auto readers = readers_.find(slot);
      if (readers == readers_.end()) continue;
      for (const std::uint32_t at : readers->second) {
        const Instruction& reader = program_.code[at];
        const Flow flow = flow_of(reader.opcode);
        if (flow == Flow::compare)
          compared = true;
        else if (is_swap(reader.opcode))
          swapped = true;
        else if (flow == Flow::store || flow == Flow::atomic)
          found.access.shows = found.access.shows || is_data(reader);
        else
          open.insert(open.end(), uses_[at].writes.begin(), uses_[at].writes.end());
      }
    }
    // A loop that compares the value waits for another one, and who exchanges and compares tries a
    // lock. A swap finds out whether the value still holds.
    const bool tries = found.in_loop || found.access.operation == Modifier::exch;
    if (swapped || (tries && compared)) {
      found.access.shows = false;
      found.access.waits = true;
    }
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> results_of(const Instruction& instruction) const {
    if (flow_of(instruction.opcode) == Flow::store) return {};
    return uses_[static_cast<std::size_t>(&instruction - program_.code.data())].writes;
  }

  // A store to the thread's own memory shows nothing.
  [[nodiscard]] bool is_data(const Instruction& reader) const {
    const Statement* statement = program_.statement(reader.statement);
    const Space space = statement == nullptr ? Space::local : space_of(*statement->facts);
    if (space == Space::generic) return reader.object != 0;
    return space == Space::global || space == Space::shared;
  }

  const Program& program_;
  std::vector<Uses> uses_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> readers_;  ///< by slot
};

std::vector<Found> strong_accesses(const Program& program) {
  std::vector<Found> all;
  const std::vector<bool> repeated = repeated_blocks(program);
  // Functions come in front of the kernel. Their results go through memory, where they are lost.
  for (std::size_t node = program.entry; node < program.blocks.size(); ++node) {
    const BasicBlock& block = program.blocks[node];
    for (std::uint32_t at = block.begin; at < block.end && all.size() <= kMost; ++at) {
      const Instruction& instruction = program.code[at];
      const Statement* statement = program.statement(instruction.statement);
      if (statement == nullptr || !is_strong(*statement->facts)) continue;
      const InstructionFacts& facts = *statement->facts;
      Found found{instruction.statement, &instruction, space_of(facts), repeated[node], {}};
      found.access.operation = atomic_operation(facts);
      found.access.writes = flow_of(instruction.opcode) != Flow::load;
      found.access.waits = is_swap(instruction.opcode);
      all.push_back(std::move(found));
    }
  }
  return all;
}

// In a loop that does not compare it, a value is no flag that a thread waits for.
void mark_loads_that_wait_for_nothing(Program& program, const std::vector<Found>& all) {
  for (const Found& one : all) {
    const bool loads = !one.access.writes && (one.instruction->order & Instruction::kVolatile) != 0;
    if (loads && !one.access.waits)
      program.code[static_cast<std::size_t>(one.instruction - program.code.data())].order |=
          Instruction::kOnce;
  }
}

}  // namespace

bool order_decides(const StrongAccess& one, const StrongAccess& other) {
  if ((one.shows && other.writes) || (other.shows && one.writes)) return true;
  if (!one.writes || !other.writes || one.waits || other.waits) return false;
  return one.operation != other.operation || one.operation == Modifier::none ||
         one.operation == Modifier::exch;
}

void find_deciding_accesses(Program& program) {
  program.deciding.clear();
  if (program.contended.empty() || program.module->debug) return;
  std::vector<Found> all = strong_accesses(program);
  const bool writes = std::ranges::any_of(all, [](const Found& one) { return one.access.writes; });
  if (all.size() < 2 || all.size() > kMost || !writes) return;
  const Values values(program);
  for (Found& found : all) values.follow(found);
  mark_loads_that_wait_for_nothing(program, all);
  for (const Found& one : all) {
    const auto decides = [&](const Found& other) {
      return other.statement != one.statement && may_meet(one.space, other.space) &&
             order_decides(one.access, other.access);
    };
    if (std::ranges::any_of(all, decides)) program.deciding.emplace(one.statement, one.access);
  }
}

}  // namespace warpmark::cpu
