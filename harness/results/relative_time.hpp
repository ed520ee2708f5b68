// A time over that of a baseline, where both were taken by turns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace warpmark {

/// The time of a kernel relative to that of a baseline. Less is better.
struct RelativeTime {
  double own_s = 0, baseline_s = 0;  ///< medians of the rounds, of one run
  double ratio = 0;                  ///< the median of the rounds' ratios
  double low = 0, high = 0;          ///< its 95 % interval
  int64_t rounds = 0;
  /// Probability that equal times look so different; nothing if the rounds do not say.
  std::optional<double> tail = {};
};

/// The ratio of rounds, in each of which both were timed, one soon after the other. The interval is
/// that of the bootstrap (percentiles of the medians of samples drawn with replacement, Efron 1979),
/// always the same for the same times. There is at least one round, and as many of both.
RelativeTime relative_time(std::span<const double> own_s, std::span<const double> baseline_s);

/// The same of rounds of a benchmark: the mean of the logarithms of their ratios, with the interval
/// and the test of Student's t, so that exchanging the two inverts the ratio. A submission could
/// widen such an interval by a slow round, which the median of `relative_time` does not heed; but a
/// median of ten rounds has no tail that holds for a hundred points. There are two rounds or more,
/// and no time is 0.
RelativeTime mean_relative_time(std::span<const double> own_s, std::span<const double> baseline_s);

}  // namespace warpmark
