#include "results/bench_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "results/comparison_notes.hpp"

namespace warpmark {

namespace {

constexpr const char* kMainCounter = "ptx_thread_instructions";
constexpr size_t kShortCommit = 7;  // digits, as git shows

void require_one_device(const std::vector<BenchResult>& results) {
  const auto named = [](const BenchResult& result) {
    return fmt::format("{} ({})", result.device_name, display_path(result.file));
  };
  for (const BenchResult& result : results) {
    const BenchResult& first = results.front();
    const std::string both = named(first) + " and " + named(result);
    if (result.device_name != first.device_name) {
      throw usage_error("a history is of one device, and these differ: " + both, {},
                        "report each device by itself, or use --layout side-by-side");
    }
    if (result.counted() != first.counted()) {
      throw usage_error("only one of the devices counts, the other has times: " + both, {},
                        "report each of them by itself, or use --layout side-by-side");
    }
  }
}

std::vector<std::string> labels_of_results(const std::vector<BenchResult>& results) {
  std::vector<std::string> labels;
  for (const BenchResult& result : results) {
    std::string label = result.file.stem().string();
    if (result.commit) {
      label = result.commit->substr(0, kShortCommit) + (result.dirty ? "-dirty" : "");
    }
    labels.push_back(std::move(label));
  }
  std::map<std::string, size_t> counts;
  for (const std::string& label : labels) ++counts[label];
  std::map<std::string, size_t> again;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string stem = results[i].file.stem().string();
    if (counts[labels[i]] > 1 && labels[i] != stem) labels[i] += " (" + stem + ")";
    const size_t before = again[labels[i]]++;
    if (before > 0) labels[i] += fmt::format(" #{}", before + 1);
  }
  return labels;
}

std::vector<ComparisonNote> notes_of(const BenchResult& result, const BenchResult& before,
                                     const std::vector<ComparisonNote>& noted) {
  std::vector<ComparisonNote> notes;
  for (ComparisonNote& note : comparison_notes(before, result, result.counted())) {
    const auto same = [&](const ComparisonNote& other) { return other.text == note.text; };
    // A journal that is not whole is a note of itself, not of the next one as well.
    if (std::ranges::any_of(noted, same)) continue;
    if (std::ranges::any_of(notes, same)) continue;
    notes.push_back(std::move(note));
  }
  return notes;
}

class HistoryMaker {
 public:
  HistoryMaker(std::vector<BenchResult> results, const HistoryOptions& options) {
    require_one_device(results);
    std::ranges::stable_sort(results, {}, &BenchResult::date);
    std::vector<std::string> labels = labels_of_results(results);
    history_.options = options;
    history_.counted = !results.empty() && results.front().counted();
    for (size_t i = 0; i < results.size(); ++i) {
      std::vector<ComparisonNote> notes =
          i == 0 ? notes_of(results[i], results[i], {})
                 : notes_of(results[i], history_.runs[i - 1].result, history_.runs[i - 1].notes);
      history_.runs.push_back({std::move(labels[i]), std::move(results[i]), std::move(notes)});
    }
    for (const HistoryRun& run : history_.runs) {
      cases_.emplace_back();
      for (const BenchCase& one : run.result.cases) cases_.back().emplace(one.id, &one);
    }
  }

  BenchHistory make() {
    for (const std::string& id : case_ids()) {
      if (history_.counted) {
        add_counters(id);
      } else {
        add_times(id);
      }
    }
    if (!history_.counted) find_changes_of_times();
    return std::move(history_);
  }

 private:
  size_t count() const { return history_.runs.size(); }
  const BenchCase* find(size_t run, const std::string& id) const {
    const auto found = cases_[run].find(id);
    return found == cases_[run].end() ? nullptr : found->second;
  }
  const BenchCase& last_of(const std::string& id) const {
    for (size_t i = count(); i-- > 0;) {
      if (const BenchCase* one = find(i, id)) return *one;
    }
    throw internal_error("a case of no run");
  }

