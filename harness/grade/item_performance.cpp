#include "grade/item_performance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <utility>

#include "grade/item_verdict.hpp"

namespace warpmark {

namespace {

constexpr const char* kNotTimed = "it could not be timed; the course's staff have to look at it";

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Percentiles of the medians of samples drawn with replacement (Efron 1979).
std::pair<double, double> bootstrap_interval(const std::vector<double>& values) {
  constexpr size_t kSamples = 4000;
  constexpr double kTail = 0.025;
  std::mt19937_64 draw(0x7761'7270);  // fixed: the same times have the same interval
  std::vector<double> medians, sample(values.size());
  for (size_t i = 0; i < kSamples; ++i) {
    // Not by a distribution of the library's, each of which draws as it likes.
    for (double& one : sample) one = values[draw() % values.size()];
    medians.push_back(median_of(sample));
  }
  std::sort(medians.begin(), medians.end());
  const auto at = [&](double share) {
    return medians[static_cast<size_t>(share * static_cast<double>(kSamples - 1))];
  };
  return {at(kTail), at(1 - kTail)};
}

double sum_of(const PerformanceRule& rule, const CounterSums& sums) {
  double all = 0;
  for (const std::string& name : rule.counters) {
    all += static_cast<double>(named_count(sums, name));
  }
  return all;
}

bool is_time(double seconds) {
  return std::isfinite(seconds) && seconds > 0;
}

// Why it ends the timing; the run is that of the submission, or of the baseline.
std::optional<TimedItem> end_of(const TimedRun& run, bool is_submission) {
  const std::string who = is_submission ? "the submission" : "the baseline";
  TimedItem item;
  item.open = kNotTimed;
  // A reference that raises is not the submission's, nor is a lost device.
  const bool blames = is_submission && run.outcome.verdict == Verdict::failed &&
                      judge_item(run.outcome).blame == Blame::submission;
  if (blames) {
    item.open.clear();
    item.failed = run.outcome;
  } else if (run.outcome.verdict != Verdict::passed) {
    item.staff = who + " could not be timed: " +
                 (run.outcome.message.empty() ? run.outcome.reason : run.outcome.message);
  } else if (!run.impossible.empty()) {
    item.staff = "a time of " + who + " that the device cannot reach: " + run.impossible;
  } else if (!is_time(run.seconds)) {
    item.staff = who + " has no time";
  } else {
    return std::nullopt;
  }
  return item;
}

}  // namespace

void note_counts(const PerformanceRule& rule, const CountedRuns& counted,
                 std::optional<Performance>& worst) {
  Performance now;
  now.value = sum_of(rule, counted.own);
  now.baseline = sum_of(rule, counted.baseline);
  // No device counts less than nothing: who made it say so gets no points for it.
  const bool counts = now.value >= 0 && now.baseline >= 0;
  now.ratio =
      counts ? count_ratio(now.value, now.baseline) : std::numeric_limits<double>::infinity();
  now.value = std::max(0.0, now.value);
  now.baseline = std::max(0.0, now.baseline);
  if (!worst || now.ratio > worst->ratio) worst = now;
}

Performance ratio_of_rounds(const std::vector<double>& own_s,
                            const std::vector<double>& baseline_s) {
  std::vector<double> ratios;
  for (size_t i = 0; i < own_s.size(); ++i) ratios.push_back(own_s[i] / baseline_s[i]);
  Performance measured;
  measured.value = median_of(own_s);
  measured.baseline = median_of(baseline_s);
  measured.median = median_of(ratios);
  std::tie(measured.low, measured.high) = bootstrap_interval(ratios);
  measured.ratio = measured.low;
  measured.rounds = ratios.size();
  return measured;
}

TimedItem time_by_turns(RoundTimer& timer, uint64_t rounds) {
  std::vector<double> own_s, baseline_s;
  for (uint64_t round = 0; round < rounds; ++round) {
    for (const bool first : {true, false}) {
      const bool is_submission = first == (round % 2 == 1);
      const TimedRun run = is_submission ? timer.submission() : timer.baseline();
      if (auto end = end_of(run, is_submission)) return std::move(*end);
      (is_submission ? own_s : baseline_s).push_back(run.seconds);
    }
  }
  TimedItem item;
  item.performance = ratio_of_rounds(own_s, baseline_s);
  return item;
}

}  // namespace warpmark
