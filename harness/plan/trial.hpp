// A trial of what a plugin takes for granted of a case: a plan, and which of its buffers must agree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "plan/plugin_loader.hpp"

namespace warpmark {

/// A buffer, and what its elements are called.
struct TrialValue {
  std::string text;  ///< "(a∘b)∘c"
  std::string buffer;
  friend bool operator==(const TrialValue&, const TrialValue&) = default;
};

/// That `left` and `right` agree in each element; floats but for rounding.
struct Claim {
  std::string broken;  ///< what is wrong if they do not: "`a - b` is not associative"
  std::string hint;
  std::string at;  ///< JSON Pointer into the case
  TrialValue left, right;
  std::vector<TrialValue> operands;  ///< what both are made of
  /// Buffers of what was computed on the way from finite operands. If it left the range of floats,
  /// an element tells nothing.
  std::vector<std::string> between;
};

/// A plan that expects nothing, and its claims.
struct PlannedTrial {
  PlannedCase planned;
  std::vector<Claim> claims;
};

/// Asks the suite's plugin for a trial of a case; nothing if there is nothing to try. Throws usage
/// errors, as make_plan does.
std::optional<PlannedTrial> make_trial(const Case& which, PluginLoader& plugins);

}  // namespace warpmark