  // By suites, each and its cases in the order in which the runs name them.
  std::vector<std::string> case_ids() const {
    std::vector<std::pair<std::string, std::vector<std::string>>> suites;
    std::map<std::string, bool> known;
    for (const HistoryRun& run : history_.runs) {
      for (const BenchCase& one : run.result.cases) {
        if (known[one.id]) continue;
        known[one.id] = true;
        auto suite = std::ranges::find_if(
            suites, [&](const auto& other) { return other.first == one.suite; });
        if (suite == suites.end()) suite = suites.insert(suites.end(), {one.suite, {}});
        suite->second.push_back(one.id);
      }
    }
    std::vector<std::string> ids;
    for (const auto& suite : suites)
      ids.insert(ids.end(), suite.second.begin(), suite.second.end());
    return ids;
  }

  HistoryPoint empty_point(const std::string& id) const {
    const BenchCase& one = last_of(id);
    HistoryPoint point;
    point.suite = one.suite;
    point.id = id;
    point.point = one.point_text();
    point.values.resize(count());
    for (size_t i = 0; i < count(); ++i) {
      const BenchCase* there = find(i, id);
      const bool well = there == nullptr || there->verdict == Verdict::passed;
      point.verdicts.push_back(well ? "" : in_words(there->verdict));
    }
    return point;
  }

  bool sources_differ(const std::string& id, size_t before, size_t after) const {
    const BenchCase* one = find(before, id);
    const BenchCase* other = find(after, id);
    return one != nullptr && other != nullptr && one->sources != other->sources;
  }

