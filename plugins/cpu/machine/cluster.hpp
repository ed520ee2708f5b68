// The blocks of one cluster: their barrier, and how they reach each other's shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/generic_address.hpp"
#include "program/counter.hpp"

namespace warpmark::cpu {

class BlockState;

/// What is known of threads that all look at mbarriers in vain.
struct VainWait {
  std::uint64_t changes = 0;  ///< of the cluster's mbarriers until then
  std::uint32_t looks = 0;  ///< by each thread, after which it is asked whether they go on for ever
  std::uint32_t leaps = 0;  ///< of the clock since then
  bool quiet = false;       ///< between the last two times nobody changed what others see
  Counters counters{};      ///< the last time
  std::uint64_t polls = 0;  ///< of other memory, by anybody in the launch, until the last time
  std::uint64_t since = 0;  ///< the launch's warp-instructions when it became quiet
};

/// Blocks that run at the same time, by rank. A launch without clusters has clusters of one block.
struct Cluster {
  std::vector<BlockState*> blocks;
  std::uint32_t arrived = 0;  ///< live threads that wait for the others at barrier.cluster

  VainWait vain{};

  [[nodiscard]] std::uint32_t live_threads() const;
  /// Lets everybody go on if all threads that have not left have arrived.
  void check_barrier();
};

}  // namespace warpmark::cpu
