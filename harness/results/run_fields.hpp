// The members of runs in records (schema/outcome.json).
#pragma once

#include <cmath>
#include <string>

#include "base/record_table.hpp"
#include "results/outcome_record.hpp"
#include "worker/device_facts_json.hpp"
#include "worker/measurement_json.hpp"

namespace warpmark {

template <typename Visit>
void each_field(Host& host, const Visit& visit) {
  visit({"system", "Kernel and its release; no name of the machine."}, host.system);
  visit("processor", host.processor);
  visit("processors", host.processors);
  visit("memory_bytes", host.memory_bytes);
}

template <typename Visit>
void each_field(GitState& git, const Visit& visit) {
  visit("commit", git.commit);
  visit({"dirty", "With changes that are not committed."}, git.dirty);
}

template <typename Visit>
void each_field(BenchContext& bench, const Visit& visit) {
  visit(FieldInfo("host").column("host_"), bench.host);
  visit(FieldInfo("git", "Of the folder of the run's first suite.").column("git_"), bench.git);
  visit(FieldInfo("ceilings",
                  "What the device can do at best, measured in the same run; null on devices that "
                  "count.")
            .column(),
        bench.ceilings);
  visit(FieldInfo("cuda_version", "Of cuda.h that the program was built with: 13000 for 13.0.")
            .no_column(),
        bench.cuda_version);
}

template <typename Visit>
void each_field(ShardContext& shard, const Visit& visit) {
  visit(FieldInfo("index", "From 1.").at_least(1), shard.index);
  visit(FieldInfo("count", "Of the shards.").at_least(1), shard.count);
  visit(FieldInfo("cases", "Of all shards together.").no_column().at_least(1), shard.cases);
  visit(FieldInfo("division", "A SHA-256 of which case is in which shard.").no_column(),
        shard.division);
  visit(FieldInfo("command", "Of the run as a whole.").no_column().if_set(), shard.command);
  visit(FieldInfo("settings", "Options that verdicts depend on, as they were given.")
            .from_month("2026-12"),
        shard.settings);
  visit(FieldInfo("texts", "Of each suite of the whole run, a digest of its files.")
            .from_month("2026-12"),
        shard.texts);
}

/// The record that opens a journal.
struct RunRecord {
  RunContext run;
  size_t cases = 0;
};
template <typename Visit>
void each_field(RunRecord& record, const Visit& visit) {
  RunContext& run = record.run;
  visit("type", Constant{"run"});
  visit({"record", "The version of the records."}, Constant{kRecordVersion});
  visit(FieldInfo("warpmark", "The program's version.").in_each_row(), run.version);
  visit(FieldInfo("date", "Of the start, in UTC.")
            .like("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")
            .in_each_row(),
        run.date);
  visit(FieldInfo("command").in_each_row(), run.command);
  visit(FieldInfo("seed", "Of the inputs.").as_digits(), run.seed);
  visit(FieldInfo("cases", "How many are to come.").in_each_row(), record.cases);
  visit(FieldInfo("deselected", "Cases that -k or --last-failed left out.").from_month("2026-12"),
        run.deselected);
  visit(FieldInfo("trials", "How often each case runs, with other inputs each time.")
            .at_least(1)
            .from_month("2026-12"),
        run.trials);
  visit(FieldInfo("device").column(), run.device);
  visit(FieldInfo("asked_cases", "The values of --case; without it, all.").if_set(), run.asked_ids);
  visit(FieldInfo("asked_select", "The value of -k; without it, all.").no_column().if_set(),
        run.asked_select);
  visit(FieldInfo("bench", "Only of `bench`.").column().if_set(), run.bench);
  visit(FieldInfo("shard",
                  "Only of a run with --shard, which has a part of the cases. `warpmark merge` "
                  "makes one journal of all parts.")
            .if_set()
            .column("shard_"),
        run.shard);
}

/// The record that ends a journal.
struct EndRecord {
  Totals totals;
  double seconds = 0;
  int exit_code = 0;
  std::string error;
};
template <typename Visit>
void each_field(EndRecord& end, const Visit& visit) {
  const bool timed = std::isfinite(end.seconds) && end.seconds >= 0;
  visit("type", Constant{"end"});
  visit("passed", end.totals.passed);
  visit("failed", end.totals.failed);
  visit("skipped", end.totals.skipped);
  visit("interrupted", end.totals.interrupted);
  visit(FieldInfo("not_run", "Left out after as many failures as were allowed.")
            .from_month("2026-12"),
        end.totals.not_run);
  visit(
      FieldInfo("seconds", "Wall clock; null if the clock went wrong.").at_least(0).or_null(timed),
      end.seconds);
  visit(FieldInfo("exit_code").between(0, 255), end.exit_code);
  visit(FieldInfo("error", "What ended the run early.").or_null(!end.error.empty()), end.error);
}

}  // namespace warpmark
