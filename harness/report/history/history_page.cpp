// The report of a history as one HTML page that needs nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "report/history/history_report.hpp"
#include "report/history/history_rows.hpp"
#include "report/history/sparkline.hpp"
#include "report/page/html.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

// The number of unchanged points of a suite above which they are folded away.
constexpr size_t kMostUnchanged = 12;

// "2026-11-02 09:30"; a text that is no date of ISO 8601 stays as it is.
std::string minute_of(const HistoryRun& run) {
  const std::string& date = run.result.date;
  return date.size() > 16 && date[10] == 'T' ? date.substr(0, 10) + " " + date.substr(11, 5) : date;
}

Json run_values(const BenchHistory& history) {
  Json runs = Json::array();
  for (const HistoryRun& run : history.runs) {
    runs.push_back(
        {{"label", run.label}, {"date", minute_of(run)}, {"file", display_path(run.result.file)}});
  }
  return runs;
}

Json note_values(const BenchHistory& history) {
  Json notes = Json::array();
  for (const HistoryRun& run : history.runs) {
    for (const ComparisonNote& note : run.notes) {
      notes.push_back({{"grave", note.grave}, {"label", run.label}, {"text", note.text}});
    }
  }
  return notes;
}

// A change of a point by this ratio.
Json change_values(const BenchHistory& history, const HistoryPoint& point, const Ratio& ratio) {
  return {{"number", &point - history.points.data()},
          {"id", point.id},
          {"what", what_text(point)},
          {"way", is_worse(ratio) ? "slower" : "faster"},
          {"size", change_text(point, ratio.value)},
          {"interval", interval_text(point, ratio)},
          {"remark", ""}};
}

// By run, the newest first, as it is the one that a person can still do something about.
Json step_values(const BenchHistory& history) {
  Json steps = Json::array();
  for (size_t run = history.runs.size(); run-- > 0;) {
    Json changes = Json::array();
    for (const HistoryPoint& point : history.points) {
      for (const HistoryChange& change : point.changes) {
        if (change.run != run) continue;
        changes.push_back(change_values(history, point, change.ratio));
        changes.back()["remark"] = remark_text(point, change);
      }
    }
    if (changes.empty()) continue;
    std::string about = history.runs[run].result.date.substr(0, 10);
    const Json remark = changes.front()["remark"];
    const bool common =
        std::ranges::all_of(changes, [&](const Json& one) { return one["remark"] == remark; });
    if (common) {
      if (remark != "") about += ", " + remark.get<std::string>();
      for (Json& change : changes) change["remark"] = "";
    }
    steps.push_back(
        {{"label", history.runs[run].label}, {"about", about}, {"changes", std::move(changes)}});
  }
  return steps;
}

Json drift_values(const BenchHistory& history) {
  Json changes = Json::array();
  for (const HistoryPoint& point : history.points) {
    if (point.drift) changes.push_back(change_values(history, point, *point.drift));
  }
  return changes;
}

Json point_values(const BenchHistory& history, const HistoryPoint& point) {
  Json lines = Json::array();
  const auto add = [&](const Ratio& ratio, const std::string& where) {
    lines.push_back(change_values(history, point, ratio));
    lines.back()["where"] = where;
  };
  for (const HistoryChange& change : point.changes) {
    add(change.ratio, fmt::format("from {} on{}", history.runs[change.run].label,
                                  change.reason.empty() ? "" : ", " + change.reason));
  }
  if (point.drift) add(*point.drift, "over all runs");
  const std::string gap = gap_text(history, point);
  if (!gap.empty()) lines.push_back({{"gap", gap}});
  if (point.unchanged_counters > 0) {
    lines.push_back(
        {{"gap", counted(point.unchanged_counters, "other counter") + " did not change"}});
  }
  std::string now, picture;
  if (const HistoryValue* last = last_value(point)) {
    const std::string half = half_width_text(*last);
    now = value_text(point, last->value) + (half.empty() ? "" : " " + half);
    picture = sparkline(history, point);
  }
  return {{"changed", point.changed()},
          {"number", &point - history.points.data()},
          {"point", point.point},
          {"what", what_text(point)},
          {"now", now},
          {"picture", picture},
          {"lines", std::move(lines)}};
}

Json suite_values(const BenchHistory& history) {
  Json suites = Json::array();
  for (size_t begin = 0, end = 0; begin < history.points.size(); begin = end) {
    const std::string& name = history.points[begin].suite;
    Json changed = Json::array(), others = Json::array();
    for (end = begin; end < history.points.size() && history.points[end].suite == name; ++end) {
      const HistoryPoint& point = history.points[end];
      (point.changed() ? changed : others).push_back(point_values(history, point));
    }
    const bool folded = others.size() > kMostUnchanged;
    const std::string count = folded ? counted(others.size(), "point") : "";
    if (!folded) {
      for (Json& point : others) changed.push_back(std::move(point));
    }
    Json groups = Json::array();
    if (!changed.empty()) groups.push_back({{"folded", ""}, {"points", std::move(changed)}});
    if (folded) groups.push_back({{"folded", count}, {"points", std::move(others)}});
    suites.push_back({{"number", suites.size()}, {"name", name}, {"groups", std::move(groups)}});
  }
  return suites;
}

}  // namespace

std::string history_page(const BenchHistory& history) {
  Json suites = suite_values(history);
  return html_page("report/history/history",
                   {{"title", "History on " + history.runs.front().result.device_name},
                    {"subject", subject_text(history)},
                    {"sum", sum_text(history)},
                    {"notes", note_values(history)},
                    {"run_count", counted(history.runs.size(), "run")},
                    {"runs", run_values(history)},
                    {"first_run", history.runs.front().label},
                    {"last_run", history.runs.back().label},
                    {"steps", step_values(history)},
                    {"drifts", drift_values(history)},
                    {"several_suites", suites.size() > 1},
                    {"suites", std::move(suites)},
                    {"counted", history.counted},
                    {"method", method_text(history)}});
}

}  // namespace warpmark
