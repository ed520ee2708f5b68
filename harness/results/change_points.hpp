// Where a series of times changed: the steps between its values, and a drift that no step explains.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "results/comparable_times.hpp"

namespace warpmark {

/// The values before and from `at` on differ, as far as the next steps on either side.
struct ChangePoint {
  size_t at = 0;       ///< index of the first value after it, 1 or more
  RatioOfTimes ratio;  ///< of those after it to those before it; its tail adjusted by Holm's method
};

struct SeriesChanges {
  std::vector<ChangePoint> steps;     ///< in order
  std::optional<RatioOfTimes> drift;  ///< of the last value to the first; then there are no steps
};

struct ChangeOptions {
  double least_effect = 0.02;
  /// The level of the tests of all series together: how often at most they find anything if nothing
  /// changed, as far as the series show how much runs vary.
  double false_alarms = 0.05;
};

/// Finds the steps of each series; a series has its values in the order of time.
///
/// Few values with known errors need another method than the many without that change point detection
/// is mostly made for. Three steps:
///
/// 1. The best segmentation, exactly, by dynamic programming (Jackson et al., IEEE Signal Processing
///    Letters 12, 2005; PELT prunes the same search): least sum of squared deviations from the mean of
///    each segment, in units of the values' variances, plus 3 log(n) for each step (Zhang and Siegmund,
///    Biometrics 63, 2007). Binary segmentation would miss what goes up and comes back.
/// 2. Student's t between the segments on both sides of each step, as Hunter does in place of
///    permutations (Fleming et al., ICPE 2023), which need many values. Each place between two values of
///    each series is a test, and each drift; Holm's method adjusts for all. A step that is not sure or
///    below least_effect is taken out, the least sure one of a series first, and its neighbours are
///    placed and tested anew.
/// 3. A straight line instead, if it fits better than the steps for what each costs.
///
/// The variance of a value is that between the processes of its run. Runs of one series share it (by
/// an F test, those that vary more keep their own), so that a single run may be a segment. What the
/// values deviate from their segments beyond that is variation between runs, which a single run cannot
/// know: it widens all (Birge, Physical Review 40, 1932) where an F test shows any, or where most of
/// eight series or more vary so. Few runs hardly show it, and three of one series do not: a history of
/// these has as many false alarms as comparing them has. With two values this is Welch's test of ratio_of_times().
std::vector<SeriesChanges> find_changes(const std::vector<std::vector<LogTime>>& series,
                                        const ChangeOptions& options = {});

}  // namespace warpmark
