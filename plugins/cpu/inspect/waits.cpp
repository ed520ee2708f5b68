#include "inspect/waits.hpp"

#include "inspect/observed_block.hpp"

namespace warpmark::cpu {
namespace {

std::string text_of(const Wait& wait, const Program& program) {
  const std::string some =
      std::to_string(wait.arrived) + " of " + std::to_string(wait.expected) + " threads wait at ";
  switch (wait.what) {
    case Wait::For::barrier:
      if (wait.barrier >= 16)
        return some + "wgmma.wait_group for other warps of the warpgroup that never reach it";
      return some + "barrier " + std::to_string(wait.barrier) + " for others that never reach it";
    case Wait::For::cluster:
      return some + "the cluster's barrier for others that never reach it";
    case Wait::For::lanes:
      return "lanes wait for others of the instruction's mask that never reach "
             "it";
    case Wait::For::nothing:
      break;
  }
  return program.blocks[wait.node].polls ? "threads poll here until others act"
                                         : "threads run here";
}

}  // namespace

// The instruction that lanes wait at ended the node before the one where they go on.
std::uint32_t statement_of_wait(const Program& program, std::uint32_t node) {
  for (const BasicBlock& before : program.blocks) {
    const bool waits = before.exit == Exit::barrier || before.exit == Exit::warp ||
                       before.exit == Exit::collect || before.exit == Exit::cluster_wait;
    if (waits && before.next == node) return before.statement;
  }
  return 0;
}

void report_wait(ObservedBlock& block, const Wait& wait, FaultKind kind) {
  const Program& program = block.program();
  std::uint32_t statement = statement_of_wait(program, wait.node);
  if (wait.what == Wait::For::nothing) {
    const BasicBlock& node = program.blocks[wait.node];
    statement = node.begin < node.end ? program.code[node.begin].statement : node.statement;
  }
  Fault fault = block.fault(kind, statement, wait.warp, wait.lanes);
  fault.message = text_of(wait, program);
  block.report(fault);
}

std::string mbarrier_wait_text(std::uint32_t threads, std::uint32_t missing, std::uint32_t expected,
                               std::int32_t missing_bytes) {
  std::string what;
  if (missing != 0)
    what = " for " + std::to_string(missing) + " of " + std::to_string(expected) +
           " arrivals that never come";
  else if (missing_bytes > 0)
    what =
        " for " + std::to_string(missing_bytes) + " bytes of asynchronous copies that never come";
  else if (missing_bytes < 0)
    what = " whose copies have brought " + std::to_string(-missing_bytes) +
           " bytes more than it expects";
  else
    what = " for a phase that never ends";
  return std::to_string(threads) + (threads == 1 ? " thread waits" : " threads wait") +
         " at an mbarrier" + what;
}

}  // namespace warpmark::cpu
