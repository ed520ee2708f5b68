#include "grade/grader/item_performance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/turns.hpp"
#include "grade/feedback/item_verdict.hpp"
#include "results/relative_time.hpp"

namespace warpmark {

namespace {

constexpr const char* kNotTimed = "it could not be timed; the course's staff have to look at it";

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

// A student gets the doubt: the lower end counts.
Performance performance_by_time(const RelativeTime& time) {
  Performance measured;
  measured.value = time.own_s;
  measured.baseline = time.baseline_s;
  measured.ratio = measured.low = time.low;
  measured.median = time.ratio;
  measured.high = time.high;
  measured.rounds = static_cast<uint64_t>(time.rounds);
  return measured;
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

TimedItem time_by_turns(RoundTimer& timer, uint64_t rounds) {
  constexpr size_t kSubmission = 1;  // the baseline, party 0, begins
  std::vector<double> own_s, baseline_s;
  std::optional<TimedItem> ended;
  take_turns(
      rounds, 2, [](auto&) {},
      [&](uint64_t, size_t party) {
        const bool is_submission = party == kSubmission;
        const TimedRun run = is_submission ? timer.submission() : timer.baseline();
        ended = end_of(run, is_submission);
        if (!ended) (is_submission ? own_s : baseline_s).push_back(run.seconds);
        return !ended;
      });
  if (ended) return std::move(*ended);
  TimedItem item;
  item.performance = performance_by_time(relative_time(own_s, baseline_s));
  return item;
}

}  // namespace warpmark
