// Execution of a node's instructions one by one under observation: traffic, coverage, undefined
// values, a debugger.
#include <cstdint>

#include "machine/block.hpp"

namespace warpmark::cpu {
namespace {

// Tells the checks which registers decide how a node ends.
void tell_decision(BlockObserver& observer, Lanes& lanes, const Program& program,
                   const BasicBlock& node, std::uint32_t mask) {
  const auto decide = [&](std::uint32_t slot, const char* what) {
    observer.tell<&Check::decide>(lanes, slot, mask, node.statement, what);
  };
  switch (node.exit) {
    case Exit::branch:
      return decide(node.predicate, "used to decide a branch");
    case Exit::call:
      return decide(program.calls[node.barrier].target, "used as a function's address");
    case Exit::barrier:
      decide(node.barrier, "used as a barrier's number");
      return decide(node.threads, "used as a number of threads");
    case Exit::warp:
    case Exit::collect:
      return decide(node.barrier, "used as a mask of lanes");
    default:
      return;
  }
}

bool has_undefined(const WarpDefinedness* definedness) {
  return definedness != nullptr && definedness->any();
}

}  // namespace

// Guarded instructions are few, and all between two of them run as if nothing were observed.
void BlockState::execute_covered(Warp& warp, std::uint32_t block, std::uint32_t mask,
                                 std::uint32_t done) {
  const BasicBlock& node = launch_.program.blocks[block];
  CoverageCounts& coverage = *launch_.coverage;
  Lanes& lanes = warp.lanes;
  const std::size_t full = handler_of(mask);
  const Instruction* const code = launch_.program.code.data();
  const Instruction* instruction = code + node.begin + done;
  std::uint32_t place = coverage.map().first(block);
  for (const std::uint32_t at : coverage.map().guarded(block)) {
    const Instruction* const guarded = code + at;
    if (guarded >= instruction) {
      for (; instruction != guarded; ++instruction) instruction->run[full](lanes, *instruction);
      coverage.before(place, lanes, *guarded, mask);
    }
    ++place;
  }
  const Instruction* const end = code + node.end;
  for (; instruction != end; ++instruction) instruction->run[full](lanes, *instruction);
  if (node.exit == Exit::branch) coverage.part(block, lanes, node, mask);
}

// Undefined values are followed only while a warp has any. What an access moves is counted before
// it runs, since a load may overwrite its own address.
template <bool Stepped>
void BlockState::execute_watched(Warp& warp, std::uint32_t block, std::uint32_t mask,
                                 std::uint32_t done) {
  if (only_covers_) return execute_covered(warp, block, mask, done);
  const BasicBlock& node = launch_.program.blocks[block];
  Lanes& lanes = warp.lanes;
  const std::size_t full = handler_of(mask);
  const WarpDefinedness* const definedness = warp.definedness;
  const bool follows_all = follows_all_,
             in_part = definedness != nullptr && full == 0 && node.shuffles;
  TrafficCounts* traffic = lanes.traffic;
  if (traffic != nullptr) traffic->enter(coordinates_);
  CoverageCounts* const coverage = launch_.coverage ? &*launch_.coverage : nullptr;
  std::uint32_t place = coverage != nullptr ? coverage->map().place(block, node.begin + done) : 0;
  [[maybe_unused]] std::uint32_t stepped = Instruction::kNone;
  std::uint32_t i = node.begin + done;
  for (; i < node.end; ++i) {
    const Instruction& instruction = launch_.program.code[i];
    if constexpr (Stepped) {
      if (stepped != instruction.statement &&
          !may_step(warp, mask, stepped = instruction.statement))
        return;
      lanes.known_places = 0;  // a debugger may have changed an address
    }
    if (coverage != nullptr && instruction.guard != Instruction::kNone)
      coverage->before(place++, lanes, instruction, mask);
    const TrafficMap::Step* step = traffic != nullptr ? traffic->step(i) : nullptr;
    if (step != nullptr) traffic->before(lanes, instruction, *step, mask);
    if (follows_all || has_undefined(definedness) || (in_part && is_shuffle(instruction.opcode)))
      observer_->tell<&Check::execute>(lanes, instruction, mask);
    instruction.run[full](lanes, instruction);
    if (step != nullptr && step->form == TrafficMap::Form::reported) traffic->after(*step);
  }
  if constexpr (Stepped) {
    if (!may_leave(warp, mask, node)) return;
  }
  if (traffic != nullptr) {
    warp.instructions += node.weight;
    traffic->warp_ran(warp.instructions);
  }
  if (coverage != nullptr && node.exit == Exit::branch) coverage->part(block, lanes, node, mask);
  if (!has_undefined(definedness)) return;
  tell_decision(*observer_, lanes, launch_.program, node, mask);
}

template void BlockState::execute_watched<true>(Warp&, std::uint32_t, std::uint32_t, std::uint32_t);
template void BlockState::execute_watched<false>(Warp&, std::uint32_t, std::uint32_t,
                                                 std::uint32_t);

}  // namespace warpmark::cpu
