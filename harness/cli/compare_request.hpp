// How two benches are compared, by options or by a run configuration.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "report/comparison_report.hpp"
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
  /// What is reported of such a comparison; refers to all three.
  ComparedBenches compared(const BenchResult& baseline, const BenchResult& contender,
                           const BenchComparison& comparison) const;
};

/// Annotates what fails: at the place of its suite, by the suite's name, else at its record.
void annotate_changes(const ComparedBenches& compared,
                      const std::map<std::string, Position>& places = {});

}  // namespace warpmark
