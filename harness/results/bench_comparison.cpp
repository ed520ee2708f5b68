#include "results/bench_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "results/comparison_notes.hpp"

namespace warpmark {

namespace {

// What an interval must hold with for a verdict to stand on it.
constexpr double kConfidence = 0.95;
// So that a ratio of 1.02 meets a least effect of 0.02 whatever its last bits are.
constexpr double kRounding = 1e-9;

double square(double x) {
  return x * x;
}

bool is_up(double ratio, double effect) {
  return ratio >= (1 + effect) * (1 - kRounding);
}

bool is_down(double ratio, double effect) {
  return ratio * (1 + effect) <= 1 + kRounding;
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

// Every time is `seconds` longer, as long as that leaves any.
void shift(BenchSeries& series, double seconds) {
  if (series.summary.interval.low + seconds <= 0) return;
  for (BenchProcess& process : series.processes) process.median_s += seconds;
  Summary& summary = series.summary;
  for (double* time : {&summary.median, &summary.interval.low, &summary.interval.high, &summary.q1,
                       &summary.q3, &summary.min, &summary.max})
    *time += seconds;
}

void put_back_overheads(BenchSeries& series) {
  std::vector<double> medians;
  for (BenchProcess& process : series.processes)
    medians.push_back(process.median_s += process.overhead_s.value_or(0));
  if (medians.empty()) return;
  const double before = series.summary.median;
  const Mean mean = mean_of(medians);
  for (BenchProcess& process : series.processes) process.overhead_s.reset();
  std::vector<BenchProcess> processes = std::move(series.processes);
  series.processes.clear();
  shift(series, mean.value - before);
  series.processes = std::move(processes);
  if (medians.size() > 1) series.summary.interval = mean.interval();
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

// Whether it is slower or faster is judged when the tails of all points are known.
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

// The correction for many points: one test of a hundred finds what is not there.
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

double ratio_of_counts(const CounterChange& change) {
  const auto before = static_cast<double>(*change.baseline);
  const auto after = static_cast<double>(*change.contender);
  if (before == after) return 1;
  return before == 0 ? std::numeric_limits<double>::infinity() : after / before;
}

std::vector<CounterChange> changed_counters(const BenchCase& before, const BenchCase& after) {
  std::vector<CounterChange> changes;
  for (const auto& [name, value] : before.counters) {
    const std::optional<int64_t> now = after.counter(name);
    if (now != value) changes.push_back({name, value, now});
  }
  for (const auto& [name, value] : after.counters) {
    if (!before.counter(name)) changes.push_back({name, std::nullopt, value});
  }
  return changes;
}

bool in_both(const CounterChange& change) {
  return change.baseline && change.contender;
}

// Exact numbers: above and not "at least", so that an effect of 0 finds what is more, and only that.
bool grew(const CounterChange& change, double effect) {
  return in_both(change) && *change.contender > *change.baseline &&
         is_up(ratio_of_counts(change), effect);
}

bool shrank(const CounterChange& change, double effect) {
  return in_both(change) && *change.contender < *change.baseline &&
         is_down(ratio_of_counts(change), effect);
}

// What it counted may have grown to anything.
bool is_gone(const CounterChange& change) {
  return change.baseline && !change.contender;
}

// How far a counter went, either way.
double distance(const CounterChange& change) {
  return in_both(change) ? std::abs(std::log(ratio_of_counts(change))) : 0;
}

void judge_counters(ComparedPoint& point, const BenchCase& before, const BenchCase& after,
                    double effect) {
  point.counted = true;
  point.counters = changed_counters(before, after);
  const auto any = [&](const auto& moved) {
    return std::any_of(point.counters.begin(), point.counters.end(),
                       [&](const CounterChange& c) { return moved(c, effect); });
  };
  const auto gone = std::find_if(point.counters.begin(), point.counters.end(), is_gone);
  std::function<bool(const CounterChange&)> decides = [](const CounterChange&) { return false; };
  point.verdict = ChangeVerdict::same;
  if (any(grew)) {
    point.verdict = ChangeVerdict::slower;
    decides = [&](const CounterChange& c) { return grew(c, effect); };
  } else if (gone != point.counters.end()) {
    point.verdict = ChangeVerdict::lost;
    point.reason = fmt::format("the counter {} is gone", gone->name);
    decides = is_gone;
  } else if (any(shrank)) {
    point.verdict = ChangeVerdict::faster;
    decides = [&](const CounterChange& c) { return shrank(c, effect); };
  }
  std::stable_sort(point.counters.begin(), point.counters.end(),
                   [&](const CounterChange& a, const CounterChange& b) {
                     const bool first = decides(a);
                     return first != decides(b) ? first : distance(a) > distance(b);
                   });
  if (point.counters.empty()) {
    point.ratio = Ratio{};
  } else if (in_both(point.counters.front())) {
    const double ratio = ratio_of_counts(point.counters.front());
    point.ratio = Ratio{ratio, ratio, ratio};
  }
}

class Comparer {
 public:
  Comparer(const BenchResult& baseline, const BenchResult& contender,
           const ComparisonOptions& options)
      : baseline_(baseline), contender_(contender), options_(options) {
    for (const BenchCase& one : baseline.cases) before_.emplace(one.id, &one);
    for (const BenchCase& one : contender.cases) after_.emplace(one.id, &one);
  }

  BenchComparison compare() {
    require_comparable();
    result_.counted = baseline_.counted() && contender_.counted();
    result_.notes = comparison_notes(baseline_, contender_, result_.counted);
    for (const BenchCase& one : baseline_.cases) {
      if (one.measured()) compare_case(one);
    }
    for (const BenchCase& one : contender_.cases) {
      if (one.measured() && !is_measured(before_, one.id)) add(one);
    }
    judge_times(result_.points, options_, result_.notes);
    return std::move(result_);
  }

 private:
  using Cases = std::map<std::string, const BenchCase*>;

  // Two series as if an empty kernel took the same in both runs. Where only one run timed any, the
  // other's times have their overhead again.
  std::pair<BenchSeries, BenchSeries> comparable(BenchSeries before, BenchSeries after,
                                                 size_t launches) const {
    const bool then = has_overheads(before), now = has_overheads(after);
    if (then && now && baseline_.ceilings && contender_.ceilings) {
      const double more = baseline_.ceilings->launch_s - contender_.ceilings->launch_s;
      shift(after, after.batch > 1 ? more * static_cast<double>(launches) : more);
    } else if (then != now) {
      put_back_overheads(then ? before : after);
    }
    return {std::move(before), std::move(after)};
  }

  static bool is_measured(const Cases& cases, const std::string& id) {
    const auto found = cases.find(id);
    return found != cases.end() && found->second->measured();
  }

  void require_comparable() const {
    const auto named = [](const BenchResult& result) {
      return fmt::format("{} ({})", result.device_name, display_path(result.file));
    };
    const std::string both = named(baseline_) + " and " + named(contender_);
    if (!options_.across_devices && baseline_.device_name != contender_.device_name) {
      throw usage_error("the devices differ: " + both, {},
                        "--across-devices compares them all the same");
    }
    bool any = false, common = false;
    for (const BenchCase& one : baseline_.cases) {
      any = any || one.measured();
      common = common || (one.measured() && after_.contains(one.id));
    }
    const bool cut_short = !contender_.complete && !baseline_.cases.empty();
    if (!any || (!common && !cut_short)) {
      throw usage_error(
          !any ? fmt::format("no case of {} has figures", display_path(baseline_.file))
               : fmt::format("{} and {} have no case in common", display_path(baseline_.file),
                             display_path(contender_.file)),
          {}, "there is nothing to compare; run the baseline's command again");
    }
    const bool one_counts = baseline_.counted() != contender_.counted();
    if (!options_.across_devices && one_counts && common_figures()) {
      throw usage_error("only one of the devices counts, the other has times: " + both, {},
                        "--across-devices compares the times");
    }
  }

  bool common_figures() const {
    return std::any_of(baseline_.cases.begin(), baseline_.cases.end(), [&](const BenchCase& one) {
      return one.measured() && is_measured(after_, one.id);
    });
  }

  ComparedPoint point_of(const BenchCase& one) const {
    ComparedPoint point;
    point.suite = one.suite;
    point.id = one.id;
    return point;
  }

  void compare_case(const BenchCase& before) {
    const auto found = after_.find(before.id);
    const BenchCase* after = found == after_.end() ? nullptr : found->second;
    if (after != nullptr && after->measured()) {
      compare_figures(before, *after);
      return;
    }
    ComparedPoint point = point_of(before);
    point.counted = result_.counted;
    if (before.series.size() == 1 && !point.counted) point.baseline = before.series.front().summary;
    if (after != nullptr) {
      point.verdict = ChangeVerdict::lost;
      point.reason = std::string(to_text(after->verdict));
      std::replace(point.reason.begin(), point.reason.end(), '_', ' ');
      if (!after->reason.empty()) point.reason += ": " + after->reason;
    } else if (!contender_.complete) {
      point.verdict = ChangeVerdict::lost;
      point.reason = "the run ended before it";
    } else {
      point.verdict =
          contender_.asked_for(before.id) ? ChangeVerdict::missing : ChangeVerdict::deselected;
    }
    result_.points.push_back(std::move(point));
  }

  void compare_figures(const BenchCase& before, const BenchCase& after) {
    ComparedPoint point = point_of(before);
    point.sources_differ = before.sources != after.sources;
    if (!before.counters.empty() && !after.counters.empty()) {
      judge_counters(point, before, after, options_.least_count_effect);
      result_.points.push_back(std::move(point));
      return;
    }
    if (before.series.empty() || (result_.counted && !before.counters.empty())) {
      point.counted = true;
      point.verdict = ChangeVerdict::lost;
      point.reason = "it has no counters any more";
      result_.points.push_back(std::move(point));
      return;
    }
    for (const BenchSeries& series : before.series) {
      ComparedPoint one = point;
      one.cache = series.cache;
      one.baseline = series.summary;
      if (const BenchSeries* now = after.find_series(series.cache)) {
        const auto [then, later] = comparable(series, *now, after.kernels.size());
        one.baseline = then.summary;
        one.contender = later.summary;
        compare_times(one, then, later, options_.least_effect);
        one.notes = doubts(before, series, after, *now, options_.least_effect);
      } else {
        one.verdict = ChangeVerdict::missing;
        one.reason = fmt::format("this run has no times with a {} cache", to_text(series.cache));
      }
      result_.points.push_back(std::move(one));
    }
    for (const BenchSeries& series : after.series) {
      if (before.find_series(series.cache) == nullptr) add(after, &series);
    }
  }

  void add(const BenchCase& one) {
    if (result_.counted || one.series.empty()) {
      add(one, nullptr);
    } else {
      for (const BenchSeries& series : one.series) add(one, &series);
    }
  }

  void add(const BenchCase& one, const BenchSeries* series) {
    ComparedPoint point = point_of(one);
    point.verdict = ChangeVerdict::added;
    point.counted = result_.counted;
    if (series != nullptr) {
      point.cache = series->cache;
      point.contender = series->summary;
    }
    const auto before = before_.find(one.id);
    if (before != before_.end() && before->second->verdict != Verdict::passed) {
      point.reason = "had no figures before: " + before->second->reason;
    }
    result_.points.push_back(std::move(point));
  }

  const BenchResult& baseline_;
  const BenchResult& contender_;
  const ComparisonOptions& options_;
  Cases before_, after_;
  BenchComparison result_;
};

}  // namespace

std::string_view to_text(ChangeVerdict verdict) {
  switch (verdict) {
    case ChangeVerdict::slower:
      return "slower";
    case ChangeVerdict::lost:
      return "lost";
    case ChangeVerdict::inconclusive:
      return "inconclusive";
    case ChangeVerdict::faster:
      return "faster";
    case ChangeVerdict::same:
      return "same";
    case ChangeVerdict::missing:
      return "missing";
    case ChangeVerdict::deselected:
      return "deselected";
    case ChangeVerdict::added:
      break;
  }
  return "added";
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

size_t BenchComparison::count(ChangeVerdict verdict) const {
  return static_cast<size_t>(
      std::count_if(points.begin(), points.end(),
                    [&](const ComparedPoint& point) { return point.verdict == verdict; }));
}

BenchComparison compare_benches(const BenchResult& baseline, const BenchResult& contender,
                                const ComparisonOptions& options) {
  return Comparer(baseline, contender, options).compare();
}

}  // namespace warpmark
