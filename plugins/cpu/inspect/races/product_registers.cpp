#include "inspect/races/product_registers.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "inspect/observed_block.hpp"
#include "program/source_place.hpp"
#include "program/uses.hpp"
#include "program/wgmma.hpp"

namespace warpmark::cpu {
namespace {

bool is_move(const Instruction& i) {
  return i.opcode == Opcode::mov_b32 || i.opcode == Opcode::mov_32 || i.opcode == Opcode::mov_f32;
}

// Sets of registers among which moves carry values.
class Joined {
 public:
  explicit Joined(std::size_t count) : of_(count) { std::iota(of_.begin(), of_.end(), 0u); }
  std::uint32_t find(std::uint32_t one) {
    while (of_[one] != one) one = of_[one] = of_[of_[one]];
    return one;
  }
  void join(std::uint32_t one, std::uint32_t other) { of_[find(one)] = find(other); }

 private:
  std::vector<std::uint32_t> of_;
};

// The order that products of one shape keep by themselves.
bool same_shape(const Instruction& one, const Instruction& other) {
  const auto a = one.form<WgmmaForm>(), b = other.form<WgmmaForm>();
  return a.n8 == b.n8 && a.k() == b.k() && a.d == b.d;
}

}  // namespace

ProductRegisters::ProductRegisters(ObservedBlock& block, std::uint32_t warps)
    : block_(block), warps_(warps) {
  find_followed();
}

// Those of products, and those whose values moves bring there or take from there.
void ProductRegisters::find_followed() {
  const Program& program = block_.program();
  const std::size_t slots = program.register_bytes / kSlotBytes + 1;
  std::vector<bool> constant(slots), wanted(slots);
  for (const Program::Constant& one : program.constants) constant[one.slot / kSlotBytes] = true;
  for (const Program::SpecialSlot& one : program.specials) constant[one.slot / kSlotBytes] = true;
  Joined joined(slots);
  for (const Instruction& i : program.code) {
    if (is_move(i) && i.d != Instruction::kNone && !constant[i.a / kSlotBytes])
      joined.join(i.d / kSlotBytes, i.a / kSlotBytes);
  }
  std::vector<bool> followed(slots);
  for (const Instruction& i : program.code) {
    if (i.opcode != Opcode::matrix_group_multiply) continue;
    const auto form = i.form<WgmmaForm>();
    const std::uint32_t count =
        2 * form.registers() + (form.a_registers ? WgmmaForm::kRegistersOfA : 0);
    for (std::uint32_t k = 0; k < count; ++k)
      followed[joined.find(program.operands[i.more + k] / kSlotBytes)] = true;
  }
  numbers_.assign(slots, kNone);
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    if (followed[joined.find(slot)]) numbers_[slot] = followed_++;

  use_of_.assign(program.code.size(), kNone);
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const Instruction& i = program.code[k];
    if (i.opcode == Opcode::matrix_group_multiply) continue;
    Use use;
    const Uses all = uses_of(program, i);
    const auto add = [&](const std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to) {
      for (const std::uint32_t slot : from)
        if (number_of(slot) != kNone) to.push_back(number_of(slot));
    };
    add(all.reads, use.reads);
    add(all.places, use.reads);
    add(all.writes, use.writes);
    use.moves = is_move(i);
    if (use.reads.empty() && use.writes.empty()) continue;
    use_of_[k] = static_cast<std::uint32_t>(uses_.size());
    uses_.push_back(std::move(use));
  }
}

std::uint32_t ProductRegisters::number_of(std::uint32_t slot) const {
  return slot == Instruction::kNone || slot / kSlotBytes >= numbers_.size()
             ? kNone
             : numbers_[slot / kSlotBytes];
}

void ProductRegisters::begin(std::uint64_t) {
  for (Warp& warp : warps_) {
    warp = {};
    warp.registers.resize(followed_);
  }
}

// A constant is no access either: compilers put the zeros that sums begin with right before the
// product.
void ProductRegisters::copy(Warp& warp, const Use& use) const {
  if (use.writes.empty()) return;
  warp.registers[use.writes[0]] = use.reads.empty() ? Register{} : warp.registers[use.reads[0]];
}

void ProductRegisters::execute(Lanes& w, const Instruction& i, std::uint32_t mask) {
  const auto number = static_cast<std::size_t>(&i - block_.program().code.data());
  if (use_of_[number] == kNone) return;
  const Use& use = uses_[use_of_[number]];
  Warp& warp = warps_[w.warp];
  if (i.guard != Instruction::kNone) {
    const auto guard = read_lane<std::uint32_t>(w.registers, i.guard, 0);
    if ((mask & (i.guard_negated ? ~guard : guard)) == 0) return;
  }
  if (use.moves) return copy(warp, use);
  for (const std::uint32_t one : use.reads) {
    Register& it = warp.registers[one];
    if (it.sums > warp.done && is_part_of_product(i, it.product_statement)) continue;
    if (it.sums > warp.done)
      report(w, i.statement, it.product_statement, "read before the wait",
             "a register of wgmma's result is read before wgmma.wait_group has waited for it");
    it.sums = 0;
    it.read = i.statement;
  }
  for (const std::uint32_t one : use.writes) {
    Register& it = warp.registers[one];
    if (it.sums > warp.done)
      report(w, i.statement, it.product_statement, "change before the wait",
             "a register of wgmma's result is changed before wgmma.wait_group has waited for it");
    else if (it.inputs > warp.done)
      report(w, i.statement, it.product_statement, "change before the wait",
             "a register of wgmma's matrix A is changed before wgmma.wait_group has waited for it");
    it = {};
    it.changed = i.statement;
  }
}

