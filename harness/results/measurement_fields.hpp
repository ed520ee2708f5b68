// The members of measurements and of counted lines in records (schema/outcome.json).
#pragma once

#include <cmath>

#include "base/record_table.hpp"
#include "results/bench_result.hpp"
#include "worker/measurement_json.hpp"

namespace warpmark {

template <typename Visit>
void each_field(BenchProcess& process, const Visit& visit) {
  visit(FieldInfo("count", "Of its samples.").at_least(1).in_each_row(), process.count);
  visit(FieldInfo("median_s").at_least(0).in_each_row(), process.median_s);
  visit({"overhead_s",
         "That was taken off each sample: what an empty kernel took, timed in the same "
         "way, less `launch_s` of the ceilings; null if none was timed."},
        process.overhead_s);
  visit({"clock_mhz", "Of a multiprocessor, before and after the samples: the mean."},
        process.clock_mhz);
  visit(FieldInfo("clock_change", "That after the samples over that before them.")
            .from_month("2026-12"),
        process.clock_change);
}

template <typename Visit>
void each_field(RelativeTime& time, const Visit& visit) {
  visit({"own_s", "The middle of the rounds; seconds of one run."}, time.own_s);
  visit({"baseline_s", "The same of the baseline."}, time.baseline_s);
  visit({"ratio", "The middle of the rounds' ratios."}, time.ratio);
  visit({"low", "Of its 95 % interval."}, time.low);
  visit("high", time.high);
  visit("rounds", time.rounds);
  visit(FieldInfo("tail", "How likely equal times look so different.").if_set(), time.tail);
}

template <typename Visit>
void each_field(BenchSeries& series, const Visit& visit) {
  Summary& summary = series.summary;
  visit(FieldInfo("mode").no_column().from_month("2026-12"), series.mode);
  visit(FieldInfo("cache", "The mode, in journals of before 2026-12.").no_column().when(false),
        series.mode);
  visit(FieldInfo("batch", "Runs that one sample is the mean of.").at_least(1), series.batch);
  visit({"stop", "Why there are no more samples."}, series.stop);
  visit({"latency_hidden", "Nothing of the host's time is in the samples."}, series.latency_hidden);
  visit({"late", "Samples thrown away because the host was late."}, series.late);
  visit(FieldInfo("count", "Of the samples.").at_least(1).in_each_row(), summary.count);
  // A median of 0 would make rates and ratios meaningless.
  visit(FieldInfo("median_s", "Of several processes the mean of their medians.")
            .more_than(0)
            .in_each_row(),
        summary.median);
  visit(
      FieldInfo("low_s",
                "Of its interval: by Student's t over the processes; of one process the median's.")
          .at_least(0),
      summary.interval.low);
  visit(FieldInfo("high_s").at_least(0), summary.interval.high);
  visit({"confidence", "Of that interval; 0 for a single sample."}, summary.interval.confidence);
  visit(FieldInfo("q1_s").at_least(0), summary.q1);
  visit(FieldInfo("q3_s").at_least(0), summary.q3);
  visit(FieldInfo("min_s").at_least(0), summary.min);
  visit(FieldInfo("max_s").at_least(0), summary.max);
  visit("bytes_per_s", series.bytes_per_s);
  visit("flops_per_s", series.flops_per_s);
  visit({"copy_share", "Of the ceilings' `copy_bytes_per_s`."}, series.copy_share);
  visit({"read_share", "Of the ceilings' `read_bytes_per_s`."}, series.read_share);
  visit(FieldInfo("peak_share", "Of `peak_flops_per_s` of the measurement.").from_month("2026-12"),
        series.peak_share);
  visit(
      FieldInfo("processes", "That took the samples, in the order of these.").from_month("2026-12"),
      series.processes);
  visit({"samples_s", "In the order of time, process by process."}, series.samples);
  visit(FieldInfo("moved_bytes", "By one copy; only of transfers.").if_set(), series.moved_bytes);
  visit(FieldInfo("single_s", "Of single runs on a new state, beside a batch or graph: the median.")
            .no_column()
            .if_set(),
        series.single_s);
  visit(FieldInfo("relative", "The time over that of what it took turns with (`against`).")
            .no_column()
            .if_set(),
        series.relative);
}
void check_record(const RecordField& record, const BenchSeries& series);

template <typename Visit>
void each_field(NewStateTimes& times, const Visit& visit) {
  visit({"first_s", "Of the first run with its inputs."}, times.first_s);
  visit({"last_s", "The median of some at the end."}, times.last_s);
}

template <typename Visit>
void each_field(CaseMeasurement& one, const Visit& visit) {
  const bool timed = std::isfinite(one.seconds) && one.seconds >= 0;
  visit({"point", "The axes, in the suite's order."}, NamedValues{one.axes});
  visit(
      FieldInfo("sweep", "Axes of which reports mark the best values: `bench.sweep` of the suite.")
          .if_set(),
      one.sweep.axes);
  visit(FieldInfo("relative_to",
                  "The point that each point is compared with, by labels of case ids: "
                  "`bench.relative_to` of the suite.")
            .if_set(),
        NamedValues{one.sweep.relative_to, "label"});
  visit(FieldInfo("sources",
                  "SHA-256 over the plan and the texts of its translation units: equal if the "
                  "same was measured.")
            .like("^[0-9a-f]{64}$"),
        one.sources);
  visit(FieldInfo("budget_s").more_than(0), one.budget_s);
  visit({"precision", "What was asked for: half of the median's interval over the median."},
        one.precision);
  visit("restore", one.restore);
  visit({"bytes", "Moved by one run, as the suite or the plugin says."}, one.bytes);
  visit({"flops", "Done by one run, likewise."}, one.flops);
  visit(FieldInfo("peak_flops_per_s",
                  "That they are held against: what the suite gives, or what was measured.")
            .from_month("2026-12"),
        one.peak_flops_per_s);
  visit(FieldInfo("peak_dtype", "Whose measured peak that is; null of one that the suite gives.")
            .no_column()
            .from_month("2026-12")
            .or_null(!one.peak_dtype.empty()),
        one.peak_dtype);
  visit({"series",
         "Times of one run of the case's steps on the device, or of one copy of its arrays: of "
         "each mode."},
        one.series);
  visit({"kernels", "Of each launch of one run, in order."}, one.kernels);
  visit({"counters",
         "Of one run, summed over its launches; exact. Empty on devices that do not count."},
        NamedValues{one.counters});
  visit({"before", "What NVML says; null where it does not say."}, one.before);
  visit({"after", "The same after the samples."}, one.after);
  visit(FieldInfo("seconds", "Wall clock of the sampling; null if the clock went wrong.")
            .at_least(0)
            .or_null(timed)
            .column("sampling_s"),
        one.seconds);
  visit(FieldInfo("new_state", "Cold runs that can find nothing of an earlier one, a process each.")
            .if_set(),
        one.new_state);
  visit(FieldInfo("against",
                  "What the case was held against: `bench.against_baseline`, or `--against`.")
            .if_set(),
        one.against);
  visit(FieldInfo("not_held", "Why it has no ratio, though it was to have one.").if_set(),
        one.not_held);
  visit(FieldInfo("against_counters", "Those of what it was held against.").no_column().if_set(),
        NamedValues{one.against_counters});
  visit(FieldInfo("untested",
                  "Why a kernel that answers from an earlier run may be among these; absent where "
                  "it cannot be.")
            .if_set(),
        one.untested);
}
void check_record(const RecordField& record, const CaseMeasurement& measurement);

template <typename Visit>
void each_field(CountedLine& line, const Visit& visit) {
  visit({"file", "Relative to the suite's folder; of a header of the toolkit its name."},
        line.file);
  visit({"line", "Its number, from 1."}, line.number);
  visit({"text", "Without blanks around it; empty if it is not known."}, line.text);
  visit({"counters", "Those that are not 0."}, ByName{line.counters});
}

/// The counts of the lines of a case's source, of which a counter grew: added to the journal of
/// `bench --compare`.
struct LinesRecord {
  std::string case_id, folder;
  std::vector<CountedLine> lines;
};
template <typename Visit>
void each_field(LinesRecord& record, const Visit& visit) {
  visit("type", Constant{"lines"});
  visit({"case", "The case id."}, record.case_id);
  visit({"folder", "Of the suite."}, record.folder);
  visit("lines", record.lines);
}

}  // namespace warpmark
