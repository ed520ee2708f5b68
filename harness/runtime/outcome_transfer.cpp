#include "runtime/outcome_transfer.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error_json.hpp"
#include "base/json_fields.hpp"

namespace warpmark {

template <typename Visit>
void each_field(Mismatch& mismatch, const Visit& visit) {
  visit("kind", mismatch.kind);
  visit("index", mismatch.index);
  visit("actual", mismatch.actual);
  visit("expected", mismatch.expected);
  visit("error", mismatch.error);
  visit("bound", mismatch.bound);
  visit("ulp", mismatch.ulp);
}

template <typename Visit>
void each_field(Comparison& comparison, const Visit& visit) {
  visit("elements", comparison.elements);
  visit("wrong", comparison.wrong);
  visit("unwritten", comparison.unwritten);
  visit("in_part", comparison.in_part);
  visit("doubtful", comparison.doubtful);
  visit("by_value", comparison.by_value);
  visit("first", comparison.first);
  visit("next", comparison.next);
  visit("worst", comparison.worst);
}

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
template <typename Visit>
void each_field(ErrorHistogram& histogram, const Visit& visit) {
  visit("unit", histogram.unit);
  visit("buckets", histogram.buckets);
}

template <typename Visit>
void each_field(OutputVerdict& output, const Visit& visit) {
  visit("output", output.output);
  visit("dtype", output.dtype);
  visit("shape", output.shape);
  visit("comparison", output.comparison);
  visit("has_tolerance", output.has_tolerance);
  visit("has_reference", output.has_reference);
  visit("sufficient", output.sufficient);
  visit("histogram", output.histogram);
}

template <typename Visit>
void each_field(Nearness& nearness, const Visit& visit) {
  visit("share", nearness.share);
  visit("composite", nearness.composite);
}

template <typename Visit>
void each_field(CountedRuns& counted, const Visit& visit) {
  visit("own", counted.own);
  visit("baseline", counted.baseline);
}

// All members that JSON takes as they are.
template <typename Visit>
void each_field(Outcome& outcome, const Visit& visit) {
  visit("suite", outcome.suite);
  visit("case_id", outcome.case_id);
  visit("verdict", outcome.verdict);
  visit("failure", outcome.failure);
  visit("reason", outcome.reason);
  visit("message", outcome.message);
  visit("outputs", outcome.outputs);
  visit("step", outcome.step);
  visit("notices", outcome.notices);
  visit("compiled_from_cache", outcome.compiled_from_cache);
  visit("seconds", outcome.seconds);
  visit("schedule", outcome.schedule);
  visit("trial", outcome.trial);
  visit("nearness", outcome.nearness);
  visit("counted", outcome.counted);
}

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
