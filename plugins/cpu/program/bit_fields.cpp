// How C++ sets a bit-field: load the word, change some of its bits, store it where it came from.
// Such a store gives its field a value, though the rest of the word may have none. And how it reads
// one: shift the word and take some of its bits, which alone count.
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "inspect/taint.hpp"
#include "inspect/uses.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {
namespace {

class BitFields {
 public:
  explicit BitFields(Program& program) : program_(program) {
    for (const Program::Constant& constant : program.constants)
      constants_.emplace(constant.slot, constant.value);
    for (const Instruction& instruction : program.code) {
      for (const std::uint32_t slot : uses_of(program, instruction).reads) ++reads_[slot];
    }
  }

  void find(const Block& block) {
    begin_ = block.begin;
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      store_ = i;
      steps_ = 0;
      const Instruction& instruction = program_.code[i];
      const Flow flow = flow_of(instruction.opcode);
      if (flow == Flow::store && instruction.count == 1) follow(instruction.d, i, 0);
      if (flow == Flow::both || flow == Flow::shift) narrow(i);
    }
  }

 private:
  // Compilers keep these instructions together; hostile PTX may have long chains, and branch.
  static constexpr int kDeepest = 32, kMostSteps = 64;
  static constexpr std::uint32_t kFarthest = 64;

  // Whether the value of a register, where instruction `before` reads it, is made from what stood
  // in the place that is stored to; if so, marks what changes bits on the way.
  bool follow(std::uint32_t slot, std::uint32_t before, int depth) {
    if (slot == Instruction::kNone || depth == kDeepest || ++steps_ > kMostSteps) return false;
    const std::uint32_t at = definition(slot, before);
    if (at == before) return false;
    Instruction& i = program_.code[at];
    if (i.guard != Instruction::kNone) return false;
    switch (flow_of(i.opcode)) {
      case Flow::load:
        return same_place(i, at);
      case Flow::copy:
        return follow(i.a, at, depth + 1);
      case Flow::both:
      case Flow::either: {
        const bool mask = constants_.contains(i.b);
        if (mask) return i.merges = follow(i.a, at, depth + 1);
        const bool first = follow(i.a, at, depth + 1), second = follow(i.b, at, depth + 1);
        return first || second;
      }
      default:
        if (i.opcode == Opcode::bfi_32 || i.opcode == Opcode::bfi_64)
          return i.merges = follow(i.b, at, depth + 1);
        return i.opcode == Opcode::prmt &&
               (follow(i.a, at, depth + 1) || follow(i.b, at, depth + 1));
    }
  }

  // A shift whose result serves only to take constant bits of it: by `and`, or by a shift back.
  void narrow(std::uint32_t at) {
    const Instruction& taker = program_.code[at];
    const auto taken = constants_.find(taker.b);
    const auto once = reads_.find(taker.a);
    if (taken == constants_.end() || once == reads_.end() || once->second != 1) return;
    const std::uint32_t from = definition(taker.a, at);
    if (from == at) return;
    Instruction& shift = program_.code[from];
    if (flow_of(shift.opcode) != Flow::shift || !constants_.contains(shift.b)) return;
    const std::uint32_t width = 8 * bytes_of(find_opcode(taker.opcode)->d);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
    std::uint64_t bits = taken->second & all;
    if (flow_of(taker.opcode) == Flow::shift)
      bits = is_left(taker) || bits >= width ? 0 : all >> bits << bits;
    shift.imm = static_cast<std::int64_t>(bits);
  }
  static bool is_left(const Instruction& shift) {
    return find_opcode(shift.opcode)->names.starts_with("shl");
  }

  // The last instruction of the block in front of `before` that writes the register; `before` if
  // there is none nearby.
  [[nodiscard]] std::uint32_t definition(std::uint32_t slot, std::uint32_t before) const {
    for (std::uint32_t i = before; i-- > begin_ && before - i <= kFarthest;) {
      for (const std::uint32_t written : uses_of(program_, program_.code[i]).writes) {
        if (written == slot) return i;
      }
    }
    return before;
  }

  // Whether a load reads what the store writes.
  [[nodiscard]] bool same_place(const Instruction& load, std::uint32_t at) const {
    const Instruction& store = program_.code[store_];
    const std::uint32_t moved = definition(store.address, store_);
    return load.count == 1 && load.address == store.address && load.imm == store.imm &&
           load.cost == store.cost && (moved == store_ || moved < at);
  }

  Program& program_;
  std::unordered_map<std::uint32_t, std::uint64_t> constants_;  ///< by slot
  std::unordered_map<std::uint32_t, std::uint32_t> reads_;      ///< how often, by slot
  std::uint32_t begin_ = 0, store_ = 0;
  int steps_ = 0;  ///< of the search from this store
};

}  // namespace

void find_bit_fields(Program& program) {
  BitFields fields(program);
  for (const Block& block : program.blocks) fields.find(block);
}

}  // namespace warpmark::cpu
