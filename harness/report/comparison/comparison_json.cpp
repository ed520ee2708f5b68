// A comparison as JSON (schema/compare.json).
#include <cmath>

#include "base/file.hpp"
#include "base/json_fields.hpp"
#include "report/comparison/comparison_report.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

Json file_json(const BenchResult& result) {
  return {{"file", display_path(result.file)},
          {"device", result.device_name},
          {"driver_version", result.driver_version},
          {"nvrtc_version", result.nvrtc_version},
          {"date", result.date},
          {"commit", json_or_null<Json>(result.commit)},
          {"dirty", result.dirty},
          {"complete", result.complete}};
}

Json summary_json(const std::optional<Summary>& summary) {
  if (!summary) return nullptr;
  return {{"median_s", summary->median},
          {"low_s", summary->interval.low},
          {"high_s", summary->interval.high},
          {"confidence", summary->interval.confidence},
          {"count", summary->count}};
}

// No number says how much more than 0 something is.
Json ratio_json(const std::optional<Ratio>& ratio) {
  if (!ratio || !std::isfinite(ratio->value)) return nullptr;
  return {{"value", ratio->value},
          {"low", ratio->low},
          {"high", std::isfinite(ratio->high) ? Json(ratio->high) : Json(nullptr)}};
}

Json point_json(const ComparedPoint& point) {
  Json counters = Json::array();
  for (const CounterChange& change : point.counters) {
    counters.push_back({{"name", change.name},
                        {"baseline", json_or_null<Json>(change.baseline)},
                        {"contender", json_or_null<Json>(change.contender)},
                        {"min_effect", change.least_effect},
                        {"counts", change.counts}});
  }
  Json lines = Json::array();
  for (const GrownLine& line : point.lines) {
    Json grown = Json::array();
    for (const CounterChange& change : line.counters) {
      grown.push_back({{"name", change.name},
                       {"baseline", json_or_null<Json>(change.baseline)},
                       {"contender", json_or_null<Json>(change.contender)}});
    }
    lines.push_back({{"file", line.file},
                     {"line", line.number},
                     {"text", line.text},
                     {"counters", std::move(grown)}});
  }
  return {{"suite", point.suite},
          {"case", point.id},
          {"mode", point.mode ? Json(to_text(*point.mode)) : Json(nullptr)},
          {"verdict", to_text(point.verdict)},
          {"reason", point.reason},
          {"ratio", ratio_json(point.ratio)},
          {"tail", json_or_null<Json>(point.tail)},
          {"baseline", summary_json(point.baseline)},
          {"contender", summary_json(point.contender)},
          {"counters", std::move(counters)},
          {"lines", std::move(lines)},
          {"sources_differ", point.sources_known ? Json(point.sources_differ) : Json()},
          {"notes", point.notes}};
}

}  // namespace

Json comparison_json(const ComparedBenches& compared) {
  const BenchComparison& comparison = compared.comparison;
  Json verdicts = Json::object();
  for (const ChangeVerdict verdict : kChangeVerdicts) {
    verdicts[std::string(to_text(verdict))] = comparison.count(verdict);
  }
  Json notes = Json::array();
  for (const ComparisonNote& note : comparison.notes) {
    notes.push_back({{"grave", note.grave}, {"text", note.text}});
  }
  Json effects = Json::array();
  for (const CounterEffect& effect : compared.options.count_effects) {
    effects.push_back({{"counters", effect.counters}, {"min_effect", effect.least}});
  }
  Json points = Json::array();
  for (const ComparedPoint& point : comparison.points) points.push_back(point_json(point));
  return strict_json({{"warpmark", 1},
                      {"baseline", file_json(compared.baseline)},
                      {"contender", file_json(compared.contender)},
                      {"counted", comparison.counted},
                      {"min_effect", comparison.counted ? compared.options.least_count_effect
                                                        : compared.options.least_effect},
                      {"counter_effects", std::move(effects)},
                      {"verdicts", std::move(verdicts)},
                      {"exit_code", compared.exit_code()},
                      {"notes", std::move(notes)},
                      {"points", std::move(points)}});
}

}  // namespace warpmark
