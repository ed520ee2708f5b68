// How two benches are compared, by options or by a run configuration.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/bench_comparison.hpp"

namespace warpmark {

struct CompareRequest {
  std::optional<double> min_effect;  ///< percent, of times and of counters
  bool across_devices = false;
  std::vector<std::string> fail_on;
  bool allow_missing = false;  ///< what only the baseline has is meant to be gone

  /// Both throw a usage error for values that mean nothing.
  ComparisonOptions options() const;
  std::set<ChangeVerdict> failing() const;
};

}  // namespace warpmark
