// The blocks of one cluster: their barrier, and how they reach each other's shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/generic_address.hpp"
#include "program/counter.hpp"

namespace warpmark::cpu {

class BlockState;

/// The state of threads that all test mbarriers in vain.
struct VainWait {
  std::uint64_t changes = 0;  ///< changes of the cluster's mbarriers until then
  std::uint32_t looks = 0;    ///< tests by each thread after which an endless wait is checked for
  std::uint32_t leaps = 0;    ///< of the clock since then
  bool quiet = false;         ///< no visible change between the last two checks
  Counters counters{};        ///< counters at the last check
  std::uint64_t polls = 0;    ///< polls of other memory by all threads of the launch, until then
  std::uint64_t since = 0;    ///< the launch's warp-instructions when it became quiet
};

/// Blocks that run at the same time, by rank. A launch without clusters has clusters of one block.
struct Cluster {
  std::vector<BlockState*> blocks;
  std::uint32_t arrived = 0;  ///< live threads that wait for the others at barrier.cluster

  VainWait vain{};

  [[nodiscard]] std::uint32_t live_threads() const;
  /// Lets all threads continue if all that have not exited have arrived.
  void check_barrier();
};

}  // namespace warpmark::cpu
