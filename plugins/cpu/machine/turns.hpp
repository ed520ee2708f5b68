// The order in which blocks that run at the same time take effect: as if one after another.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "machine/block.hpp"

namespace warpmark::cpu {

/// What one block did.
struct BlockOutcome {
  std::uint64_t executed = 0, warp_instructions = 0;
  Counters counters{};
  Profile profile;
  std::vector<Fault> faults;
  PrintLog printed, asserted;
  bool stop = false, timed_out = false;
  std::array<std::uint32_t, 3> coordinates{};
};

/// Blocks are retired in order of their index, whichever ends first. A launch that stops in a block
/// has no later ones: what they did is forgotten. An access whose result depends on order waits
/// until all earlier blocks are retired; the earliest never waits, so someone always gets on.
class Turns {
 public:
  Turns(const LaunchShape& shape, std::uint64_t blocks) : shape_(shape), blocks_(blocks) {
    printed.limit = asserted.limit = shape.printf_bytes;
  }

  /// Waits for the turn of launch.index; sets launch.stop if it never comes.
  void wait(LaunchState& launch);
  void retire(std::uint64_t index, BlockOutcome outcome);
  /// The next block to run; `blocks` or more if there is none.
  std::uint64_t take();
  /// Whether the block counts still.
  [[nodiscard]] bool wanted(std::uint64_t index);

  // After all have ended:
  std::uint64_t executed = 0, warp_instructions = 0;
  Counters counters{};
  Profile profile;
  bool over_budget = false, timed_out = false;
  std::array<std::uint32_t, 3> last_block{};  ///< where it stopped
  FaultLog faults;
  PrintLog printed, asserted;

 private:
  void merge(BlockOutcome& outcome);

  const LaunchShape& shape_;
  const std::uint64_t blocks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, BlockOutcome> ended_;  ///< not retired yet
  std::uint64_t next_ = 0, retired_ = 0;
  std::uint64_t stopped_at_ = ~std::uint64_t{0};
};

}  // namespace warpmark::cpu
