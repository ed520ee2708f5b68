// What the machine observes while it executes, chosen at compile time: what is off costs nothing.
#pragma once

#include <cstdint>

#include "inspect/tally.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

/// The hooks that a policy may override. Handlers call them with constant expressions around, so an
/// empty hook leaves no code.
struct NoObserver {
  /// Bounds and alignment are those of the allocation, to the byte. If false an access is still
  /// translated and bounded, into the arena as a whole: containment is not a check.
  static constexpr bool exact_bounds = false;
  /// Lanes::observer sees each access.
  static constexpr bool inspects = false;
  /// The guard of an instruction holds for these lanes, not none.
  static void on_guarded(Lanes&, const Instruction&, std::uint32_t) {}
  /// These lanes' generic addresses lie in global, local and shared memory.
  template <Traffic Kind>
  static void on_generic(Lanes&, const Instruction&, std::uint32_t, std::uint32_t, std::uint32_t) {}
};

/// Exact bounds and alignment of every access.
struct Memcheck : NoObserver {
  static constexpr bool exact_bounds = true;
};

/// … and races and undefined values.
struct Inspect : Memcheck {
  static constexpr bool inspects = true;
};

/// What the blocks of the graph do not say about counters (Tally), besides another policy.
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
