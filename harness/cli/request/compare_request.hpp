// The settings for comparing two benches, from options or a run configuration.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "report/comparison/comparison_report.hpp"
#include "report/problems/problem_files.hpp"
#include "results/bench_comparison.hpp"

namespace warpmark {

struct CompareRequest {
  std::optional<double> min_effect;            ///< percent, for times and counters
  std::vector<CounterEffect> counter_effects;  ///< for some counters; shares, not percent
  bool across_devices = false;
  std::vector<std::string> fail_on;
  bool allow_missing = false;  ///< cases that only the baseline has were removed on purpose

  /// Replaces the effects: "5" for all, "atomic=2" for counters, or both separated by a comma.
  /// `what` is the option's name in errors, "--min-effect". Throws a usage error for an invalid
  /// percentage, and for a name that no counter has.
  void read_min_effects(const std::vector<Located>& words, const std::string& what);

  ComparisonOptions options() const;
  /// Verdicts that pass unless `fail_on` has them.
  static std::vector<std::string> may_fail();
  /// Throws a usage error for unknown words.
  std::set<ChangeVerdict> failing() const;
  /// The input of a report of such a comparison; refers to all three arguments.
  ComparedBenches compared(const BenchResult& baseline, const BenchResult& contender,
                           const BenchComparison& comparison) const;
};

/// Failed changes: at the source line that grew most, if it is known, all cases of the line
/// together; else at the place of its suite, by the suite's name, else at its record.
std::vector<Problem> changes_as_problems(const ComparedBenches& compared,
                                         const std::map<std::string, Position>& places = {});
/// The cases of a run that failed by themselves, at the places of their suites.
std::vector<Problem> failures_as_problems(const BenchResult& run,
                                          const std::map<std::string, Position>& places = {});
/// The command of a comparison.
ProblemRun run_of(const ComparedBenches& compared);

}  // namespace warpmark
