// The members of outcomes: in records (schema/outcome.json), and in messages between processes.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "base/error_json.hpp"
#include "base/record_table.hpp"
#include "results/measurement_fields.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// The record of a case. A message has an outcome alone, and more of it.
struct CaseRecord {
  Outcome outcome;
  std::string reproduce;
  std::optional<CaseMeasurement> measurement;
  std::optional<size_t> position;
};

/// An error as error_json has it.
struct ErrorPart {
  std::optional<Error>& value;
  RecordJson json() const { return value ? RecordJson(error_json(*value)) : RecordJson(nullptr); }
  void read(const RecordField& record, const FieldInfo&) {
    value = error_from(nlohmann::json(record.json()));
  }
  RecordJson schema(const FieldInfo&) const { return {{"type", "object"}}; }
};

/// Coverage as a device gives it.
struct CoveragePart {
  Coverage& value;
  RecordJson json() const { return value.json(); }
  void read(const RecordField& record, const FieldInfo&) { value.add(record.json()); }
  RecordJson schema(const FieldInfo&) const { return {{"type", "object"}}; }
};

template <typename Visit>
void each_field(Mismatch& one, const Visit& visit) {
  visit("kind", one.kind);
  visit({"index", "In C order."}, one.index);
  visit({"position", "The subscripts."}, one.position);
  visit({"actual", "Shortest text that reads back to the value."}, one.actual);
  visit("expected", one.expected);
  visit(FieldInfo("error", "|x - e|, where both are finite.").if_set(), one.error);
  visit(FieldInfo("bound").if_set(), one.bound);
  visit(FieldInfo("ulp",
                  "|x - r| over the spacing of floats at r, the reference in the output's dtype; "
                  "of floats of kind value.")
            .no_column()
            .if_set(),
        one.ulp);
}

template <typename Visit>
void each_field(ErrorBucket& bucket, const Visit& visit) {
  visit({"low", "The least error, a power of two."}, bucket.low);
  visit("count", bucket.count);
  visit(FieldInfo("high",
                  "Errors are less than it, a power of two; absent for those of elements with a "
                  "bound of 0.")
            .when(std::isfinite(bucket.high)),
        bucket.high);
}

template <typename Visit>
void each_field(ErrorHistogram& histogram, const Visit& visit) {
  visit(FieldInfo("unit",
                  "Spacings of floats at the reference, or the bound of the element's tolerance.")
            .one_of("ulp,bound"),
        histogram.unit);
  visit("buckets", histogram.buckets);
}

template <typename Visit>
void each_field(OutputVerdict& output, const Visit& visit) {
  Comparison& found = output.comparison;
  visit(FieldInfo("name").in_each_row(), output.output);
  visit("dtype", output.dtype);
  visit(FieldInfo("shape").column(), output.shape);
  visit("elements", found.elements);
  visit({"wrong", "Elements that fail, unwritten ones included."}, found.wrong);
  visit("unwritten", found.unwritten);
  visit(FieldInfo("in_part").unrecorded(), found.in_part);
  visit(FieldInfo("narrow").unrecorded(), found.narrow);
  visit({"doubtful", "Right elements that equal the poison."}, found.doubtful);
  visit(FieldInfo("by_value").unrecorded(), found.by_value);
  visit(FieldInfo("first", "The wrong element of the lowest index.").column("first_"), found.first);
  visit({"worst", "The finite one of the greatest error over bound."}, found.worst);
  visit(FieldInfo("next", "The wrong elements after the first, up to 4; absent if there are none.")
            .if_set(),
        found.next);
  visit(FieldInfo("has_tolerance").unrecorded(), output.has_tolerance);
  visit(FieldInfo("tolerance", "The bound of `from_float64`, and the errors that it comes from.")
            .from_month("2026-12")
            .if_set(),
        output.tolerance);
  visit(FieldInfo("has_reference", "False if checks alone are about it; else absent.")
            .no_column()
            .when(!output.has_reference),
        output.has_reference);
  visit(FieldInfo("sufficient_tolerance",
                  "The tolerance nearest to the suite's that would let it pass, as a suite writes "
                  "it; absent if there is none.")
            .if_set(),
        output.sufficient);
  visit(FieldInfo("errors",
                  "Of an output that is wrong by finite values alone: how many of its elements "
                  "that are not equal to the reference are how far off.")
            .when(!output.histogram.buckets.empty()),
        output.histogram);
}

