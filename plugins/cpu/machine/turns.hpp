// The order in which blocks that run at the same time take effect: as if one after another.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "machine/block.hpp"

namespace warpmark::cpu {

/// The results of some consecutive blocks.
struct Outcome {
  std::uint64_t executed = 0, warp_instructions = 0;
  Counters counters{};
  Profile profile;
  FaultLog faults;
  PrintLog printed, asserted;
  std::vector<DeviceLaunch> launches;
  bool stop = false, timed_out = false;
  std::array<std::uint32_t, 3> coordinates{};
};

/// Blocks are run and retired by turns: each is some blocks in a row, and turns are retired in
/// order, whichever ends first. If a launch stops in a block, the results of later blocks are
/// dropped. An access whose result depends on order waits until all earlier blocks are retired; the
/// earliest never waits, so there is always progress.
class Turns {
 public:
  /// `blocks_each` is 1 if accesses wait for their turn, or a budget ends the launch in a block; then
  /// there is one share.
  Turns(const LaunchShape& shape, std::uint64_t blocks, std::uint64_t blocks_each,
        std::size_t shares);

  struct Turn {
    std::uint64_t number = 0, begin = 0, end = 0;  ///< blocks [begin, end); none: there is no more
  };
  /// The next turn to run, of this worker's share as long as there is any: its caches and its memory
  /// of the checks have what the same share of the launch before used. Waits while finished turns
  /// that are not retired yet hold too much printed text.
  Turn take(std::size_t worker);
  /// Waits for the turn of launch.turn; sets launch.stop if it never comes.
  void wait(LaunchState& launch);
  void retire(std::uint64_t turn, Outcome outcome);
  /// Returns whether there are turns that nobody has taken.
  [[nodiscard]] bool remain();
  /// Returns whether the turn still counts: no earlier one has stopped the launch.
  [[nodiscard]] bool wanted(std::uint64_t turn);

  // Totals, after all turns have ended:
  std::uint64_t executed = 0, warp_instructions = 0;
  Counters counters{};
  Profile profile;
  bool over_budget = false, timed_out = false;
  std::array<std::uint32_t, 3> last_block{};  ///< where it stopped
  FaultLog faults;
  PrintLog printed, asserted;
  std::vector<DeviceLaunch> launches;

 private:
  struct Share {
    std::uint64_t next = 0, end = 0;
  };
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

  void merge(Outcome& outcome);
  /// The share to take a turn of, which is its first; null if there is none, or none may run now.
  Share* choose(std::size_t worker);

  const LaunchShape& shape_;
  const std::uint64_t blocks_, each_, turns_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Outcome> ended_;  ///< not retired yet
  std::uint64_t ended_bytes_ = 0;           ///< bytes that these have printed
  std::vector<Share> shares_;
  std::uint64_t retired_ = 0;
  std::uint64_t stopped_at_ = ~std::uint64_t{0};
};

}  // namespace warpmark::cpu
