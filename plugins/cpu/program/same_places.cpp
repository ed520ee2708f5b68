// Finds accesses of a basic block that have the same address register with the same values: how the
// addresses of a warp's lanes lie to each other is then looked at once.
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "program/program.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

// Bytes of each element, if it is an access to global or shared memory; otherwise 0.
std::uint32_t bytes_of(Opcode opcode) {
  const auto bytes = [](Space space, Type type) {
    return space == Space::global || space == Space::shared ? cpu::bytes_of(type) : 0;
  };
  switch (opcode) {
#define ACCESS_LOAD(space, memory, bits)         \
  case Opcode::load_##space##_##memory##_##bits: \
    return bytes(Space::space, Type::memory);
#define ACCESS_STORE(space, memory, bits)         \
  case Opcode::store_##space##_##memory##_##bits: \
    return bytes(Space::space, Type::memory);
#include "program/memory_ops.def"
    default:
      return 0;
  }
}

struct Place {
  std::uint32_t bytes = 0;
  std::vector<Instruction*> accesses;
};

}  // namespace

void find_same_places(Program& program) {
  if (program.multiplies_in_groups) return;  // whose results come later than the instruction
  for (const BasicBlock& block : program.blocks) {
    std::vector<Place> places;
    std::unordered_map<std::uint32_t, std::size_t> newest;  // by address register
    for (std::uint32_t at = block.begin; at < block.end; ++at) {
      Instruction& instruction = program.code[at];
      const std::uint32_t bytes = bytes_of(instruction.opcode) * instruction.count;
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
}

}  // namespace warpmark::cpu