template <typename Visit>
void each_field(Nearness& nearness, const Visit& visit) {
  visit("share", nearness.share);
  visit("composite", nearness.composite);
}

template <typename Visit>
void each_field(CountedRuns& runs, const Visit& visit) {
  visit("own", ByName{runs.own});
  visit("baseline", ByName{runs.baseline});
}

template <typename Visit>
void each_field(CaseRecord& record, const Visit& visit) {
  Outcome& outcome = record.outcome;
  const bool timed = std::isfinite(outcome.seconds) && outcome.seconds >= 0;
  visit("type", Constant{"case"});
  visit(FieldInfo("suite").in_each_row(), outcome.suite);
  visit(FieldInfo("case", "The case id.")
            .like("^[A-Za-z0-9_/=,.~]+$")
            .column("case_id")
            .in_each_row(),
        outcome.case_id);
  visit(FieldInfo("verdict").in_each_row(), outcome.verdict);
  visit(FieldInfo("failure", "The kind of failure.").in_each_row(), outcome.failure);
  visit({"reason", "One line."}, outcome.reason);
  visit({"message", "For people, several lines."}, outcome.message);
  visit(FieldInfo("where", "The place in the suite; line and column 0 are unknown.")
            .or_null(outcome.where.known())
            .column("where_"),
        outcome.where);
  visit(FieldInfo("error").unrecorded(), ErrorPart{outcome.error});
  visit("outputs", outcome.outputs);
  visit({"findings",
         "The device's reports, as it gave them (warpmark/device.h), but for numbers that depend "
         "on the cases before: `launch`, and an allocation's `number`."},
        outcome.findings);
  visit(FieldInfo("step").unrecorded(), outcome.step);
  visit(FieldInfo("suppressed").unrecorded(), outcome.suppressed);
  visit({"notices", "Reported, not judged."}, outcome.notices);
  visit("compiled_from_cache", outcome.compiled_from_cache);
  visit(
      FieldInfo("seconds", "Wall clock; null if the clock went wrong.").at_least(0).or_null(timed),
      outcome.seconds);
  visit(FieldInfo("trial", "The one that decided, where the run was asked for trials.")
            .from_month("2026-12"),
        outcome.trial);
  visit({"reproduce", "The command that repeats the case."}, record.reproduce);
  visit(FieldInfo("schedule", "The order of threads in which it failed; absent for the usual one.")
            .no_column()
            .at_least(1)
            .if_set(),
        outcome.schedule);
  visit(
      FieldInfo(
          "counters",
          "What each launch counted (`check --counters`), as the device gave it "
          "(warpmark/device.h), but for `launch`. Of several steps each has its `step`, "
          "with its round, and its `step_name`. Absent if nobody asked. Of a case that fails by a "
          "counter the `samples` of each launch alone.")
          .if_set(),
      outcome.counters);
  visit(FieldInfo("coverage").unrecorded(), CoveragePart{outcome.coverage});
  visit(FieldInfo("nearness").unrecorded(), outcome.nearness);
  visit(FieldInfo("counted").unrecorded(), outcome.counted);
  visit(FieldInfo("measurement",
                  "Only of a case that `bench` timed, and that was right before and after.")
            .column()
            .if_set(),
        record.measurement);
  visit(FieldInfo("position", "Only with --shard: the case's place in the whole run, from 0.")
            .no_column()
            .if_set(),
        record.position);
}

}  // namespace warpmark
