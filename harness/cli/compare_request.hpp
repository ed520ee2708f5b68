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
  std::optional<double> min_effect;            ///< percent, of times and of counters
  std::vector<CounterEffect> counter_effects;  ///< of some counters; not percent
  bool across_devices = false;
  std::vector<std::string> fail_on;
  bool allow_missing = false;  ///< what only the baseline has is meant to be gone

  /// Takes the place of what was there: "5" for all, "atomic=2" for counters, or both with a comma
  /// between. `what` is how errors call it, "--min-effect". Throws a usage error for what is no
  /// percentage, and for a name that no counter has.
  void read_min_effects(const std::vector<Located>& words, const std::string& what);

  ComparisonOptions options() const;
  /// Throws a usage error for words that mean nothing.
  std::set<ChangeVerdict> failing() const;
  /// What is reported of such a comparison; refers to all three.
  ComparedBenches compared(const BenchResult& baseline, const BenchResult& contender,
                           const BenchComparison& comparison) const;
};

/// Annotates what fails: at the line of the source that grew most, where that is known, all cases of
/// the line together; else at the place of its suite, by the suite's name, else at its record.
void annotate_changes(const ComparedBenches& compared,
                      const std::map<std::string, Position>& places = {});

}  // namespace warpmark
