#include "report/history/history_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "report/page/figure_text.hpp"

namespace warpmark {

namespace {

constexpr size_t kMostGaps = 4;  // that are named
// In simulations the level held from here on, or nearly so (tests/unit/results/change_points_test.cpp).
constexpr size_t kFewRuns = 6;

}  // namespace

std::string value_text(const HistoryPoint& point, double value) {
  return point.counter.empty() ? time_text(value) : whole_text(std::llround(value));
}

std::string half_width_text(const HistoryValue& value) {
  if (value.samples < 2) return "";
  return half_width_text((value.high - value.low) / 2 / value.value);
}

const HistoryValue* first_value(const HistoryPoint& point) {
  for (const std::optional<HistoryValue>& value : point.values) {
    if (value) return &*value;
  }
  return nullptr;
}

const HistoryValue* last_value(const HistoryPoint& point) {
  for (size_t i = point.values.size(); i-- > 0;) {
    if (point.values[i]) return &*point.values[i];
  }
  return nullptr;
}

std::string change_text(const HistoryPoint& point, double ratio) {
  return point.counter.empty() ? change_of_time(ratio) : change_of_count(ratio);
}

std::string interval_text(const HistoryPoint& point, const Ratio& ratio) {
  if (!point.counter.empty()) return "";
  return fmt::format("{} … {} %", change_percent(ratio.low, 1), change_percent(ratio.high, 1));
}

std::string whole_change_text(const HistoryPoint& point) {
  const HistoryValue* first = first_value(point);
  const HistoryValue* last = last_value(point);
  if (first == last) return "";
  if (first->value == last->value) return "same";
  return change_text(point, first->value == 0 ? INFINITY : last->value / first->value);
}

std::string remark_text(const HistoryPoint& point, const HistoryChange& change) {
  if (!change.reason.empty()) return change.reason;
  if (change.sources_differ) return "";
  return point.counter.empty() ? "of the same sources: look at the machine"
                               : "of the same sources: look at compiler and device";
}

std::vector<std::string> change_lines(const BenchHistory& history, const HistoryPoint& point) {
  std::vector<std::string> lines;
  const auto sized = [&](const Ratio& ratio) {
    const std::string interval = interval_text(point, ratio);
    return change_text(point, ratio.value) + (interval.empty() ? "" : " (" + interval + ")");
  };
  for (const HistoryChange& change : point.changes) {
    const std::string remark = remark_text(point, change);
    lines.push_back(fmt::format("{} from {} on{}", sized(change.ratio),
                                history.runs[change.run].label,
                                remark.empty() ? "" : ", " + remark));
  }
  if (point.drift) lines.push_back(sized(*point.drift) + " over all runs, in no one step");
  return lines;
}

std::string gap_text(const BenchHistory& history, const HistoryPoint& point) {
  std::vector<std::string> gaps;
  size_t more = 0;
  for (size_t i = 0; i < point.values.size(); ++i) {
    if (point.values[i]) continue;
    const std::string& verdict = point.verdicts[i];
    if (gaps.size() >= kMostGaps) {
      ++more;
    } else {
      gaps.push_back(history.runs[i].label + (verdict.empty() ? "" : " (" + verdict + ")"));
    }
  }
  if (gaps.empty()) return "";
  if (more > 0) gaps.push_back(counted(more, "other run"));
  return "no value in " + join(gaps, ", ");
}

std::string what_text(const HistoryPoint& point) {
  return point.counter.empty() ? point.mode : point.counter;
}

bool is_worse(const Ratio& ratio) {
  return ratio.value > 1;
}

std::vector<const HistoryPoint*> by_change(const BenchHistory& history) {
  std::vector<const HistoryPoint*> points;
  for (const HistoryPoint& point : history.points) points.push_back(&point);
  const auto rank = [](const HistoryPoint* point) {
    return !point->changes.empty() ? 0 : point->drift ? 1 : 2;
  };
  std::ranges::stable_sort(points, [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return points;
}

std::string subject_text(const BenchHistory& history) {
  std::set<std::string> cases;
  for (const HistoryPoint& point : history.points) cases.insert(point.id);
  return fmt::format("{} on {}, {}, by {}", counted(history.runs.size(), "run"),
                     history.runs.front().result.device_name, counted(cases.size(), "case"),
                     history.counted ? "exact counters" : "times");
}

std::string sum_text(const BenchHistory& history) {
  size_t changed = 0, drifting = 0, all = 0;
  for (const HistoryPoint& point : history.points) {
    all += 1 + point.unchanged_counters;
    changed += point.changes.empty() ? 0 : 1;
    drifting += point.drift ? 1 : 0;
  }
  const double effect =
      history.counted ? history.options.least_count_effect : history.options.least_effect;
  return fmt::format("{} of {} changed{} ({})", changed, counted(all, "point"),
                     drifting > 0 ? fmt::format(", {} drifted", drifting) : "",
                     effect > 0 ? fmt::format("a change counts from {:.3g} % on", effect * 100)
                                : "every change counts");
}

std::string method_text(const BenchHistory& history) {
  if (history.counted) return "counts are exact: each difference is a change";
  std::string text = fmt::format(
      "Student's t between the runs before and after each change, at a level of {:.3g} % for all "
      "points and runs together (Holm's correction)",
      100 * history.options.false_alarms);
  if (history.runs.size() < kFewRuns) text += "; so few runs hardly show how much runs vary";
  return text;
}

}  // namespace warpmark
