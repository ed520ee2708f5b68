#include "runtime/replayed_time.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.hpp"

namespace warpmark {

namespace {

// A replay takes less than this share of an honest run's time, and fewer seconds by a margin. First
// and last runs of 94 cases on an H200 differ by 5 % at most beyond a microsecond, also where the
// first has to bring the code to the device.
constexpr double kShare = 0.8;
// In 26 cases no mean of a batch or graph was more than 0.2 % below single runs.
constexpr double kBatchShare = 0.85;
constexpr double kBatchMargin = 2e-6;
constexpr double kWarmMargin = 2e-6, kColdMargin = 5e-6;
// One first run alone may be late for any reason.
constexpr double kShareOfOne = 0.5;
constexpr double kMarginOfOne = 10e-6;
constexpr size_t kEnoughFirsts = 3;

double median_of(std::vector<double> values) {
  return summarize(std::move(values)).median;
}

bool is_less(double seconds, double honest_s, double share, double margin_s) {
  return seconds < share * honest_s && seconds + margin_s < honest_s;
}

std::optional<ReplayedTime> replayed_firsts(const std::vector<Measurement>& processes) {
  std::vector<double> firsts, lasts, samples;
  bool warm = true;
  for (const Measurement& one : processes) {
    if (one.honest.first_s) firsts.push_back(*one.honest.first_s);
    lasts.insert(lasts.end(), one.honest.last_s.begin(), one.honest.last_s.end());
    warm = warm && one.honest.is_warm;
    for (const TimedSeries& series : one.series) {
      if (series.mode == TimingMode::cold && series.latency_hidden)
        samples.insert(samples.end(), series.seconds.begin(), series.seconds.end());
    }
  }
  if (firsts.empty() || lasts.empty()) return std::nullopt;
  const bool few = firsts.size() < kEnoughFirsts;
  // The least of few is used, so that one that was late for another reason says nothing.
  const double first = few ? *std::ranges::min_element(firsts) : median_of(firsts);
  double last = median_of(std::move(lasts));
  if (!samples.empty()) last = std::min(last, median_of(std::move(samples)));
  const double margin = (warm ? kWarmMargin : kColdMargin) + (few ? kMarginOfOne : 0);
  if (!is_less(last, first, few ? kShareOfOne : kShare, margin)) return std::nullopt;
  return ReplayedTime{TimingMode::cold, last, first, false};
}

std::optional<ReplayedTime> replayed_batch(const std::vector<Measurement>& processes,
                                           TimingMode mode) {
  std::vector<double> means, singles;
  for (const Measurement& process : processes) {
    for (const TimedSeries& series : process.series) {
      if (series.mode != mode || series.seconds.empty() || series.single_seconds.empty()) continue;
      means.push_back(median_of(series.seconds));
      singles.push_back(median_of(series.single_seconds));
    }
  }
  if (means.empty()) return std::nullopt;
  const double mean = median_of(means), single = median_of(singles);
  if (!is_less(mean, single, kBatchShare, kBatchMargin)) return std::nullopt;
  return ReplayedTime{mode, mean, single, true};
}

}  // namespace

std::optional<ReplayedTime> replayed_time(const std::vector<Measurement>& processes) {
  if (auto found = replayed_firsts(processes)) return found;
  for (const TimingMode mode : each_value<TimingMode>()) {
    if (auto found = replayed_batch(processes, mode)) return found;
  }
  return std::nullopt;
}

std::string replayed_text(const ReplayedTime& time, bool restores) {
  const std::string what =
      time.of_batch ? "single runs whose variables and outputs are new"
                    : "the first runs of each process, which find nothing of an earlier one";
  std::string text = fmt::format(
      "{}: a run takes {:.4g} µs, and {:.4g} µs in {}: the kernel answers from what an earlier run "
      "left",
      to_text(time.mode), 1e6 * time.seconds, 1e6 * time.honest_s, what);
  if (time.of_batch && !restores)
    text += ", or its `inout` arrays are easier once it has run (`restore: each` puts them back)";
  return text;
}

}  // namespace warpmark
