// In which way a schedule's seed lets threads take turns.
#pragma once

#include <cstdint>

#include "program/program.hpp"

namespace warpmark::cpu {

/// What a kernel computes may depend on who comes first. One way to take turns hides what another
/// shows, so that seeds that follow each other go through all of them.
class SeededSchedule {
 public:
  enum class Kind : std::uint8_t {
    usual,  ///< without a seed: warps in their order, each until it waits or has had its share
    /// All go on at about the same pace: a warp gives way after some blocks of its graph.
    interleaved,
    /// Each warp has a rank, and goes on for as long as it can; a few times one loses its rank in the
    /// middle. Thread blocks, too, if they may meet, of which some begin when others have ended.
    /// After Burckhardt et al., A Randomized Scheduler with Probabilistic Guarantees of Finding
    /// Bugs, ASPLOS 2010.
    ranked,
    /// Ranked, and whoever comes to the node `held` waits until nobody else gets on. After Sen,
    /// Race Directed Random Testing of Concurrent Programs, PLDI 2008.
    held
  };

  SeededSchedule(std::uint64_t seed, const Program& program) {
    if (seed == 0) return;
    const std::uint64_t way = (seed - 1) % ways(program);
    kind_ = way == 0 ? Kind::interleaved : way == 1 ? Kind::ranked : Kind::held;
    if (kind_ == Kind::held) held_ = program.contended[way - 2];
  }

  /// How many seeds that follow each other are all ways to take turns.
  static std::uint64_t ways(const Program& program) { return 2 + program.contended.size(); }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool interleaves() const { return kind_ == Kind::interleaved; }
  [[nodiscard]] bool ranks() const { return kind_ == Kind::ranked || kind_ == Kind::held; }
  [[nodiscard]] bool holds() const { return kind_ == Kind::held; }
  /// Whether who comes to this block of the control-flow graph is to wait.
  [[nodiscard]] bool holds(std::uint32_t node) const { return node == held_; }

 private:
  Kind kind_ = Kind::usual;
  std::uint32_t held_ = 0xffffffff;
};

}  // namespace warpmark::cpu
