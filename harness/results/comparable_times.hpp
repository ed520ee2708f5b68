// Times of different runs as they are compared: their logarithms, variances and ratios.
#pragma once

#include <optional>
#include <string>

#include "results/bench_result.hpp"
#include "results/least_effect.hpp"

namespace warpmark {

/// The logarithm of a time, with its variance and the degrees of freedom of that.
struct LogTime {
  double value = 0, variance = 0, freedom = 0;
};
LogTime log_time(const BenchSeries& series);

/// A ratio of contender to baseline: 1.05 takes 5 % longer.
struct Ratio {
  double value = 1;
  double low = 1, high = 1;  ///< of its interval
};

/// The ratio of two times, and how sure it is that they differ. Times of several processes vary as
/// their medians do, those of one process as is known of processes (kSpread…, measured on an H200 in
/// 24 of them). The test is Welch's (Biometrika 34, 1947) on the logarithms, so that exchanging the
/// two inverts the ratio.
struct RatioOfTimes : Ratio {
  double tail = 1;  ///< how likely times that do not differ look so different
};
RatioOfTimes ratio_of(const LogTime& after, const LogTime& before);
RatioOfTimes ratio_of_times(const BenchSeries& contender, const BenchSeries& baseline);

/// Whether the series has the samples for an interval of 95 %.
bool is_known(const BenchSeries& series);

/// Whether an empty kernel was timed beside the samples of each process.
bool has_overheads(const BenchSeries& series);
/// As if an empty kernel took `seconds` more (launches_within), as long as that leaves any time.
void shift_launches(BenchSeries& series, size_t launches, double seconds);
/// The times as if no empty kernel had been timed.
void put_back_overheads(BenchSeries& series);

/// Of a multiprocessor, in MHz; nothing if a process does not know it.
std::optional<double> mean_clock(const BenchSeries& series);
/// "the SM clock was 1005 to 1980 MHz" of a series whose processes saw one that differs by 3 % or
/// more, within one or from one to another; else "". Its times are those of several devices.
std::string changed_clock(const BenchSeries& series);
/// "the SM clock was …" if the times are within the least effect in cycles, else "".
std::string explained_by_clock(std::optional<double> clock, std::optional<double> clock_now,
                               double ratio, double effect);

}  // namespace warpmark
