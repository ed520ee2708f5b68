#include "results/time_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/comparable_times.hpp"

namespace warpmark {

std::pair<BenchSeries, BenchSeries> aligned(BenchSeries before,
                                            const std::optional<Ceilings>& ceilings_before,
                                            BenchSeries after,
                                            const std::optional<Ceilings>& ceilings_after,
                                            size_t launches) {
  const bool then = has_overheads(before), now = has_overheads(after);
  if (then && now && ceilings_before && ceilings_after) {
    shift_launches(after, launches, ceilings_before->launch_s - ceilings_after->launch_s);
  } else if (then != now) {
    put_back_overheads(then ? before : after);
  }
  return {std::move(before), std::move(after)};
}

void judge_ratio(ComparedPoint& point, const RatioOfTimes& ratio, double effect) {
  point.ratio = ratio;
  point.tail = ratio.tail;
  const bool is_same = !is_down(ratio.low, effect) && !is_up(ratio.high, effect);
  point.verdict = is_same ? ChangeVerdict::same : ChangeVerdict::inconclusive;
}

void compare_times(ComparedPoint& point, const BenchSeries& before, const BenchSeries& after,
                   double effect) {
  const RatioOfTimes ratio = ratio_of_times(after, before);
  judge_ratio(point, ratio, effect);
  if (!is_known(before) || !is_known(after)) {
    point.verdict = ChangeVerdict::inconclusive;
    point.tail.reset();
    point.reason = fmt::format("too few samples for an interval: {} and {}", before.summary.count,
                               after.summary.count);
    return;
  }
  if (point.verdict == ChangeVerdict::same) return;
  if (is_up(ratio.value, effect) || is_down(ratio.value, effect))
    point.reason = explained_by_clock(mean_clock(before), mean_clock(after), ratio.value, effect);
  if (!point.reason.empty()) {
    point.tail.reset();
  } else if (std::min(before.processes.size(), after.processes.size()) <= 1) {
    point.reason = "times of one process";
  }
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

}  // namespace warpmark
