#include "results/outcome_record.hpp"

#include <cmath>
#include <cstdint>

#include "base/error_json.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/log_text.hpp"
#include "base/text.hpp"
#include "worker/device_facts_json.hpp"
#include "worker/measurement_json.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

Json record_of(const std::optional<Mismatch>& mismatch, const std::vector<int64_t>& shape) {
  if (!mismatch) return nullptr;
  Json record = {{"kind", to_text(mismatch->kind)},
                 {"index", mismatch->index},
                 {"position", subscripts(mismatch->index, shape)},
                 {"actual", mismatch->actual},
                 {"expected", mismatch->expected}};
  if (!mismatch->error.empty()) record["error"] = mismatch->error;
  if (!mismatch->bound.empty()) record["bound"] = mismatch->bound;
  if (!mismatch->ulp.empty()) record["ulp"] = mismatch->ulp;
  return record;
}

// An infinite end is left out.
Json record_of(const ErrorHistogram& histogram) {
  Json buckets = Json::array();
  for (const ErrorBucket& bucket : histogram.buckets) {
    Json one = {{"low", bucket.low}, {"count", bucket.count}};
    if (std::isfinite(bucket.high)) one["high"] = bucket.high;
    buckets.push_back(std::move(one));
  }
  return {{"unit", histogram.unit}, {"buckets", std::move(buckets)}};
}

Json record_of(const OutputVerdict& output) {
  const Comparison& comparison = output.comparison;
  Json record = {{"name", output.output},
                 {"dtype", output.dtype},
                 {"shape", output.shape},
                 {"elements", comparison.elements},
                 {"wrong", comparison.wrong},
                 {"unwritten", comparison.unwritten},
                 {"doubtful", comparison.doubtful},
                 {"first", record_of(comparison.first, output.shape)},
                 {"worst", record_of(comparison.worst, output.shape)}};
  if (!comparison.next.empty()) {
    for (const Mismatch& one : comparison.next) {
      record["next"].push_back(record_of(std::optional(one), output.shape));
    }
  }
  if (!output.has_reference) record["has_reference"] = false;
  if (!output.sufficient.empty()) record["sufficient_tolerance"] = output.sufficient;
  if (!output.histogram.buckets.empty()) record["errors"] = record_of(output.histogram);
  return record;
}

Json record_of(const Position& where) {
  if (!where.known()) return nullptr;
  return json_of<Json>(where);
}

// A clock that went wrong must not make the record invalid.
Json seconds_or_null(double seconds) {
  return std::isfinite(seconds) && seconds >= 0 ? Json(seconds) : Json(nullptr);
}

// Journals are committed as baselines: one of this tree's own build names no folder above the tree.
std::string library_text(const std::string& file) {
  return file.empty() ? "" : display_path(file);
}

Json record_of(const DeviceFacts& device) {
  Json attributes = Json::array();
  for (const auto& [name, value] : device.attributes) {
    attributes.push_back({{"name", name}, {"value", value}});
  }
  Json record = json_of<Json>(device);
  record["driver"] = library_text(device.driver);
  record["nvrtc"] = library_text(device.nvrtc);
  record["attributes"] = std::move(attributes);
  record.erase("sandbox");  // they stand for grading only, whose results name them
  return record;
}

Json record_of(const BenchContext& bench) {
  Json git, ceilings;
  if (bench.git) git = {{"commit", bench.git->commit}, {"dirty", bench.git->dirty}};
  if (bench.ceilings) ceilings = json_of<Json>(*bench.ceilings);
  return {{"host",
           {{"system", bench.host.system},
            {"processor", bench.host.processor},
            {"processors", bench.host.processors},
            {"memory_bytes", bench.host.memory_bytes}}},
          {"git", std::move(git)},
          {"ceilings", std::move(ceilings)},
          {"cuda_version", bench.cuda_version}};
}

}  // namespace

Json outcome_record(const EndedCase& ended) {
  const Outcome& outcome = ended.outcome;
  Json outputs = Json::array();
  for (const OutputVerdict& output : outcome.outputs) outputs.push_back(record_of(output));
  Json record = {{"type", "case"},
                 {"suite", outcome.suite},
                 {"case", outcome.case_id},
                 {"verdict", to_text(outcome.verdict)},
                 {"failure", to_text(outcome.failure)},
                 {"reason", outcome.reason},
                 {"message", outcome.message},
                 {"where", record_of(outcome.where)},
                 {"outputs", std::move(outputs)},
                 {"findings", outcome.findings},
                 {"notices", outcome.notices},
                 {"compiled_from_cache", outcome.compiled_from_cache},
                 {"seconds", seconds_or_null(outcome.seconds)},
                 {"trial", outcome.trial ? Json(*outcome.trial) : Json(nullptr)},
                 {"reproduce", ended.reproduce}};
  if (outcome.schedule) record["schedule"] = *outcome.schedule;
  if (!outcome.counters.empty()) record["counters"] = outcome.counters;
  if (ended.timed != nullptr) record["measurement"] = measurement_record(*ended.timed);
  if (ended.position) record["position"] = *ended.position;
  return strict_json(record);
}

Json run_record(const RunContext& context, size_t cases) {
  Json record = {{"type", "run"},
                 {"record", kRecordVersion},
                 {"warpmark", context.version},
                 {"date", context.date},
                 {"command", context.command},
                 {"seed", context.seed},
                 {"cases", cases},
                 {"deselected", context.deselected},
                 {"trials", context.trials},
                 {"device", record_of(context.device)}};
  if (!context.asked_ids.empty()) record["asked_cases"] = context.asked_ids;
  if (!context.asked_select.empty()) record["asked_select"] = context.asked_select;
  if (context.bench) record["bench"] = record_of(*context.bench);
  if (context.shard) record["shard"] = shard_record(*context.shard);
  return strict_json(record);
}

Json shard_record(const ShardContext& shard) {
  return {{"index", shard.index},       {"count", shard.count},     {"cases", shard.cases},
          {"division", shard.division}, {"command", shard.command}, {"settings", shard.settings},
          {"texts", shard.texts}};
}

Json end_record(const Totals& totals, double seconds, int exit_code, const std::string& error) {
  return strict_json({{"type", "end"},
                      {"passed", totals.passed},
                      {"failed", totals.failed},
                      {"skipped", totals.skipped},
                      {"interrupted", totals.interrupted},
                      {"not_run", totals.not_run},
                      {"seconds", seconds_or_null(seconds)},
                      {"exit_code", exit_code},
                      {"error", error.empty() ? Json(nullptr) : Json(error)}});
}

std::string record_text(const Json& record) {
  return json_without_commands(json_line(record));
}

Json strict_json(const Json& value) {
  if (value.is_string()) return printable(value.get_ref<const std::string&>());
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (std::isfinite(number)) return value;
    if (std::isnan(number)) return "nan";
    return number > 0 ? "inf" : "-inf";
  }
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& element : value) list.push_back(strict_json(element));
    return list;
  }
  if (value.is_object()) {
    Json object = Json::object();
    for (const auto& [key, member] : value.items()) object[printable(key)] = strict_json(member);
    return object;
  }
  // Bytes are no JSON; a device that sends them says nothing that a record could keep.
  return value.is_binary() || value.is_discarded() ? Json(nullptr) : value;
}

}  // namespace warpmark
