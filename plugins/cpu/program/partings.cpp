// Finds the branches that decide whether a thread tells others what its warp has done.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "program/data_flow.hpp"
#include "program/dominators.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {
namespace {

// Returns whether threads release to others in a block, apart from what it calls.
bool releases(const Program& program, const BasicBlock& block) {
  return (block.exit == Exit::barrier && block.threads != Instruction::kNone) ||
         std::any_of(program.code.begin() + block.begin, program.code.begin() + block.end,
                     [](const Instruction& i) { return (i.order & Instruction::kRelease) != 0; });
}

// By block, whether it releases; those that call a function with such a block do so, too.
std::vector<bool> releasing_blocks(const Program& program) {
  const std::size_t count = program.blocks.size();
  std::vector<bool> result(count);
  for (std::size_t b = 0; b < count; ++b) result[b] = releases(program, program.blocks[b]);
  if (program.calls.empty() || std::find(result.begin(), result.end(), true) == result.end())
    return result;
  // A callee's blocks begin with its entry, in the order of the callees; the kernel's are the last.
  const auto function_of = [&](std::size_t block) {
    const auto next = std::find_if(program.callees.begin(), program.callees.end(),
                                   [&](const Callee& one) { return one.entry > block; });
    return block >= program.entry ? program.callees.size()
                                  : static_cast<std::size_t>(next - program.callees.begin()) - 1;
  };
  std::vector<bool> functions(program.callees.size() + 1);
  for (std::size_t b = 0; b < count; ++b) {
    if (result[b]) functions[function_of(b)] = true;
  }
  for (bool changed = true; std::exchange(changed, false);) {
    for (std::size_t b = 0; b < count; ++b) {
      const BasicBlock& block = program.blocks[b];
      if (block.exit != Exit::call || result[b]) continue;
      const std::uint32_t callee = program.calls[block.barrier].callee;
      if (callee < program.callees.size() && !functions[callee]) continue;
      result[b] = changed = true;
      functions[function_of(b)] = true;
    }
  }
  return result;
}

}  // namespace

// A branch decides so if a way from it to where all ways from it meet again has such a block, or
// another such branch (control dependence: Ferrante, Ottenstein and Warren, 1987).
void find_partings(Program& program) {
  std::vector<bool> marked = releasing_blocks(program);
  if (std::find(marked.begin(), marked.end(), true) == marked.end()) return;
  const auto end = static_cast<std::uint32_t>(program.blocks.size());  // behind all that leave
  std::vector<std::vector<std::uint32_t>> before = predecessors(program);
  before.emplace_back();
  for (std::uint32_t b = 0; b < end; ++b) {
    if (ends_way(program.blocks[b].exit)) before[end].push_back(b);
  }
  const Dominators after(before, end);
  std::vector<std::uint32_t> above(before.size());  // marked blocks from here to the end
  constexpr int kMost = 64;  // turns; then all that are left count as such branches
  bool changed = true;
  for (int turn = 0; std::exchange(changed, false); ++turn) {
    for (const std::uint32_t node : after.nodes()) {
      if (node != end) above[node] = above[after.parent(node)] + (marked[node] ? 1 : 0);
    }
    for (std::uint32_t b = 0; b < end; ++b) {
      BasicBlock& block = program.blocks[b];
      if (block.exit != Exit::branch || block.parts || block.next == block.taken) continue;
      const std::uint32_t meet = after.parent(b);
      const bool known = turn < kMost && meet != Dominators::kUnreached &&
                         after.parent(block.next) != Dominators::kUnreached &&
                         after.parent(block.taken) != Dominators::kUnreached;
      if (known && above[block.next] == above[meet] && above[block.taken] == above[meet]) continue;
      block.parts = marked[b] = changed = true;
    }
  }
}

}  // namespace warpmark::cpu
