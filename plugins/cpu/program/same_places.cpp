// Finds accesses that have the same address register with the same values, in a basic block or in a
// whole launch: how the addresses of a warp's lanes lie to each other is then looked at once.
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/program.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

// The space of an access and the bytes of each element; 0 if it is not to global or shared memory.
struct Access {
  Space space = Space::generic;
  std::uint32_t bytes = 0;
};
Access access_of(Opcode opcode) {
  const auto access = [](Space space, Type type) {
    return space == Space::global || space == Space::shared ? Access{space, cpu::bytes_of(type)}
                                                            : Access{};
  };
  switch (opcode) {
#define ACCESS_LOAD(space, memory, bits)         \
  case Opcode::load_##space##_##memory##_##bits: \
    return access(Space::space, Type::memory);
#define ACCESS_STORE(space, memory, bits)         \
  case Opcode::store_##space##_##memory##_##bits: \
    return access(Space::space, Type::memory);
#include "program/memory_ops.def"
    default:
      return {};
  }
}

struct Place {
  std::uint32_t bytes = 0;
  std::vector<Instruction*> accesses;
};

// Accesses to shared memory by registers that have the same values in all blocks of a launch.
void find_lasting_places(Program& program) {
  std::set<std::uint32_t> lasting;
  for (const Instruction& instruction : program.invariant) {
    const Uses uses = uses_of(program, instruction);
    lasting.insert(uses.writes.begin(), uses.writes.end());
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint8_t> numbers;  // by register and bytes
  for (Instruction& instruction : program.code) {
    const auto [space, bytes] = access_of(instruction.opcode);
    if (space != Space::shared || instruction.guard != Instruction::kNone ||
        !lasting.contains(instruction.address))
      continue;
    const std::pair place{instruction.address, bytes * instruction.count};
    if (numbers.size() < Instruction::kLastingPlaces)
      numbers.try_emplace(place, Instruction::kMostPlaces + 1 + numbers.size());
    if (const auto found = numbers.find(place); found != numbers.end())
      instruction.same_places = found->second;
  }
}

}  // namespace

void find_same_places(Program& program) {
  if (program.multiplies_in_groups) return;  // whose results come later than the instruction
  for (const BasicBlock& block : program.blocks) {
    std::vector<Place> places;
    std::unordered_map<std::uint32_t, std::size_t> newest;  // by address register
    for (std::uint32_t at = block.begin; at < block.end; ++at) {
      Instruction& instruction = program.code[at];
      const std::uint32_t bytes = access_of(instruction.opcode).bytes * instruction.count;
      if (bytes != 0 && instruction.guard == Instruction::kNone) {
        std::size_t& place = newest.try_emplace(instruction.address, places.size()).first->second;
        if (place < places.size() && places[place].bytes != bytes) place = places.size();
        if (place == places.size()) places.push_back({bytes, {}});
        places[place].accesses.push_back(&instruction);
      }
      for (const std::uint32_t slot : uses_of(program, instruction).writes) newest.erase(slot);
    }
    std::uint8_t number = 0;
    for (const Place& place : places) {
      if (place.accesses.size() < 2) continue;
      if (++number > Instruction::kMostPlaces) break;
      for (Instruction* access : place.accesses) access->same_places = number;
    }
  }
  find_lasting_places(program);
}

}  // namespace warpmark::cpu
