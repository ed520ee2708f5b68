// Policies that choose at compile time what the machine observes while it executes. Observations
// that are off cost nothing.
#pragma once

#include <cstdint>

#include "inspect/tally.hpp"
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
};

/// Exact bounds and alignment of every access.
struct Memcheck : NoObserver {
  static constexpr bool exact_bounds = true;
};

/// Also finds races and undefined values.
struct Inspect : Memcheck {
  static constexpr bool inspects = true;
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
