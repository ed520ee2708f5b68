// Counts of what one thread of the host executes, as cheap as the blocks of the control-flow graph.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace warpmark::cpu {

/// How often a block of the control-flow graph ran: with how many lanes, and for how many warps.
struct Visits {
  std::uint64_t lanes = 0, warps = 0;
};

/// Lanes of a warp do not part inside a block of the graph, so how often each block ran, and with
/// how many lanes, says what its instructions did: two additions a block instead of some for each
/// instruction. Only guarded instructions and accesses to generic addresses count themselves.
class Tally {
 public:
  explicit Tally(const Program& program) : program_(program), visits_(program.blocks.size()) {}

  void visit(std::uint32_t block, std::uint32_t lanes) {
    visits_[block].lanes += lanes;
    ++visits_[block].warps;
  }

  /// The lanes of `mask`, not 0, execute an instruction that costs each of them so much. Inline
  /// everywhere, since callers are compiled for different processors.
  [[gnu::always_inline]] void add(Counter counter, std::uint32_t cost, std::uint32_t mask) {
    if (counter == Counter::none) return;
    counters_[static_cast<std::size_t>(counter)] +=
        std::uint64_t{cost} * static_cast<std::uint32_t>(__builtin_popcount(mask));
    if (counter != Counter::ptx_flops) ++counters_[static_cast<std::size_t>(requests_of(counter))];
  }

  /// All since the last call of take().
  [[nodiscard]] Counters so_far() const;
  /// The same, and begins anew.
  Counters take();
  /// Since then, by block of the graph.
  [[nodiscard]] const std::vector<Visits>& visits() const { return visits_; }

 private:
  const Program& program_;
  std::vector<Visits> visits_;  ///< by block
  Counters counters_{};         ///< of what counts itself
};

}  // namespace warpmark::cpu
