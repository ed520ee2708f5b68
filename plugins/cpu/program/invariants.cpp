// Finds instructions whose results are the same in all blocks of a launch, and leaves the others.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "program/data_flow.hpp"
#include "program/dominators.hpp"
#include "program/program.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

// Special registers that are the same in all blocks of a launch.
constexpr std::array kInvariant = {Special::tid_x,    Special::tid_y,    Special::tid_z,
                                   Special::ntid_x,   Special::ntid_y,   Special::ntid_z,
                                   Special::nctaid_x, Special::nctaid_y, Special::nctaid_z,
                                   Special::laneid,   Special::warpid};

// Returns whether an operation computes its results of its operands alone, or loads a parameter.
bool may_be_invariant(const Program& program, const Instruction& i) {
  if (i.guard != Instruction::kNone) return false;
  if (const OpcodeInfo* info = find_opcode(i.opcode)) {
    return !is_atomic(info->form) && info->form != Form::carry2 && info->form != Form::carry3;
  }
  std::uint64_t bytes = 0;
  switch (i.opcode) {
#define ACCESS_LOAD(space, memory, bits)                              \
  case Opcode::load_##space##_##memory##_##bits:                      \
    if (Space::space == Space::param) bytes = bytes_of(Type::memory); \
    break;
#include "program/memory_ops.def"
    default:
      break;
  }
  if (bytes == 0) return false;
  std::uint64_t end = 0;
  for (const Parameter& parameter : program.function->parameters)
    end = std::max(end, std::uint64_t{parameter.offset} + parameter.bytes);
  const auto address =
      std::find_if(program.constants.begin(), program.constants.end(),
                   [&](const Program::Constant& one) { return one.slot == i.address; });
  if (!i.one_address || address == program.constants.end()) return false;
  const std::uint64_t at = address->value + static_cast<std::uint64_t>(i.imm);
  return at < end && bytes * i.count <= end - at;
}

class InvariantSearch {
 public:
  explicit InvariantSearch(Program& program)
      : program_(program), slots_(program.register_bytes / kSlotBytes + 1) {}

  void run() {
    find_writers();
    drop_early_reads();
    for (const Program::Constant& constant : program_.constants) make_invariant(constant.slot);
    for (const Program::SpecialSlot& special : program_.specials) {
      if (std::ranges::count(kInvariant, special.which) != 0) make_invariant(special.slot);
    }
    for (BasicBlock& block : program_.blocks) {
      block.varying = static_cast<std::uint32_t>(program_.varying.size());
      for (std::uint32_t at = block.begin; at < block.end; ++at) take(at);
      block.varying_end = static_cast<std::uint32_t>(program_.varying.size());
    }
  }

 private:
  static constexpr std::uint32_t kNobody = 0xffffffff, kSeveral = 0xfffffffe;
  struct Slot {
    std::uint32_t writer = kNobody;  // its place in the code
    std::uint32_t block = 0;
    bool invariant = false;
  };

  Slot& slot(std::uint32_t offset) { return slots_[offset / kSlotBytes]; }
  void make_invariant(std::uint32_t offset) {
    if (slot(offset).writer == kNobody) slot(offset).invariant = true;
  }

  void find_writers() {
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) {
      for (std::uint32_t at = program_.blocks[b].begin; at < program_.blocks[b].end; ++at) {
        uses_.resize(std::max<std::size_t>(uses_.size(), at + 1));
        uses_[at] = uses_of(program_, program_.code[at]);
        for (const std::uint32_t offset : uses_[at].writes) {
          if (offset == Instruction::kNone) continue;
          Slot& written = slot(offset);
          written.writer = written.writer == kNobody ? at : kSeveral;
          written.block = b;
        }
      }
    }
  }

  // A register that may be read before it is written, perhaps for a lane that does not write it, must
  // not have its value then.
  void drop_early_reads() {
    const Dominators dominators(successors(program_.blocks), program_.entry);
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) {
      const BasicBlock& block = program_.blocks[b];
      const auto read = [&](std::uint32_t offset, std::uint32_t at) {
        if (offset >= program_.register_bytes) return;
        Slot& one = slot(offset);
        if (one.writer >= kSeveral) return;
        const bool others = at < block.end && may_read_other_lanes(program_.code[at].opcode);
        const bool before =
            !others && (one.block == b ? one.writer < at : dominators.dominates(one.block, b));
        if (!before) one.writer = kSeveral;
      };
      for (std::uint32_t at = block.begin; at < block.end; ++at) {
        for (const std::uint32_t offset : uses_[at].reads) read(offset, at);
        for (const std::uint32_t offset : uses_[at].places) read(offset, at);
        if (may_read_other_lanes(program_.code[at].opcode)) {
          for (const std::uint32_t offset : {program_.code[at].b, program_.code[at].c})
            read(offset, at);
        }
        read(program_.code[at].guard, at);
      }
      for (const std::uint32_t offset : {block.predicate, block.barrier, block.threads})
        read(offset, block.end);
    }
  }

  void take(std::uint32_t at) {
    const Instruction& instruction = program_.code[at];
    const Uses& uses = uses_[at];
    const auto known = [&](std::uint32_t offset) {
      return offset == Instruction::kNone || slot(offset).invariant;
    };
    const auto own = [&](std::uint32_t offset) {
      return offset == Instruction::kNone || slot(offset).writer == at;
    };
    if (may_be_invariant(program_, instruction) &&
        std::all_of(uses.reads.begin(), uses.reads.end(), known) &&
        std::all_of(uses.writes.begin(), uses.writes.end(), own)) {
      program_.invariant.push_back(instruction);
      for (const std::uint32_t offset : uses.writes) {
        if (offset != Instruction::kNone) slot(offset).invariant = true;
      }
      return;
    }
    program_.varying.push_back(at);
  }

  Program& program_;
  std::vector<Slot> slots_;
  std::vector<Uses> uses_;
};

}  // namespace

void find_invariants(Program& program) {
  // Functions have registers that calls write, and products of warpgroups come later.
  if (!program.callees.empty() || program.multiplies_in_groups) {
    program.varying.resize(program.code.size());
    std::iota(program.varying.begin(), program.varying.end(), 0u);
    for (BasicBlock& block : program.blocks) {
      block.varying = block.begin;
      block.varying_end = block.end;
    }
    return;
  }
  InvariantSearch(program).run();
}

}  // namespace warpmark::cpu
