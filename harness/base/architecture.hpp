// The architecture that code is compiled for, and the devices that run such code.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpmark {

/// CUDA C++ Programming Guide, "Feature Set Compiler Targets": code for sm_90 has what all later
/// devices have, too; code for sm_90a also what only that one has, such as wgmma; code for sm_100f
/// what its family (10.x) has.
struct Architecture {
  /// True for numbers of which the compiler knows targets with an `a`: all from 9.0 on.
  static constexpr bool has_own_features(int number) { return number >= 90; }

  /// 90 for compute capability 9.0; 0: none.
  int number = 0;
  /// The last letter of its name: 'a', 'f', or 0 if it has none.
  char suffix = 0;

  // NOLINTNEXTLINE(google-explicit-constructor): a number alone is an architecture
  constexpr Architecture(int of = 0, char last = 0) : number(of), suffix(last) {}

  /// The one that has all that a device of this compute capability (90 for 9.0) can do.
  static Architecture with_own_features(int capability);

  /// "sm_90a".
  std::string name() const;

  /// True if PTX, or machine code, for it runs on a device of this compute capability. PTX is
  /// compiled once more for any later device; machine code serves those of its major version.
  bool ptx_runs_on(int capability) const;
  bool cubin_runs_on(int capability) const;

  friend bool operator==(const Architecture&, const Architecture&) = default;
};

/// Reads a name such as "sm_90a". Throws a usage error at `where` for what is none.
Architecture parse_architecture(std::string_view name, const Position& where = {});

/// "9.0" for 90.
std::string capability_text(int capability);

}  // namespace warpmark
