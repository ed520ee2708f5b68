// A time over that of a baseline, where both were taken by turns.
#pragma once

#include <cstdint>
#include <span>

namespace warpmark {

/// The time of a kernel relative to that of a baseline. Less is better.
struct RelativeTime {
  double own_s = 0, baseline_s = 0;  ///< medians of the rounds, of one run
  double ratio = 0;                  ///< the median of the rounds' ratios
  double low = 0, high = 0;          ///< its 95 % interval
  int64_t rounds = 0;
};

/// The ratio of rounds, in each of which both were timed, one soon after the other. The interval is
/// that of the bootstrap (percentiles of the medians of samples drawn with replacement, Efron 1979),
/// always the same for the same times. There is at least one round, and as many of both.
RelativeTime relative_time(std::span<const double> own_s, std::span<const double> baseline_s);

}  // namespace warpmark
