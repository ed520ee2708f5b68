#include "results/time_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "results/least_effect.hpp"

namespace warpmark {

namespace {

// What an interval must hold with for a verdict to stand on it.
constexpr double kConfidence = 0.95;

double square(double x) {
  return x * x;
}

// How the times of one process deviate from those of others: what an H200 showed over 24 processes
// and 14 kernels of 2 to 500 µs.
constexpr double kSpreadSeconds = 0.2e-6;
constexpr double kSpreadShare = 0.001;
constexpr double kEventStep = 32e-9;  // of the times between events on an H100 and an H200

// The logarithm of a time, with its variance.
struct LogTime {
  double value = 0, variance = 0, freedom = 0;
};

LogTime log_time(const BenchSeries& series) {
  const double time = series.summary.median;
  if (series.processes.size() > 1) {
    std::vector<double> logs;
    for (const BenchProcess& process : series.processes) logs.push_back(std::log(process.median_s));
    const Mean mean = mean_of(logs);
    // Medians that are equal are so by the steps of the clock.
    const double step = kEventStep / static_cast<double>(series.batch) / time;
    return {std::log(time),
            square(mean.error) + square(step) / 12 / static_cast<double>(logs.size()),
            mean.freedom};
  }
  constexpr double kMany = 1e6;  // degrees of freedom of what is known
  const double within = (series.summary.interval.high - series.summary.interval.low) / time / 4;
  return {std::log(time), square(kSpreadSeconds / time) + square(kSpreadShare) + square(within),
          kMany};
}

bool has_overheads(const BenchSeries& series) {
  return !series.processes.empty() &&
         std::all_of(series.processes.begin(), series.processes.end(),
                     [](const BenchProcess& process) { return process.overhead_s.has_value(); });
}

// Each time is longer by what `seconds` says of its process, as long as that leaves any.
void lengthen(BenchSeries& series, const std::function<double(const BenchProcess&)>& seconds) {
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

// In cycles the times are within the least effect: "the SM clock was …", or "".
std::string explained_by_clock(const BenchSeries& before, const BenchSeries& after, double ratio,
                               double effect) {
  const auto clock = mean_clock(before), clock_now = mean_clock(after);
  if (!clock || !clock_now) return "";
  const double in_cycles = ratio * *clock_now / *clock;
  if (is_up(in_cycles, effect) || is_down(in_cycles, effect)) return "";
  return fmt::format("the SM clock was {:.0f} and {:.0f} MHz, and in cycles it is the same", *clock,
                     *clock_now);
}

}  // namespace

std::pair<BenchSeries, BenchSeries> aligned(BenchSeries before,
                                            const std::optional<Ceilings>& ceilings_before,
                                            BenchSeries after,
                                            const std::optional<Ceilings>& ceilings_after,
                                            size_t launches) {
  const bool then = has_overheads(before), now = has_overheads(after);
  if (then && now && ceilings_before && ceilings_after) {
    const double more = ceilings_before->launch_s - ceilings_after->launch_s;
    const double each = more * launches_within(after.cache, after.batch, launches);
    lengthen(after, [each](const BenchProcess&) { return each; });
  } else if (then != now) {
    lengthen(then ? before : after,
             [](const BenchProcess& process) { return process.overhead_s.value_or(0); });
  }
  return {std::move(before), std::move(after)};
}

void compare_times(ComparedPoint& point, const BenchSeries& before, const BenchSeries& after,
                   double effect) {
  const RatioOfTimes ratio = ratio_of_times(after, before);
  point.ratio = ratio;
  point.verdict = ChangeVerdict::inconclusive;
  if (!is_known(before) || !is_known(after)) {
    point.reason = fmt::format("too few samples for an interval: {} and {}", before.summary.count,
                               after.summary.count);
    return;
  }
  if (!is_down(ratio.low, effect) && !is_up(ratio.high, effect)) {
    point.verdict = ChangeVerdict::same;
  } else if (is_up(ratio.value, effect) || is_down(ratio.value, effect)) {
    point.reason = explained_by_clock(before, after, ratio.value, effect);
  }
  if (point.reason.empty()) point.tail = ratio.tail;
  if (point.verdict == ChangeVerdict::inconclusive && point.reason.empty() &&
      std::min(before.processes.size(), after.processes.size()) <= 1)
    point.reason = "times of one process";
}

void judge_times(std::vector<ComparedPoint>& points, const ComparisonOptions& options,
                 std::vector<ComparisonNote>& notes) {
  std::vector<double> tails;
  for (const ComparedPoint& point : points) {
    if (point.tail) tails.push_back(*point.tail);
  }
  if (!tails.empty()) {
    notes.push_back(
        {false, fmt::format("Holm's correction for {} points: a false alarm among them has a "
                            "chance of {:.3g} % at most",
                            tails.size(), 100 * options.false_alarms)});
  }
  const std::vector<double> adjusted = holm(tails);
  auto next = adjusted.begin();
  for (ComparedPoint& point : points) {
    if (!point.tail) continue;
    point.tail = *next++;
    if (point.verdict == ChangeVerdict::same || *point.tail > options.false_alarms) continue;
    const double ratio = point.ratio->value;
    const bool up = is_up(ratio, options.least_effect);
    if (!up && !is_down(ratio, options.least_effect)) continue;
    point.verdict = up ? ChangeVerdict::slower : ChangeVerdict::faster;
    point.reason.clear();
  }
}

RatioOfTimes ratio_of_times(const BenchSeries& contender, const BenchSeries& baseline) {
  const LogTime after = log_time(contender), before = log_time(baseline);
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

}  // namespace warpmark
