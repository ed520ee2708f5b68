// Times of different runs as they are compared: their logarithms, variances and ratios.
#pragma once

#include <optional>
#include <string>

#include "results/bench_result.hpp"
#include "results/least_effect.hpp"

namespace warpmark {

/// The logarithm of a time, with its variance and the variance's degrees of freedom.
struct LogTime {
  double value = 0, variance = 0, freedom = 0;
};
LogTime log_time(const BenchSeries& series);

/// A ratio of contender to baseline: 1.05 takes 5 % longer.
struct Ratio {
  double value = 1;
  double low = 1, high = 1;  ///< ends of its interval
};

/// The ratio of two times, and how sure it is that they differ. Times of several processes have the
/// variance of their medians, those of one process a known variance (kSpread…, measured on an H200
/// in 24 processes). The test is Welch's (Biometrika 34, 1947) on the logarithms, so that
/// exchanging the two inverts the ratio.
struct RatioOfTimes : Ratio {
  double tail = 1;  ///< probability that equal times look so different
};
RatioOfTimes ratio_of(const LogTime& after, const LogTime& before);
RatioOfTimes ratio_of_times(const BenchSeries& contender, const BenchSeries& baseline);

/// True if the series has enough samples for an interval of 95 %.
bool is_known(const BenchSeries& series);

/// True if an empty kernel was timed beside the samples of each process.
bool has_overheads(const BenchSeries& series);
/// Changes the times as if an empty kernel took `seconds` more (launches_within), as long as they
/// stay positive.
void shift_launches(BenchSeries& series, size_t launches, double seconds);
/// Restores the times as if no empty kernel had been timed.
void put_back_overheads(BenchSeries& series);

/// The mean clock of a multiprocessor, in MHz; nothing if a process does not know it.
std::optional<double> mean_clock(const BenchSeries& series);
/// "the SM clock was 1005 to 1980 MHz" for a series whose processes saw clocks that differ by 3 %
/// or more, within one process or between two; else "". Such times are like those of several
/// devices.
std::string changed_clock(const BenchSeries& series);
/// "the SM clock was …" if the times are within the least effect in cycles, else "".
std::string explained_by_clock(std::optional<double> clock, std::optional<double> clock_now,
                               double ratio, double effect);

}  // namespace warpmark
