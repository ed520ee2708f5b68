// Finds accesses of a basic block that have the same address register with the same values: how the
// addresses of a warp's lanes lie to each other is then looked at once.
#include <algorithm>
#include <cstdint>
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
  std::uint32_t address = 0, bytes = 0;
  bool narrow = false;
  bool operator==(const Place&) const = default;
};

}  // namespace

void find_same_places(Program& program) {
  if (program.multiplies_in_groups) return;  // whose results come later than the instruction
  for (const BasicBlock& block : program.blocks) {
    std::vector<Place> places;
    for (std::uint32_t at = block.begin; at < block.end; ++at) {
      Instruction& instruction = program.code[at];
      const std::uint32_t bytes = bytes_of(instruction.opcode) * instruction.count;
      if (bytes != 0 && instruction.guard == Instruction::kNone) {
        const Place place{instruction.address, bytes, instruction.address_narrow};
        auto known = std::find(places.begin(), places.end(), place);
        if (known == places.end() && places.size() < Instruction::kMostPlaces)
          known = places.insert(places.end(), place);
        if (known != places.end())
          instruction.same_places = static_cast<std::uint8_t>(known - places.begin() + 1);
      }
      for (const std::uint32_t slot : uses_of(program, instruction).writes) {
        for (Place& place : places) {
          if (slot != Instruction::kNone && place.address == slot)
            place.address = Instruction::kNone;
        }
      }
    }
  }
}

}  // namespace warpmark::cpu