// A compiler keeps an array that a variable indexes in local memory, and stores a result there right
// behind its product, as a part of the product's line. ptxas lets that store wait.
bool ProductRegisters::is_part_of_product(const Instruction& i, std::uint32_t product) const {
  const Program& program = block_.program();
  const Statement* access = program.statement(i.statement);
  if (access == nullptr || access->facts->mnemonic != Mnemonic::st ||
      !access->facts->has(Modifier::local))
    return false;
  return std::ranges::equal(source_lines(program, i.statement), source_lines(program, product),
                            [](const SourceLine& one, const SourceLine& other) {
                              return one.file == other.file && one.line == other.line;
                            });
}

// A compiler may put arithmetic behind a fence that it stands before in the source: inline assembly
// does not keep it. That is no mistake, and ptxas orders it by itself.
bool ProductRegisters::is_behind(std::uint32_t statement, std::uint32_t fence) const {
  const Program& program = block_.program();
  const Statement* access = program.statement(statement);
  if (access == nullptr || access->facts->family != Family::arithmetic) return true;
  const std::vector<SourceLine> one = source_lines(program, statement),
                                other = source_lines(program, fence);
  for (auto a = one.rbegin(), b = other.rbegin(); a != one.rend() && b != other.rend(); ++a, ++b) {
    if (a->file != b->file) return false;
    if (a->line != b->line) return a->line > b->line;
  }
  return false;
}

void ProductRegisters::require_fence(Lanes& w, const Instruction& i, const Register& one,
                                     bool sum) {
  const Warp& warp = warps_[w.warp];
  if (one.changed != kNone && is_behind(one.changed, warp.fence))
    report(w, i.statement, one.changed, "no fence",
           "a register of wgmma is changed, and no wgmma.fence lies between that and the product");
  else if (sum && one.read != kNone && is_behind(one.read, warp.fence))
    report(w, i.statement, one.read, "no fence",
           "a register of wgmma's result is read, and no wgmma.fence lies between that and the "
           "product that changes it");
  else if (sum && one.product != nullptr && one.sums > warp.done && !same_shape(*one.product, i))
    report(w, i.statement, one.product_statement, "no fence",
           "a register is part of the results of two products of different shapes, and no "
           "wgmma.fence lies between them");
}

void ProductRegisters::multiply_in_group(Lanes& w, const Instruction& i,
                                         const std::vector<std::uint32_t>&,
                                         const std::vector<std::uint32_t>&) {
  Warp& warp = warps_[w.warp];
  const auto form = i.form<WgmmaForm>();
  const std::uint32_t* const slots = w.operands + i.more;
  if (warp.fence == kNone) {
    warp.fence = i.statement;
    report(w, i.statement, kNone, "no fence",
           "a warp's first wgmma.mma_async has no wgmma.fence before it");
  }
  for (std::uint32_t k = 0; form.a_registers && k < WgmmaForm::kRegistersOfA; ++k) {
    Register& it = warp.registers[number_of(slots[2 * form.registers() + k])];
    if (it.sums > warp.done)
      report(
          w, i.statement, it.product_statement, "read before the wait",
          "a register of wgmma's result is multiplied before wgmma.wait_group has waited for it");
    require_fence(w, i, it, false);
    it.inputs = warp.committed + 1;
    it.product_statement = i.statement;
    it.changed = kNone;
  }
  for (std::uint32_t k = 0; k < form.registers(); ++k) {
    Register& it = warp.registers[number_of(slots[k])];
    require_fence(w, i, it, true);
    it.sums = warp.committed + 1;
    it.product = &i;
    it.product_statement = i.statement;
    it.changed = it.read = kNone;
  }
}

void ProductRegisters::steer_group(Lanes& w, const Instruction& i) {
  Warp& warp = warps_[w.warp];
  switch (i.opcode) {
    case Opcode::matrix_group_fence:
      warp.fence = i.statement;
      for (Register& one : warp.registers) {
        one.changed = one.read = kNone;
        one.product = nullptr;
      }
      return;
    case Opcode::matrix_group_commit:
      ++warp.committed;
      return;
    case Opcode::matrix_group_wait:
      warp.done = std::max(
          warp.done, warp.committed - std::min<std::uint64_t>(static_cast<std::uint64_t>(i.imm),
                                                              warp.committed));
      return;
    default:
      return;
  }
}

void ProductRegisters::report(const Lanes& w, std::uint32_t statement, std::uint32_t other,
                              const char* hazard, const char* message) {
  Fault fault = block_.fault(FaultKind::race, statement, w.warp, w.mask);
  fault.hazard = hazard;
  fault.message = message;
  if (other != kNone) {
    fault.other.known = true;
    fault.other.statement = other;
    fault.other.thread = fault.thread;
    fault.other.block = fault.block;
  }
  block_.report(fault);
}

}  // namespace warpmark::cpu
