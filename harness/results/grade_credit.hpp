// What counts of an item beside its word: to what degree it is right, and how well it performs.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "results/record_field.hpp"

namespace warpmark {

/// Of an item that is wrong and nothing worse: how much of it is as the case asks.
struct Degree {
  double share = 0;  ///< from 0 to 1, rounded down to 1/100
  std::string what;  ///< what has it: "`coalesced`", "elements of `out`"
};

/// `share` as a degree has it: rounded down to 1/100, so that nothing is a hundred percent that is
/// not all of it. From 0 to 1; 0 of what is no number.
double degree_share(double share);

/// Points for a ratio of at most this.
struct PerformanceStep {
  double ratio = 0;
  double points = 0;
  bool operator==(const PerformanceStep&) const = default;
};

/// How a ratio to the baseline, of which less is better, makes points.
struct PerformanceRule {
  std::vector<std::string> counters;  ///< added up; none: times on a GPU
  /// All points up to `full`, none from `zero` on, and in a straight line between; unless there are
  /// steps.
  double full = 1, zero = 2;
  std::vector<PerformanceStep> steps;  ///< by ratio, from the least

  bool by_counters() const { return !counters.empty(); }
  /// From 0 to `most`; 0 for what is no number.
  double points(double ratio, double most) const;
  bool operator==(const PerformanceRule&) const = default;
};

/// What was measured of an item and of the baseline.
struct Performance {
  double value = 0, baseline = 0;  ///< counts, or seconds
  /// Of the one to the other: what counts. Of times it is the lower end of the interval.
  double ratio = 0;
  // Of times alone, else 0: the median of the rounds' ratios, its interval, and how many there were.
  double median = 0, low = 0, high = 0;
  uint64_t rounds = 0;
};

/// The ratio of two counts: 1 where both are 0, infinite where only the baseline's is.
double count_ratio(double value, double baseline);

nlohmann::ordered_json to_json(const Degree& degree);
nlohmann::ordered_json to_json(const PerformanceRule& rule);
nlohmann::ordered_json to_json(const Performance& performance);
Degree degree_of(const RecordField& record);
PerformanceRule performance_rule_of(const RecordField& record);
Performance performance_of(const RecordField& record);

}  // namespace warpmark
