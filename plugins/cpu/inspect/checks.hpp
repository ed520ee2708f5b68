// Which mistakes a launch is searched for.
#pragma once

namespace warpmark::cpu {

/// Accesses outside of memory are always looked for, unless LaunchShape::exact_bounds says not.
struct Checks {
  bool init = false;     ///< use of values that were never written
  bool race = false;     ///< unordered accesses to one place
  bool sync = false;     ///< barriers and warp operations that not everybody reaches
  bool closely = false;  ///< each access by itself, none by a fast path: to hold those against it
  [[nodiscard]] bool any() const { return init || race || sync; }
  bool operator==(const Checks&) const = default;
};

}  // namespace warpmark::cpu
