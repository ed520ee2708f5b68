// The ways in which threads take turns, as chosen by a schedule's seed.
#pragma once

#include <cstdint>

#include "program/program.hpp"

namespace warpmark::cpu {

/// A kernel's result may depend on which thread comes first. One way to take turns may hide a
/// mistake that another shows, so consecutive seeds go through all ways.
class SeededSchedule {
 public:
  enum class Kind : std::uint8_t {
    usual,  ///< without a seed: warps in their order, each until it waits or has had its share
    /// All warps progress at about the same pace: each gives way after some blocks of its graph.
    interleaved,
    /// Each warp has a rank, and runs for as long as it can; a few times a warp loses its rank on
    /// the way. The same holds for thread blocks, if they may wait for each other; some begin only
    /// when others have ended. After Burckhardt et al., A Randomized Scheduler with Probabilistic
    /// Guarantees of Finding Bugs, ASPLOS 2010.
    ranked,
    /// As ranked, and lanes that reach the node `held` wait until no other lane makes progress.
    /// After Sen, Race Directed Random Testing of Concurrent Programs, PLDI 2008.
    held
  };

  SeededSchedule(std::uint64_t seed, const Program& program) {
    if (seed == 0) return;
    const std::uint64_t way = (seed - 1) % ways(program);
    kind_ = way == 0 ? Kind::interleaved : way == 1 ? Kind::ranked : Kind::held;
    if (kind_ == Kind::held) held_ = program.contended[way - 2];
  }

  /// The number of consecutive seeds that cover all ways to take turns.
  static std::uint64_t ways(const Program& program) { return 2 + program.contended.size(); }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool interleaves() const { return kind_ == Kind::interleaved; }
  [[nodiscard]] bool ranks() const { return kind_ == Kind::ranked || kind_ == Kind::held; }
  [[nodiscard]] bool holds() const { return kind_ == Kind::held; }
  /// Returns whether lanes that reach this block of the control-flow graph have to wait.
  [[nodiscard]] bool holds(std::uint32_t node) const { return node == held_; }

 private:
  Kind kind_ = Kind::usual;
  std::uint32_t held_ = 0xffffffff;
};

}  // namespace warpmark::cpu
