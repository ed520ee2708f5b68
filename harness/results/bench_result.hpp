// The result of a bench, as `compare` and `report` read it from a journal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/record_table.hpp"
#include "base/statistics.hpp"
#include "results/relative_time.hpp"
#include "runtime/outcome.hpp"
#include "suite/restore.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

/// One process's part of a series that several processes measured.
struct BenchProcess {
  size_t count = 0;     ///< number of its samples
  double median_s = 0;  ///< median of its samples
  /// The device's time for the events around a sample and for launching: the samples were measured
  /// with these seconds included. Nothing if no empty kernel was timed beside them.
  std::optional<double> overhead_s;
  std::optional<double> clock_mhz;     ///< clock of a multiprocessor: the mean of before and after
  std::optional<double> clock_change;  ///< the clock after the samples divided by that before them
};

/// Times of one run of a case, under one state of the cache. A time is what was measured less the
/// overhead of its process: what an empty kernel took, timed in the same way, less what one takes
/// where they follow each other (Ceilings::launch_s). So an empty kernel has that time, and a kernel
/// what a profiler calls its duration.
struct BenchSeries {
  TimingMode mode = TimingMode::cold;
  uint64_t batch = 1;
  std::optional<uint64_t> moved_bytes;  ///< bytes that one run of a transfer moves
  StopReason stop = StopReason::precise;
  bool latency_hidden = true;
  uint64_t late = 0;  ///< samples thrown away because the host was late
  /// In seconds. For several processes the mean of their medians, with the interval of Student's t;
  /// for one process the median and its interval.
  Summary summary;
  std::vector<double> samples;          ///< seconds, in the order of time: process by process
  std::vector<BenchProcess> processes;  ///< in the order of their samples; none in old journals
  std::optional<double> bytes_per_s, flops_per_s, copy_share, read_share, peak_share;
  /// Seconds of a single run on a new state, with which the mean of a batch or graph was compared.
  std::optional<double> single_s;
  std::optional<RelativeTime> relative;  ///< to what it took turns with, if it did
};

/// The counters of a source line of a kernel in one run of a case.
struct CountedLine {
  std::string file;  ///< relative to the suite's folder; for a header of the toolkit its name
  int64_t number = 0;
  std::string text;  ///< without blanks around it; "" if unknown
  std::vector<std::pair<std::string, int64_t>> counters;  ///< counters that are not 0
};

/// The settings by which points of a suite are compared with each other.
struct SweepSettings {
  std::vector<std::string> axes;  ///< one best point is chosen among those that differ only in
                                  ///< these axes
  /// Axes, and labels of their values in ids: each point is compared with the point that has them.
  std::vector<std::pair<std::string, std::string>> relative_to;
  bool any() const { return !axes.empty() || !relative_to.empty(); }
};

/// How often Ceilings::launch_s is in a time of the series, whose runs are so many launches: once
/// for each launch where one follows another, and once for all runs of a graph, which only loses
/// what it takes to start; of single runs once, since the events around them have the rest.
double launches_within(TimingMode mode, uint64_t batch, size_t launches);

/// The part of an id after its suite: "n=4" of "doublify.n=4".
std::string point_text(const std::string& suite, const std::string& id);

/// The series of that mode, or null.
const BenchSeries* find_series(const std::vector<BenchSeries>& series, TimingMode mode);

/// The value of an axis in records.
struct RecordedValue {
  ArithmeticValue value;
  RecordJson json() const;
  void read(const RecordField& record, const FieldInfo&);
  RecordJson schema(const FieldInfo&) const { return {{"type", {"string", "number", "boolean"}}}; }
  std::string text() const;  ///< as JSON has it, but for the quotes
};

/// Times of cold runs that can find nothing of an earlier one.
struct NewStateTimes {
  std::optional<double> first_s;
  std::optional<double> last_s;
};

