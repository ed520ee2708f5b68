// Barriers of a block, and of the lanes of a warp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/launch_state.hpp"
#include "machine/warp.hpp"

namespace warpmark::cpu {

class BlockState;

struct Barrier {
  std::uint32_t arrived = 0;   ///< threads
  std::uint32_t expected = 0;  ///< threads, if the instruction gave their number
  std::uint32_t yes = 0;       ///< of those that arrived at a counting barrier
  bool counts = false;
  bool passed = false;       ///< some thread that arrived does not wait
  std::uint64_t latest = 0;  ///< greatest Warp::clock() of the threads that arrived
};

class Barriers {
 public:
  Barriers(BlockState& block, LaunchState& launch, std::vector<Warp>& warps)
      : block_(block), launch_(launch), warps_(warps) {}

  void begin() {
    for (; waiting_ != 0; waiting_ &= waiting_ - 1)
      barriers_[static_cast<std::size_t>(std::countr_zero(waiting_))] = {};
  }
  [[nodiscard]] const Barrier& operator[](std::size_t number) const { return barriers_[number]; }
  /// Lanes arrive at the barrier that a block of the control-flow graph ends with.
  void arrive(Warp& warp, Fragment& fragment, const BasicBlock& node);
  /// Lanes arrive at bar.warp.sync or an operation of several lanes. Returns false if they wait.
  bool meet(Warp& warp, Fragment& current, const BasicBlock& node);
  /// Threads of a warp have left: they are no longer waited for (as on sm_70 and later).
  void threads_left(Warp& warp);

 private:
  /// Ends the wait at a barrier if all have arrived.
  void check(std::uint32_t number);
  void complete(std::uint32_t number);
  /// Reports a barrier that does not exist, or one for a wrong number of threads.
  void refuse(const Warp& warp, const Fragment& fragment, const BasicBlock& node,
              std::uint32_t number, std::uint32_t threads);
  void arrive_in_group(Warp& warp, Fragment& fragment, const BasicBlock& node);
  /// Live threads of the warpgroup that a barrier is of.
  [[nodiscard]] std::uint32_t threads_of_group(std::uint32_t number) const;
  void wait_for_lanes(Warp& warp, Fragment fragment, const BasicBlock& node);
  void release(Warp& warp);
  // collectives.cpp
  /// Returns whether lanes that wait before two nodes wait for each other.
  [[nodiscard]] bool same_operation(std::uint32_t node, std::uint32_t other) const;
  void run_together(Warp& warp, const std::vector<Fragment>& places);

  BlockState& block_;
  LaunchState& launch_;
  std::vector<Warp>& warps_;
  std::array<Barrier, 16 + 8> barriers_{};  ///< of the block, and of its warpgroups
  std::uint32_t waiting_ = 0;               ///< those at which threads have arrived
};

}  // namespace warpmark::cpu
