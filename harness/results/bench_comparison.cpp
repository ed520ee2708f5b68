#include "results/bench_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "results/comparison_notes.hpp"
#include "results/count_comparison.hpp"
#include "results/line_comparison.hpp"
#include "results/time_comparison.hpp"

namespace warpmark {

namespace {

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
    add_effect_notes();
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

  // Adds a note for each least effect that was given but applies to no counter of this comparison.
  void add_effect_notes() {
    for (const CounterEffect& effect : options_.count_effects) {
      const bool used = std::ranges::any_of(contender_.cases, [&](const BenchCase& one) {
        return std::ranges::any_of(
            one.counters, [&](const auto& counter) { return concerns(effect, counter.first); });
      });
      if (used && result_.counted) continue;
      result_.notes.push_back(
          {false, fmt::format("the minimum effect of `{}` has no effect: {}", effect.counters,
                              result_.counted ? "this run counts nothing of that name"
                                              : "times are compared, and not counters")});
    }
  }

  bool common_figures() const {
    return std::ranges::any_of(baseline_.cases, [&](const BenchCase& one) {
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
      point.reason = in_words(after->verdict);
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
    point.sources_known = !before.sources.empty() && !after.sources.empty();
    point.sources_differ = before.sources != after.sources;
    if (!before.counters.empty() && !after.counters.empty()) {
      judge_counters(point, before, after, options_);
      point.lines = grown_lines(point, before, after);
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
      one.mode = series.mode;
      one.baseline = series.summary;
      if (const BenchSeries* now = after.find_series(series.mode)) {
        const auto [then, later] =
            aligned(series, baseline_.ceilings, *now, contender_.ceilings, after.kernels.size());
        one.baseline = then.summary;
        one.contender = later.summary;
        compare_times(one, then, later, options_.least_effect);
        one.notes = doubts(before, series, after, *now, options_.least_effect);
      } else {
        one.verdict = ChangeVerdict::missing;
        one.reason = fmt::format("this run has no {} times", to_text(series.mode));
      }
      result_.points.push_back(std::move(one));
    }
    for (const BenchSeries& series : after.series) {
      if (before.find_series(series.mode) == nullptr) add(after, &series);
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
      point.mode = series->mode;
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

size_t BenchComparison::count(ChangeVerdict verdict) const {
  return static_cast<size_t>(std::ranges::count_if(
      points, [&](const ComparedPoint& point) { return point.verdict == verdict; }));
}

BenchComparison compare_benches(const BenchResult& baseline, const BenchResult& contender,
                                const ComparisonOptions& options) {
  if (baseline.pinned && baseline.version != contender.version && !options.across_versions) {
    throw Error(
        ExitCode::environment,
        fmt::format("{} is pinned to Warpmark {}, and this is of version {}",
                    display_path(baseline.file), printable(baseline.version),
                    printable(contender.version)),
        {},
        "counts may differ for that alone: --update-baseline shows what changed, and writes "
        "it for this version");
  }
  return Comparer(baseline, contender, options).compare();
}

}  // namespace warpmark