/// The measurement of a case: the member `measurement` of its record.
struct CaseMeasurement : MeasuredFacts {
  std::vector<std::pair<std::string, RecordedValue>> axes;  ///< of the case's point
  SweepSettings sweep;
  std::string sources;  ///< sources_hash(), a SHA-256; "" for a case that was not timed
  double budget_s = 0, precision = 0;
  Restore restore = Restore::never;
  /// The peak that the flops are compared with: given, or measured; nothing if neither is known.
  std::optional<double> peak_flops_per_s;
  std::string peak_dtype;  ///< the type of a measured peak; "" for a peak that the suite gives
  std::vector<BenchSeries> series;       ///< empty for a case that was not timed
  std::vector<NewStateTimes> new_state;  ///< one for each process
  std::string against;  ///< what it was held against: "its baseline", "old.cu"; "" for nothing
  std::string
      not_held;  ///< why there is no ratio; "" if there is one, or nothing to hold it against
  /// The counters of what it was held against, on devices that count.
  std::vector<std::pair<std::string, int64_t>> against_counters;
  /// Reasons why runs that reuse earlier results may be among its times; empty if none can be.
  std::vector<std::string> untested;

  const BenchSeries* find_series(TimingMode mode) const {
    return warpmark::find_series(series, mode);
  }
  /// Nothing if the device does not count it.
  std::optional<int64_t> counter(const std::string& name) const;
};

struct BenchCase : CaseMeasurement {
  std::string suite, id;
  Verdict verdict = Verdict::passed;
  std::string reason;          ///< reason why a case did not pass
  std::string reproduce;       ///< the command that repeats it
  int line = 0;                ///< line of its record in the journal
  std::filesystem::path file;  ///< the journal, in a result of several; "" for the result's file
  /// Axis names and values, values as texts.
  std::vector<std::pair<std::string, std::string>> point;
  std::vector<CountedLine> lines;  ///< empty if they were not counted
  std::string folder;              ///< folder of the suite with the files of `lines`; "" if unknown
  std::string point_text() const { return warpmark::point_text(suite, id); }
  bool measured() const { return !series.empty() || !counters.empty(); }
};

struct BenchResult {
  std::filesystem::path file;
  std::string version, command;
  std::string date;  ///< date of the start; "" for a counted baseline, which has none
  std::string device_kind, device_name, device_uuid;
  int64_t driver_version = 0;
  std::string nvrtc_version;
  int64_t architecture = 0;
  std::string target;  ///< what kernels were compiled for, "sm_90a"; "" in old records
  std::vector<std::string> capabilities;
  std::string system, processor;  ///< system and processor of the host
  std::string seed;               ///< seed of the inputs, a whole number; "" if unknown
  std::optional<std::string> commit;
  bool dirty = false;
  std::optional<Ceilings> ceilings;
  std::vector<BenchCase> cases;
  std::vector<std::string> asked_ids;  ///< the only cases that were asked for; empty for all
  std::string asked_select;            ///< the expression that chose among them; "" for all
  bool pinned = false;                 ///< only the version that made it may compare with it
  bool complete = false;               ///< the run came to its end
  std::string error;  ///< the error that ended it early; "" if unknown because it was killed

  const BenchCase* find(const std::string& id) const;
  /// True if the run was asked for a case of this id, provided that its suites have one.
  bool asked_for(const std::string& id) const;
  /// True if its device counts: the figures of its cases are exact.
  bool counted() const;
};

/// Throws a usage error with file and line for a file that is no journal of a bench. A run that
/// ended early is read up to its end.
BenchResult read_bench_result(const std::filesystem::path& file);
/// Returns the result of each bench in a journal that may hold several runs; at least one.
std::vector<BenchResult> read_bench_results(const std::filesystem::path& file);
/// Returns the last bench of a journal that may hold runs of several jobs.
BenchResult read_last_bench_result(const std::filesystem::path& file);

}  // namespace warpmark
