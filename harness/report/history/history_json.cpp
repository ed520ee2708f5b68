// A history as JSON (schema/history.json).
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "report/history/history_report.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

Json run_json(const HistoryRun& run) {
  const BenchResult& result = run.result;
  Json notes = Json::array();
  for (const ComparisonNote& note : run.notes) {
    notes.push_back({{"grave", note.grave}, {"text", note.text}});
  }
  return {{"label", run.label},
          {"file", display_path(result.file)},
          {"date", result.date},
          {"commit", result.commit ? Json(*result.commit) : Json(nullptr)},
          {"dirty", result.dirty},
          {"complete", result.complete},
          {"driver_version", result.driver_version},
          {"nvrtc_version", result.nvrtc_version},
          {"notes", std::move(notes)}};
}

Json value_json(const HistoryPoint& point, const std::optional<HistoryValue>& value) {
  if (!value) return nullptr;
  if (!point.counter.empty()) return {{"count", std::llround(value->value)}};
  return {{"median_s", value->value},
          {"low_s", value->low},
          {"high_s", value->high},
          {"confidence", value->confidence},
          {"samples", value->samples}};
}

// No number says how much more than 0 something is.
Json ratio_json(const Ratio& ratio) {
  if (!std::isfinite(ratio.value)) return nullptr;
  return {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
}

Json point_json(const HistoryPoint& point) {
  Json values = Json::array(), changes = Json::array(), drift = nullptr;
  for (const auto& value : point.values) values.push_back(value_json(point, value));
  for (const HistoryChange& change : point.changes) {
    changes.push_back({{"run", change.run},
                       {"ratio", ratio_json(change.ratio)},
                       {"tail", change.tail ? Json(*change.tail) : Json(nullptr)},
                       {"sources_differ", change.sources_differ},
                       {"reason", change.reason}});
  }
  if (point.drift) drift = {{"ratio", ratio_json(*point.drift)}, {"tail", point.drift->tail}};
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return {{"suite", point.suite},
          {"case", point.id},
          {"mode", or_null(point.mode)},
          {"counter", or_null(point.counter)},
          {"values", std::move(values)},
          {"verdicts", point.verdicts},
          {"changes", std::move(changes)},
          {"drift", std::move(drift)},
          {"unchanged_counters", point.unchanged_counters}};
}

}  // namespace

Json history_json(const BenchHistory& history) {
  Json runs = Json::array(), points = Json::array();
  for (const HistoryRun& run : history.runs) runs.push_back(run_json(run));
  for (const HistoryPoint& point : history.points) points.push_back(point_json(point));
  return strict_json({{"warpmark", 1},
                      {"device", history.runs.front().result.device_name},
                      {"counted", history.counted},
                      {"min_effect", history.counted ? history.options.least_count_effect
                                                     : history.options.least_effect},
                      {"false_alarms", history.counted ? 0 : history.options.false_alarms},
                      {"runs", std::move(runs)},
                      {"points", std::move(points)}});
}

}  // namespace warpmark
