#include "inspect/synchronization/warpgroup_check.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "inspect/observed_block.hpp"

namespace warpmark::cpu {

void WarpgroupCheck::begin(std::uint64_t) {
  std::fill(groups_.begin(), groups_.end(), Group{});
}

void WarpgroupCheck::multiply_in_group(Lanes& w, const Instruction& i,
                                       const std::vector<std::uint32_t>&,
                                       const std::vector<std::uint32_t>&) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(w.mask));
  come(w, i, read_lane<std::uint64_t>(w.registers, i.b, lane));
}

void WarpgroupCheck::steer_group(Lanes& w, const Instruction& i) {
  come(w, i, 0);
}

// One warp may be many instructions ahead of another.
void WarpgroupCheck::come(const Lanes& w, const Instruction& i, std::uint64_t descriptor) {
  Group& group = groups_[w.warp / WgmmaForm::kWarps];
  if (group.apart) return;
  const std::uint64_t step = group.steps[w.warp % WgmmaForm::kWarps]++ - group.forgotten;
  if (step == group.open.size()) {
    group.open.push_back({&i, w.warp, descriptor});
    if (i.opcode == Opcode::matrix_set_registers) check_registers(w, i, group);
    return;
  }
  const Step& first = group.open[step];
  if (first.instruction != &i) {
    group.apart = true;
    report(w, i, first, "the warps of a warpgroup execute different instructions of it");
  } else if (first.descriptor != descriptor) {
    group.apart = true;
    report(w, i, first,
           "the warps of a warpgroup give different matrix descriptors to one product");
  }
  while (!group.open.empty() &&
         std::all_of(group.steps.begin(), group.steps.end(),
                     [&](std::uint64_t steps) { return steps > group.forgotten; })) {
    group.open.pop_front();
    ++group.forgotten;
  }
}

// PTX ISA, "setmaxnreg": .inc to fewer and .dec to more registers than a thread has are undefined.
// How many it has to begin with depends on the compiler, and is not known here.
void WarpgroupCheck::check_registers(const Lanes& w, const Instruction& i, Group& group) {
  const bool less = i.negated;
  if (group.registers != 0 && (less ? i.imm > group.registers : i.imm < group.registers)) {
    Fault fault = block_.fault(FaultKind::sync, i.statement, w.warp, w.mask);
    fault.hazard = "Invalid arguments";
    fault.message = std::string("setmaxnreg.") + (less ? "dec to more" : "inc to fewer") +
                    " registers than the warpgroup has";
    fault.detail = ": " + std::to_string(i.imm) + ", and it has " + std::to_string(group.registers);
    block_.report(fault);
  }
  group.registers = i.imm;
  if (!less) group.raised = &i;
}

void WarpgroupCheck::report(const Lanes& w, const Instruction& i, const Step& other,
                            const char* message) {
  Fault fault = block_.fault(FaultKind::sync, i.statement, w.warp, w.mask);
  fault.hazard = "Divergent thread(s) in block";
  fault.message = message;
  fault.other.known = true;
  fault.other.statement = other.instruction->statement;
  fault.other.thread = block_.thread(other.warp, 0);
  fault.other.block = fault.block;
  block_.report(fault);
}

// PTX ISA, "setmaxnreg": .inc waits until the block's pool has as many registers. The pool is what
// the block was launched with, at most all of a multiprocessor, the same for each thread. Those of a
// warpgroup that gives none are its own.
void WarpgroupCheck::check_pool() {
  constexpr std::int64_t kAll = 65536, kStep = 8, kMost = 256;
  const std::int64_t most = std::min(kMost, kAll / (warps_ * 32) / kStep * kStep);
  std::int64_t sum = 0, there = 0;
  std::string wanted;
  const Group* last = nullptr;
  for (const Group& group : groups_) {
    if (group.registers == 0) continue;
    sum += group.registers;
    there += most;
    wanted += (wanted.empty() ? "" : " + ") + std::to_string(group.registers);
    if (group.raised != nullptr) last = &group;
  }
  if (last == nullptr || sum <= there) return;
  const auto warp = static_cast<std::uint32_t>(last - groups_.data()) * WgmmaForm::kWarps;
  Fault fault = block_.fault(FaultKind::sync, last->raised->statement, warp, ~0u);
  fault.hazard = "Invalid arguments";
  fault.message = "setmaxnreg.inc waits for more registers than the block can have";
  fault.detail = ": " + wanted + " for a thread of each warpgroup, and at most " +
                 std::to_string(most) + " each were there to begin with";
  block_.report(fault);
}

// The last thread leaves: who has not come comes no more.
void WarpgroupCheck::exit(std::uint32_t, std::uint32_t, std::uint32_t) {
  check_pool();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if (group.apart || group.open.empty()) continue;
    const Step& step = group.open.front();
    std::string absent;
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < WgmmaForm::kWarps; ++k) {
      if (group.steps[k] > group.forgotten) continue;
      absent += (absent.empty() ? "" : ", ") + std::to_string(g * WgmmaForm::kWarps + k);
      ++count;
    }
    Fault fault = block_.fault(FaultKind::sync, step.instruction->statement, step.warp, ~0u);
    fault.hazard = "Divergent thread(s) in block";
    fault.message = "an operation of the whole warpgroup, four warps, is executed by some of them";
    fault.detail = (count == 1 ? ": warp " : ": warps ") + absent +
                   (count == 1 ? " does not take part" : " do not take part");
    block_.report(fault);
  }
}

}  // namespace warpmark::cpu
