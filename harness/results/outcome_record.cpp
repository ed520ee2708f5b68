#include "results/outcome_record.hpp"

#include <cmath>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/log_text.hpp"
#include "base/text.hpp"
#include "results/outcome_fields.hpp"
#include "results/run_fields.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

// Journals are committed as baselines: one of this tree's own build names no folder above the tree.
void shorten(std::string& library) {
  if (!library.empty()) library = display_path(library);
}

void place(OutputVerdict& output) {
  Comparison& found = output.comparison;
  const auto place = [&](Mismatch& one) { one.position = subscripts(one.index, output.shape); };
  if (found.first) place(*found.first);
  if (found.worst) place(*found.worst);
  for (Mismatch& one : found.next) place(one);
}

}  // namespace

Json outcome_record(const EndedCase& ended) {
  CaseRecord record{ended.outcome, ended.reproduce, {}, ended.position};
  if (ended.timed != nullptr) record.measurement = *ended.timed;
  for (OutputVerdict& output : record.outcome.outputs) place(output);
  return strict_json(record_json(record));
}

nlohmann::json outcome_json(const Outcome& outcome) {
  // A text keeps the order of the members of findings.
  return json_line(record_json(CaseRecord{outcome, {}, {}, {}}, RecordScope::message));
}

Outcome outcome_from(const nlohmann::json& json) {
  const Json parsed = parse_json(json.get_ref<const std::string&>());
  const Position where{"the outcome of another process", 0, 0};
  CaseRecord record;
  read_record(RecordField(parsed, where), record);
  return std::move(record.outcome);
}

Json run_record(const RunContext& context, size_t cases) {
  RunRecord record{context, cases};
  shorten(record.run.device.driver);
  shorten(record.run.device.nvrtc);
  return strict_json(record_json(record));
}

Json shard_record(const ShardContext& shard) {
  return record_json(shard);
}

Json end_record(const Totals& totals, double seconds, int exit_code, const std::string& error) {
  return strict_json(record_json(EndRecord{totals, seconds, exit_code, error}));
}

Json outcome_schema() {
  return schema_document(
      "outcome", "Warpmark journal record, version " + std::to_string(kRecordVersion),
      "One line of a journal: `run` opens it, a `case` for each case that ended, `lines` for what "
      "lines of a source counted, `end` closes it. Readers ignore members and types that they do "
      "not know.",
      types_schema({{"run", record_schema(RunRecord(), /*closed=*/false)},
                    {"case", record_schema(CaseRecord(), /*closed=*/false)},
                    {"lines", record_schema(LinesRecord(), /*closed=*/false)},
                    {"end", record_schema(EndRecord(), /*closed=*/false)}}));
}

Json types_schema(Json definitions) {
  Json types = Json::array();
  for (const auto& [type, schema] : definitions.items())
    types.push_back({{"$ref", "#/definitions/" + type}});
  return {{"oneOf", std::move(types)}, {"definitions", std::move(definitions)}};
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
