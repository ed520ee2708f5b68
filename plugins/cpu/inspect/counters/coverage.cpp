// The guarded instructions of a program, and the counts of a worker.
#include "inspect/counters/coverage.hpp"

#include <utility>

namespace warpmark::cpu {

CoverageMap::CoverageMap(const Program& program) {
  for (const BasicBlock& block : program.blocks) {
    first_.push_back(static_cast<std::uint32_t>(guarded_.size()));
    for (std::uint32_t at = block.begin; at < block.end; ++at) {
      if (program.code[at].guard != Instruction::kNone) guarded_.push_back(at);
    }
  }
  first_.push_back(static_cast<std::uint32_t>(guarded_.size()));
}

void CoverageCounts::take(const Tally& tally, Profile& profile) {
  profile.visits = tally.visits();
  profile.held = std::exchange(held_, std::vector<std::uint64_t>(held_.size()));
  profile.sides = std::exchange(sides_, std::vector<Sides>(sides_.size()));
}

}  // namespace warpmark::cpu
