#include "program/contention.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include "program/memory_words.hpp"

namespace warpmark::cpu {
namespace {

bool is_atomic(const InstructionFacts& facts) {
  return facts.mnemonic == Mnemonic::atom || facts.mnemonic == Mnemonic::red;
}

bool is_strong_access(const InstructionFacts& facts) {
  if (facts.mnemonic != Mnemonic::ld && facts.mnemonic != Mnemonic::st) return false;
  const MemoryWords words = memory_words(facts);
  return (words.order & Instruction::kStrong) != 0 && words.space != Space::local &&
         words.space != Space::param && words.space != Space::constant;
}

bool swaps(const InstructionFacts& facts) {
  return facts.of(WordSet::swap) != Modifier::none;
}

// Sums of such numbers are rounded, and the order decides how.
bool is_rounded(const InstructionFacts& facts) {
  const std::vector<Type> types = facts.types;
  return !types.empty() && is_floating(types.front()) && facts.of(WordSet::sum) != Modifier::none;
}

// A generic address whose space is unknown counts as shared and as global.
struct Place {
  bool shared = false, global = false;
  explicit Place(const InstructionFacts& facts) {
    const Space space = space_of(facts);
    shared = space == Space::shared || space == Space::generic;
    global = space != Space::shared;
  }
};

// The strong accesses of a program to one kind of memory.
struct Accesses {
  std::set<Modifier> operations;  ///< of atomics
  bool stores = false;
  [[nodiscard]] bool written() const { return stores || !operations.empty(); }
};

class Search {
 public:
  explicit Search(Program& program) : program_(program) {
    each([this](std::uint32_t, const Instruction&, const InstructionFacts& facts) { add(facts); });
  }

  void run() {
    program_.contended.clear();
    program_.contends_globally = false;
    each([this](std::uint32_t node, const Instruction& i, const InstructionFacts& facts) {
      if (!contends(i, facts)) return;
      if (program_.contended.empty() || program_.contended.back() != node)
        program_.contended.push_back(node);
      program_.contends_globally = program_.contends_globally || Place(facts).global;
    });
  }

 private:
  template <typename Body>
  void each(Body body) {
    for (std::uint32_t node = 0; node < program_.blocks.size(); ++node) {
      const BasicBlock& block = program_.blocks[node];
      for (std::uint32_t at = block.begin; at < block.end; ++at) {
        const Instruction& instruction = program_.code[at];
        const Statement* statement = program_.statement(instruction.statement);
        if (statement == nullptr) continue;
        if (is_strong(*statement->facts)) body(node, instruction, *statement->facts);
      }
    }
  }

  void add(const InstructionFacts& facts) {
    const Place place(facts);
    for (Accesses* accesses :
         {place.shared ? &shared_ : nullptr, place.global ? &global_ : nullptr}) {
      if (accesses == nullptr) continue;
      if (is_atomic(facts))
        accesses->operations.insert(atomic_operation(facts));
      else
        accesses->stores = accesses->stores || facts.mnemonic == Mnemonic::st;
    }
  }

  [[nodiscard]] bool contends(const Instruction& i, const InstructionFacts& facts) const {
    const Place place(facts);
    const auto meets = [&](auto with) {
      return (place.shared && with(shared_)) || (place.global && with(global_));
    };
    if (is_atomic(facts)) {
      return (i.order & Instruction::kReturns) != 0 || swaps(facts) ||
             facts.of(WordSet::count) != Modifier::none || is_rounded(facts) ||
             meets([](const Accesses& all) { return all.stores || all.operations.size() > 1; });
    }
    return facts.mnemonic == Mnemonic::st ||
           meets([](const Accesses& all) { return all.written(); });
  }

  Program& program_;
  Accesses shared_, global_;
};

}  // namespace

bool is_strong(const InstructionFacts& facts) {
  return is_atomic(facts) || is_strong_access(facts);
}

bool may_contend(const InstructionFacts& facts) {
  return is_strong_access(facts) || (is_atomic(facts) && swaps(facts));
}

void find_contention(Program& program) {
  Search(program).run();
}

}  // namespace warpmark::cpu
