// What the machine observes while it executes, chosen at compile time: what is off costs nothing.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

struct Lanes;
struct Instruction;

/// The hooks that a policy may override. Handlers call them with constant expressions around, so an
/// empty hook leaves no code. Further checkers (initialisation, races, barriers) are further
/// policies; a combination is a struct that inherits from several and calls each.
struct NoObserver {
  /// Bounds and alignment are those of the allocation, to the byte. If false an access is still
  /// translated and bounded, into the arena as a whole: containment is not a check.
  static constexpr bool exact_bounds = false;
  /// `lanes` have loaded or stored `bytes` each at `addresses` (device addresses or offsets).
  static void on_load(Lanes&, const Instruction&, std::uint32_t, const std::uint64_t*,
                      std::uint32_t) {}
  static void on_store(Lanes&, const Instruction&, std::uint32_t, const std::uint64_t*,
                       std::uint32_t) {}
};

/// Exact bounds and alignment of every access.
struct Memcheck : NoObserver {
  static constexpr bool exact_bounds = true;
};

}  // namespace warpmark::cpu