  void add_counters(const std::string& id) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count(); ++i) {
      const BenchCase* one = find(i, id);
      if (one == nullptr) continue;
      for (const auto& counter : one->counters) {
        if (std::ranges::find(names, counter.first) == names.end()) {
          names.push_back(counter.first);
        }
      }
    }
    const bool has_main = std::ranges::find(names, kMainCounter) != names.end();
    const std::string main = has_main ? kMainCounter : names.empty() ? "" : names.front();
    std::vector<HistoryPoint> shown;
    size_t unchanged = 0;
    for (const std::string& name : names) {
      HistoryPoint point = point_of_counter(id, name);
      if (name == main) {
        shown.insert(shown.begin(), std::move(point));
      } else if (point.changed() || has_gap(point)) {
        shown.push_back(std::move(point));
      } else {
        ++unchanged;
      }
    }
    if (shown.empty()) shown.push_back(empty_point(id));
    shown.front().unchanged_counters = unchanged;
    std::move(shown.begin(), shown.end(), std::back_inserter(history_.points));
  }

  // A counter that runs lack which have others of the case.
  bool has_gap(const HistoryPoint& point) const {
    for (size_t i = 0; i < count(); ++i) {
      const BenchCase* one = find(i, point.id);
      if (!point.values[i] && one != nullptr && !one->counters.empty()) return true;
    }
    return false;
  }

  HistoryPoint point_of_counter(const std::string& id, const std::string& name) const {
    HistoryPoint point = empty_point(id);
    point.counter = name;
    std::optional<size_t> last;
    for (size_t i = 0; i < count(); ++i) {
      const BenchCase* one = find(i, id);
      const std::optional<int64_t> value = one != nullptr ? one->counter(name) : std::nullopt;
      if (!value) continue;
      const auto now = static_cast<double>(*value);
      point.values[i] = HistoryValue{now, now, now};
      if (last) add_count_change(point, *last, i);
      last = i;
    }
    return point;
  }

  void add_count_change(HistoryPoint& point, size_t before, size_t after) const {
    const double then = point.values[before]->value, now = point.values[after]->value;
    if (then == now) return;
    const double ratio = then == 0 ? std::numeric_limits<double>::infinity() : now / then;
    const double effect = history_.options.least_count_effect;
    if (!is_up(ratio, effect) && !is_down(ratio, effect)) return;
    HistoryChange change;
    change.run = after;
    change.ratio = {ratio, ratio, ratio};
    change.sources_differ = sources_differ(point.id, before, after);
    point.changes.push_back(std::move(change));
  }

  void add_times(const std::string& id) {
    std::vector<TimingMode> modes;
    for (size_t i = 0; i < count(); ++i) {
      const BenchCase* one = find(i, id);
      if (one == nullptr) continue;
      for (const BenchSeries& series : one->series) {
        if (std::ranges::find(modes, series.mode) == modes.end()) modes.push_back(series.mode);
      }
    }
    if (modes.empty()) history_.points.push_back(empty_point(id));
    for (const TimingMode mode : modes) {
      HistoryPoint point = empty_point(id);
      point.mode = to_text(mode);
      const std::vector<std::optional<BenchSeries>> all = comparable_series(id, mode);
      for (size_t i = 0; i < count(); ++i) {
        if (!all[i]) continue;
        const Summary& summary = all[i]->summary;
        point.values[i] = HistoryValue{summary.median, summary.interval.low, summary.interval.high,
                                       summary.interval.confidence, summary.count};
      }
      series_.emplace_back(history_.points.size(), all);
      history_.points.push_back(std::move(point));
    }
  }

  // As if an empty kernel took the same in all runs, that of the last. Where one run timed none, the
  // times of all have their overheads again, as compare_benches() does it for two.
  std::vector<std::optional<BenchSeries>> comparable_series(const std::string& id,
                                                            TimingMode mode) const {
    std::vector<std::optional<BenchSeries>> all(count());
    bool every = true;
    std::optional<double> launch;
    for (size_t i = 0; i < count(); ++i) {
      const BenchCase* one = find(i, id);
      const BenchSeries* series = one != nullptr ? one->find_series(mode) : nullptr;
      if (series == nullptr) continue;
      all[i] = *series;
      every = every && has_overheads(*series);
      const std::optional<Ceilings>& ceilings = history_.runs[i].result.ceilings;
      if (ceilings) launch = ceilings->launch_s;
    }
    for (size_t i = 0; i < count(); ++i) {
      if (!all[i]) continue;
      const std::optional<Ceilings>& ceilings = history_.runs[i].result.ceilings;
      if (!every && has_overheads(*all[i])) put_back_overheads(*all[i]);
      if (!every || !ceilings) continue;
      shift_launches(*all[i], find(i, id)->kernels.size(), *launch - ceilings->launch_s);
    }
    return all;
  }

  void find_changes_of_times() {
    std::vector<std::vector<LogTime>> values;
    std::vector<std::vector<size_t>> runs;  // which run each value is of
    for (const auto& [point, all] : series_) {
      std::vector<LogTime>& series = values.emplace_back();
      std::vector<size_t>& places = runs.emplace_back();
      for (size_t i = 0; i < count(); ++i) {
        if (!all[i] || !is_known(*all[i])) continue;
        series.push_back(log_time(*all[i]));
        places.push_back(i);
      }
    }
    const std::vector<SeriesChanges> found = find_changes(values, history_.options);
    for (size_t i = 0; i < found.size(); ++i) {
      HistoryPoint& point = history_.points[series_[i].first];
      point.drift = found[i].drift;
      const std::vector<ChangePoint>& steps = found[i].steps;
      for (size_t j = 0; j < steps.size(); ++j) {
        const size_t begin = j == 0 ? 0 : steps[j - 1].at;
        const size_t end = j + 1 < steps.size() ? steps[j + 1].at : runs[i].size();
        point.changes.push_back(change_of(point, series_[i].second, runs[i], begin, steps[j], end));
      }
    }
  }

  HistoryChange change_of(const HistoryPoint& point,
                          const std::vector<std::optional<BenchSeries>>& series,
                          const std::vector<size_t>& runs, size_t begin, const ChangePoint& step,
                          size_t end) const {
    HistoryChange change;
    change.run = runs[step.at];
    change.ratio = step.ratio;
    change.tail = step.ratio.tail;
    change.sources_differ = sources_differ(point.id, runs[step.at - 1], runs[step.at]);
    const auto clock = [&](size_t from, size_t to) -> std::optional<double> {
      double sum = 0;
      for (size_t i = from; i < to; ++i) {
        const std::optional<double> one = mean_clock(*series[runs[i]]);
        if (!one) return std::nullopt;
        sum += *one;
      }
      return sum / static_cast<double>(to - from);
    };
    change.reason = explained_by_clock(clock(begin, step.at), clock(step.at, end), step.ratio.value,
                                       history_.options.least_effect);
    return change;
  }

  BenchHistory history_;
  std::vector<std::unordered_map<std::string, const BenchCase*>> cases_;  // of each run, by id
  // The series of each point of times, one for each run.
  std::vector<std::pair<size_t, std::vector<std::optional<BenchSeries>>>> series_;
};

}  // namespace

BenchHistory make_history(std::vector<BenchResult> results, const HistoryOptions& options) {
  return HistoryMaker(std::move(results), options).make();
}

}  // namespace warpmark
