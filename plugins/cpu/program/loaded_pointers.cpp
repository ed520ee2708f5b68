// Accesses through pointers that the kernel reads from memory. Which array such a pointer is of is
// known when the access is made, by the pointer's value; here is found which register holds it
// then.
//
// The address is followed back within an extended basic block (a block, and before it those that
// are the only way to it): the register that has the pointer is not written between the computation
// of the address and the access, so that it still has the value that the address was made of.
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/data_flow.hpp"
#include "program/program.hpp"
#include "program/provenance.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

using Slots = std::unordered_set<std::uint32_t>;

// The registers that only loads of eight bytes write.
Slots loaded_registers(const Program& program, const std::vector<Uses>& uses) {
  Slots loaded, others;
  for (std::size_t at = 0; at < uses.size(); ++at) {
    const Instruction& i = program.code[at];
    const bool pointer = flow_of(i.opcode) == Flow::load && i.cost == 8 * i.count;
    for (const std::uint32_t slot : uses[at].writes) (pointer ? loaded : others).insert(slot);
  }
  for (const std::uint32_t slot : others) loaded.erase(slot);
  return loaded;
}

class BaseRegisters {
 public:
  BaseRegisters(const Slots& loaded, const Numbers& is_number)
      : loaded_(loaded), is_number_(is_number) {}

  // The register with the pointer that `slot` is derived from, or kNone.
  [[nodiscard]] std::uint32_t base(std::uint32_t slot) const {
    const auto derived = bases_.find(slot);
    if (derived != bases_.end()) return derived->second;
    return loaded_.contains(slot) ? slot : Instruction::kNone;
  }

  /// Begins with what is known at the end of the block before.
  void take_over(const BaseRegisters& before) { bases_ = before.bases_; }

  void step(const Instruction& i, const std::vector<std::uint32_t>& writes) {
    const std::uint32_t from = i.guard == Instruction::kNone ? derived_from(i) : Instruction::kNone;
    for (const std::uint32_t slot : writes) {
      bases_.erase(slot);
      std::erase_if(bases_, [&](const auto& one) { return one.second == slot; });
      if (from != Instruction::kNone && from != slot) bases_.emplace(slot, from);
    }
  }

 private:
  [[nodiscard]] std::uint32_t derived_from(const Instruction& i) const {
    if (i.opcode == Opcode::to_window || i.opcode == Opcode::from_window) return base(i.a);
    if (flow_of(i.opcode) == Flow::copy) return base(i.a);
    const OpcodeInfo* info = find_opcode(i.opcode);
    const Mnemonic word = info == nullptr ? Mnemonic::none : words_of(*info).mnemonic;
    if (word == Mnemonic::add)
      return is_number_(i.b) ? base(i.a) : is_number_(i.a) ? base(i.b) : kNone;
    if (word == Mnemonic::sub) return is_number_(i.b) ? base(i.a) : kNone;
    if (word == Mnemonic::mad) return base(i.c);  // a product is a number
    return kNone;
  }

  static constexpr std::uint32_t kNone = Instruction::kNone;
  const Slots& loaded_;
  const Numbers& is_number_;
  std::unordered_map<std::uint32_t, std::uint32_t> bases_;
};

}  // namespace

void find_loaded_pointers(Program& program, const std::vector<Uses>& uses, const Numbers& is_number,
                          const Accesses& is_open) {
  const Slots loaded = loaded_registers(program, uses);
  if (loaded.empty()) return;
  std::unordered_map<std::uint32_t, std::uint16_t> objects;
  const std::vector<std::vector<std::uint32_t>> before = predecessors(program);
  std::vector<BaseRegisters> known(program.blocks.size(), BaseRegisters(loaded, is_number));
  for (std::size_t number = 0; number < program.blocks.size(); ++number) {
    const BasicBlock& block = program.blocks[number];
    BaseRegisters& values = known[number];
    // A block in front comes earlier, but for one that jumps back.
    if (before[number].size() == 1 && before[number][0] < number)
      values.take_over(known[before[number][0]]);
    for (std::uint32_t at = block.begin; at != block.end; ++at) {
      Instruction& i = program.code[at];
      const std::uint32_t base = is_open(i) ? values.base(i.address) : Instruction::kNone;
      if (base != Instruction::kNone && program.objects.size() < Program::kMostObjects) {
        const auto fresh = static_cast<std::uint16_t>(program.objects.size());
        const auto [object, is_new] = objects.emplace(base, fresh);
        if (is_new) program.objects.push_back({Object::Kind::loaded, "", base, 0});
        i.object = object->second;
      }
      values.step(i, uses[at].writes);
    }
  }
}

}  // namespace warpmark::cpu
