// Outcomes and runs as JSON records (schema/outcome.json).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "results/measurement_record.hpp"
#include "results/run_context.hpp"
#include "results/totals.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// Counts up when a reader of the old records would misread the new; new members alone do not.
constexpr int kRecordVersion = 1;

/// A case that ended, as records and reports get it.
struct EndedCase {
  const Outcome& outcome;
  const std::string& reproduce;         ///< the command that repeats it
  const TimedCase* timed = nullptr;     ///< set in a bench for a case that was right
  std::optional<size_t> position = {};  ///< for a shard's case, its index in the whole run, from 0
  Position where = {};                  ///< what is to blame, or else where the case is written
};

/// The record of one case.
nlohmann::ordered_json outcome_record(const EndedCase& ended);

/// The outcome as processes of ours hand it to each other, which is more than a record has.
nlohmann::json outcome_json(const Outcome& outcome);
/// Reads what outcome_json made. Throws an Error or an exception of nlohmann-json for anything else.
Outcome outcome_from(const nlohmann::json& json);

/// The record that opens a journal; `cases` is how many are to come.
nlohmann::ordered_json run_record(const RunContext& context, size_t cases);

/// The description of a shard, in the record that opens its journal and in its other files.
nlohmann::ordered_json shard_record(const ShardContext& shard);

/// The record that ends a journal; `error` is the error that ended the run early, "" for none.
nlohmann::ordered_json end_record(const Totals& totals, double seconds, int exit_code,
                                  const std::string& error);

/// schema/outcome.json: all types of records.
nlohmann::ordered_json outcome_schema();

/// The part of a schema for files with a record of one of these types on each line.
nlohmann::ordered_json types_schema(nlohmann::ordered_json definitions);

/// A record in one line, written so that it is no command to a CI runner that reads it.
std::string record_text(const nlohmann::ordered_json& record);

/// The value with only what strict JSON in UTF-8 can say: other bytes and control characters become
/// U+FFFD, numbers that are not finite become "nan", "inf" and "-inf".
nlohmann::ordered_json strict_json(const nlohmann::ordered_json& value);

}  // namespace warpmark
