#include "results/turns_comparison.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "results/count_comparison.hpp"
#include "results/time_comparison.hpp"

namespace warpmark {

namespace {

Summary summary_of(const BenchSeries& series, double seconds) {
  Summary summary = series.summary;
  summary.median = summary.interval.low = summary.interval.high = seconds;
  return summary;
}

BenchCase other_side(const BenchCase& one) {
  BenchCase other = one;
  other.counters = one.against_counters;
  other.lines.clear();
  std::erase_if(other.series, [](const BenchSeries& series) { return !series.relative; });
  for (BenchSeries& series : other.series)
    series.summary = summary_of(series, series.relative->baseline_s);
  return other;
}

ComparedPoint point_of(const BenchCase& one) {
  ComparedPoint point;
  point.suite = one.suite;
  point.id = one.id;
  point.sources_differ = true;  // that is why they took turns
  return point;
}

void add_points(const BenchCase& one, const ComparisonOptions& options, BenchComparison& into) {
  ComparedPoint point = point_of(one);
  if (!one.not_held.empty()) {
    point.verdict = one.against.empty() ? ChangeVerdict::added : ChangeVerdict::lost;
    point.reason = one.not_held;
    into.points.push_back(std::move(point));
    return;
  }
  if (!one.against_counters.empty()) {
    judge_counters(point, other_side(one), one, options);
    into.counted = true;
    into.points.push_back(std::move(point));
    return;
  }
  for (const BenchSeries& series : one.series) {
    if (!series.relative) continue;
    const RelativeTime& time = *series.relative;
    ComparedPoint& timed = into.points.emplace_back(point);
    timed.mode = series.mode;
    timed.baseline = summary_of(series, time.baseline_s);
    timed.contender = summary_of(series, time.own_s);
    judge_ratio(timed, {{time.ratio, time.low, time.high}, time.tail.value_or(1)},
                options.least_effect);
  }
}

}  // namespace

BenchResult other_sides(const BenchResult& run) {
  BenchResult others = run;
  others.cases.clear();
  others.file.clear();
  others.date.clear();
  others.commit.reset();
  for (const BenchCase& one : run.cases) {
    if (one.against.empty()) continue;
    others.file = one.against;
    others.cases.push_back(other_side(one));
  }
  if (others.file.empty()) {
    throw usage_error(
        fmt::format("the cases of {} were held against nothing", display_path(run.file)), {},
        "`warpmark bench --against` does that; compare it with another journal");
  }
  return others;
}

BenchComparison compare_turns(const BenchResult& run, const ComparisonOptions& options) {
  BenchComparison result;
  for (const BenchCase& one : run.cases) {
    if (one.measured()) add_points(one, options, result);
  }
  judge_times(result.points, options, result.notes);
  return result;
}

}  // namespace warpmark
