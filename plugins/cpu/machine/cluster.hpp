// The blocks of one cluster: their barrier, and how they reach each other's shared memory.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmark::cpu {

class BlockState;

/// The parts of the shared window: a block's own memory lies at offset 0, and that of the cluster's
/// block of rank r, seen from any block, at (r + 1) times this. More than a block can have.
inline constexpr std::uint64_t kSharedPart = std::uint64_t{512} << 10;

/// Blocks that run at the same time, by rank. A launch without clusters has clusters of one block.
struct Cluster {
  std::vector<BlockState*> blocks;
  std::uint32_t arrived = 0;  ///< live threads that wait for the others at barrier.cluster

  [[nodiscard]] std::uint32_t live_threads() const;
  /// Lets everybody go on if all threads that have not left have arrived.
  void check_barrier();
};

}  // namespace warpmark::cpu
