#include "runtime/outcome_transfer.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error_json.hpp"
#include "base/json_fields.hpp"

namespace warpmark {

WARPMARK_FIELDS(Mismatch, kind, index, actual, expected, error, bound, ulp)

WARPMARK_FIELDS(Comparison, elements, wrong, unwritten, in_part, doubtful, by_value, first, next,
                worst)

// JSON has no infinity, which `high` may be.
static void to_json(nlohmann::json& json, const ErrorBucket& bucket) {
  json = {bucket.low, bucket.high, bucket.count};
}
static void from_json(const nlohmann::json& json, ErrorBucket& bucket) {
  const nlohmann::json& high = json.at(1);
  bucket.low = json.at(0).get<double>();
  bucket.high = high.is_null() ? std::numeric_limits<double>::infinity() : high.get<double>();
  bucket.count = json.at(2).get<size_t>();
}
WARPMARK_FIELDS(ErrorHistogram, unit, buckets)

WARPMARK_FIELDS(OutputVerdict, output, dtype, shape, comparison, has_tolerance, has_reference,
                sufficient, histogram)

WARPMARK_FIELDS(Nearness, share, composite)

WARPMARK_FIELDS(CountedRuns, own, baseline)

// All members that JSON takes as they are.
WARPMARK_FIELDS(Outcome, suite, case_id, verdict, failure, reason, message, outputs, step, notices,
                compiled_from_cache, seconds, schedule, trial, nearness, counted)

namespace {

// As texts, which keep the order of their members.
nlohmann::json texts_of(const std::vector<nlohmann::ordered_json>& records) {
  nlohmann::json texts = nlohmann::json::array();
  for (const auto& record : records) {
    texts.push_back(record.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  return texts;
}

std::vector<nlohmann::ordered_json> records_from(const nlohmann::json& texts) {
  std::vector<nlohmann::ordered_json> records;
  for (const auto& text : texts) {
    records.push_back(nlohmann::ordered_json::parse(text.get<std::string>()));
  }
  return records;
}

}  // namespace

nlohmann::json outcome_json(const Outcome& outcome) {
  auto json = json_of<nlohmann::json>(outcome);
  json["where"] = json_of<nlohmann::json>(outcome.where);
  json["error"] = outcome.error ? error_json(*outcome.error) : nlohmann::json();
  json["findings"] = texts_of(outcome.findings);
  json["counters"] = texts_of(outcome.counters);
  return json;
}

Outcome outcome_from(const nlohmann::json& json) {
  auto outcome = object_from<Outcome>(json);
  outcome.where = object_from<Position>(json.at("where"));
  if (const nlohmann::json& error = json.at("error"); !error.is_null()) {
    outcome.error = error_from(error);
  }
  outcome.findings = records_from(json.at("findings"));
  outcome.counters = records_from(json.at("counters"));
  return outcome;
}

}  // namespace warpmark
