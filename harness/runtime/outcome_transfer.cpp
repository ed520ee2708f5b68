#include "runtime/outcome_transfer.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error_json.hpp"
#include "base/json_fields.hpp"

namespace warpmark {

// Found by nlohmann-json for members of members; enumerations are numbers to it.
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
static void to_json(nlohmann::json& json, const Mismatch& mismatch) {
  json = json_of<nlohmann::json>(mismatch);
}
static void from_json(const nlohmann::json& json, Mismatch& mismatch) {
  mismatch = object_from<Mismatch>(json);
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
static void to_json(nlohmann::json& json, const Comparison& comparison) {
  json = json_of<nlohmann::json>(comparison);
}
static void from_json(const nlohmann::json& json, Comparison& comparison) {
  comparison = object_from<Comparison>(json);
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
static void to_json(nlohmann::json& json, const ErrorHistogram& histogram) {
  json = json_of<nlohmann::json>(histogram);
}
static void from_json(const nlohmann::json& json, ErrorHistogram& histogram) {
  histogram = object_from<ErrorHistogram>(json);
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
static void to_json(nlohmann::json& json, const OutputVerdict& output) {
  json = json_of<nlohmann::json>(output);
}
static void from_json(const nlohmann::json& json, OutputVerdict& output) {
  output = object_from<OutputVerdict>(json);
}

template <typename Visit>
void each_field(Nearness& nearness, const Visit& visit) {
  visit("share", nearness.share);
  visit("composite", nearness.composite);
}
static void to_json(nlohmann::json& json, const Nearness& nearness) {
  json = json_of<nlohmann::json>(nearness);
}
static void from_json(const nlohmann::json& json, Nearness& nearness) {
  nearness = object_from<Nearness>(json);
}

template <typename Visit>
void each_field(CountedRuns& counted, const Visit& visit) {
  visit("own", counted.own);
  visit("baseline", counted.baseline);
}
static void to_json(nlohmann::json& json, const CountedRuns& counted) {
  json = json_of<nlohmann::json>(counted);
}
static void from_json(const nlohmann::json& json, CountedRuns& counted) {
  counted = object_from<CountedRuns>(json);
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
