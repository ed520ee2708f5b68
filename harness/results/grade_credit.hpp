// The parts of an item's credit beside its word: the degree to which it is right, and its
// performance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmark {

/// The degree to which an item is right that is wrong and nothing worse.
struct Degree {
  double share = 0;  ///< from 0 to 1, rounded down to 1/100
  std::string what;  ///< the subject of the share: "`coalesced`", "elements of `out`"
};

/// Rounds `share` for a degree: down to 1/100, so that only all of it is 100 percent. From 0 to 1;
/// 0 if `share` is NaN.
double degree_share(double share);

/// Points for a ratio of at most this.
struct PerformanceStep {
  double ratio = 0;
  double points = 0;
  bool operator==(const PerformanceStep&) const = default;
};

/// A rule that turns a ratio to the baseline, where less is better, into points.
struct PerformanceRule {
  std::vector<std::string> counters;  ///< counters to add up; without any, times on a GPU
  /// All points up to `full`, none from `zero` on, and linear in between, unless there are steps.
  double full = 1, zero = 2;
  std::vector<PerformanceStep> steps;  ///< in the order of ratios, from the least

  bool by_counters() const { return !counters.empty(); }
  /// From 0 to `most`; 0 if the ratio is NaN.
  double points(double ratio, double most) const;
  /// The greatest ratio below this one that gives more, of at most `most` points; without steps the
  /// one that gives all. Nothing if no ratio does.
  std::optional<PerformanceStep> next(double ratio, double most) const;
  bool operator==(const PerformanceRule&) const = default;
};

/// The measurements of an item and of the baseline.
struct Performance {
  double value = 0, baseline = 0;  ///< counts, or seconds
  /// The ratio of the item to the baseline, which makes the points. For times it is the lower end
  /// of the interval.
  double ratio = 0;
  // For times only, else 0: the median of the rounds' ratios, its interval, and the number of
  // rounds.
  double median = 0, low = 0, high = 0;
  uint64_t rounds = 0;
};

/// The ratio of two counts: 1 if both are 0, infinite if only the baseline's is.
double count_ratio(double value, double baseline);

}  // namespace warpmark
