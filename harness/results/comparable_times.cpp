#include "results/comparable_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace warpmark {

namespace {

// The confidence of the intervals that verdicts rely on.
constexpr double kConfidence = 0.95;

// The deviation of one process's times from those of others, as measured on an H200 over 24
// processes and 14 kernels of 2 to 500 µs.
constexpr double kSpreadSeconds = 0.2e-6;
constexpr double kSpreadShare = 0.001;
constexpr double kEventStep = 32e-9;  // step of the times between events on an H100 and an H200

double square(double x) {
  return x * x;
}

// Adds to each time the `seconds` of its process, as long as the time stays positive.
void lengthen(BenchSeries& series, const std::function<double(const BenchProcess&)>& seconds) {
  if (series.processes.empty()) return;
  BenchSeries longer = series;
  std::vector<double> medians;
  for (BenchProcess& process : longer.processes) {
    medians.push_back(process.median_s += seconds(process));
    if (medians.back() <= 0) return;
  }
  const Mean mean = mean_of(medians);
  Summary& summary = longer.summary;
  const double more = mean.value - summary.median;
  summary.median = mean.value;
  for (double* time : {&summary.interval.low, &summary.interval.high, &summary.q1, &summary.q3,
                       &summary.min, &summary.max})
    *time = std::max(0.0, *time + more);
  if (medians.size() > 1) {
    summary.interval = mean.interval();
    summary.interval.low = std::max(0.0, summary.interval.low);
  }
  series = std::move(longer);
}

}  // namespace

LogTime log_time(const BenchSeries& series) {
  const double time = series.summary.median;
  if (series.processes.size() > 1) {
    std::vector<double> logs;
    for (const BenchProcess& process : series.processes) logs.push_back(std::log(process.median_s));
    const Mean mean = mean_of(logs);
    // Medians are equal only because of the clock's steps.
    const double step = kEventStep / static_cast<double>(series.batch) / time;
    return {std::log(time),
            square(mean.error) + square(step) / 12 / static_cast<double>(logs.size()),
            mean.freedom};
  }
  constexpr double kMany = 1e6;  // degrees of freedom of a known variance
  const double within = (series.summary.interval.high - series.summary.interval.low) / time / 4;
  return {std::log(time), square(kSpreadSeconds / time) + square(kSpreadShare) + square(within),
          kMany};
}

bool has_overheads(const BenchSeries& series) {
  return !series.processes.empty() &&
         std::ranges::all_of(series.processes, [](const BenchProcess& process) {
           return process.overhead_s.has_value();
         });
}

void shift_launches(BenchSeries& series, size_t launches, double seconds) {
  const double each = seconds * launches_within(series.mode, series.batch, launches);
  lengthen(series, [each](const BenchProcess&) { return each; });
}

void put_back_overheads(BenchSeries& series) {
  lengthen(series, [](const BenchProcess& process) { return process.overhead_s.value_or(0); });
  for (BenchProcess& process : series.processes) process.overhead_s.reset();
}

bool is_known(const BenchSeries& series) {
  return series.processes.size() > 1 || series.summary.interval.confidence >= kConfidence;
}

std::optional<double> mean_clock(const BenchSeries& series) {
  double sum = 0;
  for (const BenchProcess& process : series.processes) {
    if (!process.clock_mhz) return std::nullopt;
    sum += *process.clock_mhz;
  }
  if (series.processes.empty()) return std::nullopt;
  return sum / static_cast<double>(series.processes.size());
}

std::string changed_clock(const BenchSeries& series) {
  constexpr double kChange = 0.03;  // the clocks that are read differ by less (seen on an H100)
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const BenchProcess& process : series.processes) {
    if (!process.clock_mhz) return "";
    const double change = process.clock_change.value_or(1);
    const double before = 2 * *process.clock_mhz / (1 + change);
    low = std::min({low, before, before * change});
    high = std::max({high, before, before * change});
  }
  if (!(high > low * (1 + kChange))) return "";
  return fmt::format("the SM clock was {:.0f} to {:.0f} MHz", low, high);
}

std::string explained_by_clock(std::optional<double> clock, std::optional<double> clock_now,
                               double ratio, double effect) {
  if (!clock || !clock_now) return "";
  const double in_cycles = ratio * *clock_now / *clock;
  if (is_up(in_cycles, effect) || is_down(in_cycles, effect)) return "";
  return fmt::format("the SM clock was {:.0f} and {:.0f} MHz, and in cycles it is the same", *clock,
                     *clock_now);
}

RatioOfTimes ratio_of(const LogTime& after, const LogTime& before) {
  const double difference = after.value - before.value;
  const double variance = after.variance + before.variance;
  RatioOfTimes ratio;
  ratio.value = std::exp(difference);
  ratio.low = ratio.high = ratio.value;
  ratio.tail = difference == 0 ? 1 : 0;
  if (!(variance > 0)) return ratio;
  // Welch and Satterthwaite.
  const double freedom = square(variance) / (square(after.variance) / after.freedom +
                                             square(before.variance) / before.freedom);
  const double error = std::sqrt(variance);
  const double half = student_quantile(1 - kConfidence, freedom) * error;
  ratio.low = std::exp(difference - half);
  ratio.high = std::exp(difference + half);
  ratio.tail = student_tail(difference / error, freedom);
  return ratio;
}

RatioOfTimes ratio_of_times(const BenchSeries& contender, const BenchSeries& baseline) {
  return ratio_of(log_time(contender), log_time(baseline));
}

}  // namespace warpmark
