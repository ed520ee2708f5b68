// Policies that choose at compile time what the machine observes while it executes. Observations
// that are off cost nothing.
#pragma once

#include <cstdint>

#include "inspect/counters/tally.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

/// The hooks that a policy may override. Handlers call them with constant expressions around, so an
/// empty hook leaves no code.
struct NoObserver {
  /// If true, bounds and alignment are checked against the allocation, to the byte. If false, an
  /// access is still translated and bounded, into the arena as a whole: containment is not a check.
  static constexpr bool exact_bounds = false;
  /// Lanes::observer sees each access.
  static constexpr bool inspects = false;
  /// Called with the lanes for which an instruction's guard holds, at least one.
  static void on_guarded(Lanes&, const Instruction&, std::uint32_t) {}
  /// Called with the lanes whose generic addresses lie in global, local and shared memory.
  template <Traffic Kind>
  static void on_generic(Lanes&, const Instruction&, std::uint32_t, std::uint32_t, std::uint32_t) {}
  /// Called for the accesses of several lanes to a region: contiguous ones of the whole warp, of one
  /// place, in rows, or anywhere. Return false if each lane's has to be told by itself.
  template <Space S, bool Store>
  static constexpr bool contiguous(Lanes&, const Instruction&, const Region&, std::uint64_t,
                                   std::uint32_t) {
    return true;
  }
  template <Space S>
  static constexpr bool broadcast(Lanes&, const Instruction&, const Region&, std::uint64_t,
                                  std::uint32_t, std::uint32_t) {
    return true;
  }
  template <Space S>
  static constexpr bool rows(Lanes&, const Instruction&, const Region&, const std::uint64_t*,
                             std::uint32_t, std::uint32_t) {
    return true;
  }
  template <Space S>
  static constexpr bool store_rows(Lanes&, const Instruction&, const Region&, const std::uint64_t*,
                                   std::uint32_t) {
    return true;
  }
  /// The same for a load of the whole warp from shared memory, in the way that an earlier access of
  /// the basic block has found.
  static constexpr bool again(Lanes&, const Instruction&, const LanePlaces&, std::uint64_t,
                              std::uint32_t) {
    return true;
  }
  template <Space S, bool Store>
  static constexpr bool scattered(Lanes&, const Instruction&, const Region&, const std::uint64_t*,
                                  std::uint32_t, std::uint32_t) {
    return true;
  }
};

/// Exact bounds and alignment of every access.
struct ExactBounds : NoObserver {
  static constexpr bool exact_bounds = true;
};

/// Adds to another policy the counters that visits of control-flow blocks do not give (Tally).
template <typename Base>
struct Counting : Base {
  [[gnu::always_inline]] static void on_guarded(Lanes& w, const Instruction& i,
                                                std::uint32_t lanes) {
    w.tally->add(i.counter, i.cost, lanes);
  }
  template <Traffic Kind>
  [[gnu::always_inline]] static void on_generic(Lanes& w, const Instruction& i,
                                                std::uint32_t global, std::uint32_t local,
                                                std::uint32_t shared) {
    if (global != 0) w.tally->add(bytes_counter(Space::global, Kind), i.cost, global);
    if (local != 0) w.tally->add(bytes_counter(Space::local, Kind), i.cost, local);
    if (shared != 0) w.tally->add(bytes_counter(Space::shared, Kind), i.cost, shared);
  }
};

}  // namespace warpmark::cpu
