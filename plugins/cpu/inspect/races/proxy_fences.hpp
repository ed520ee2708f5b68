// Fences between the generic and another proxy: which writes they come after, and who comes after
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "inspect/races/epoch.hpp"
#include "inspect/races/synchronization.hpp"

namespace warpmark::cpu {

/// A proxy fence that lanes of a warp have executed together.
struct ProxyFence {
  Epoch epoch = 0;    ///< of its threads: later accesses of theirs have a later one
  Epoch barrier = 0;  ///< accesses of its block before this epoch come before it
  std::uint32_t lanes = 0;
  std::uint8_t memory = 0;  ///< the memory that it is for, as in ProxyMemory
  WarpSyncs syncs = {};
  std::shared_ptr<const Seen> seen = nullptr;  ///< what its threads had seen; null: nothing
};

/// The last proxy fences of a block's warps, from the oldest to the newest.
class ProxyFences {
 public:
  void add(std::uint32_t warp, ProxyFence&& fence);
  /// Keeps what other blocks may ask for when the block is done.
  void end();
  [[nodiscard]] std::uint32_t warps() const { return static_cast<std::uint32_t>(warps_.size()); }
  [[nodiscard]] const std::vector<ProxyFence>& of(std::uint32_t warp) const {
    return warps_.at(warp).fences;
  }
  /// Returns whether fences of a warp are forgotten that came in an epoch or after it.
  [[nodiscard]] bool has_forgotten(std::uint32_t warp, Epoch epoch) const {
    return warp < warps_.size() && warps_[warp].forgotten >= epoch;
  }

 private:
  struct Warp {
    std::vector<ProxyFence> fences;
    Epoch forgotten = 0;  ///< of the last fence that is forgotten
    void forget(std::size_t count);
  };
  // A warp is never as many fences ahead of a copy that needs one of them.
  static constexpr std::size_t kMost = 64, kAtEnd = 2;
  std::vector<Warp> warps_;
};

}  // namespace warpmark::cpu
