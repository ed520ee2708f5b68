// Which mistakes a launch is searched for.
#pragma once

namespace warpmark::cpu {

/// Accesses outside of memory are always looked for, unless LaunchShape::exact_bounds says not.
struct Checks {
#define CHECK(name, kind, word, places) bool name = false;
#include "warpmark/checks.def"
  bool closely = false;  ///< each access by itself, none by a fast path: to hold those against it
  /// `race`: a copy over what was read needs a proxy fence behind barriers, too.
  bool strict_proxies = false;
  [[nodiscard]] bool any() const {
    bool some = closely;
#define CHECK(name, kind, word, places) some = some || (name);
#include "warpmark/checks.def"
    return some;
  }
  bool operator==(const Checks&) const = default;
};

}  // namespace warpmark::cpu
