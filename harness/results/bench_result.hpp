// The result of a bench, as `compare` and `report` read it from a journal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "results/relative_time.hpp"
#include "runtime/outcome.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

/// What one of several processes says of a series.
struct BenchProcess {
  size_t count = 0;     ///< of its samples
  double median_s = 0;  ///< of its samples
  /// What the device took for the events around a sample, and for launching: with these seconds
  /// more its samples were measured. Nothing if no empty kernel was timed beside them.
  std::optional<double> overhead_s;
  std::optional<double> clock_mhz;     ///< of a multiprocessor: the mean of before and after
  std::optional<double> clock_change;  ///< that after the samples over that before them
};

/// Times of one run of a case, under one state of the cache. A time is what was measured less the
/// overhead of its process: what an empty kernel took, timed in the same way, less what one takes
/// where they follow each other (Ceilings::launch_s). So an empty kernel has that time, and a kernel
/// what a profiler calls its duration.
struct BenchSeries {
  TimingMode mode = TimingMode::cold;
  uint64_t batch = 1;
  std::optional<uint64_t> moved_bytes;  ///< by one run of a transfer
  StopReason stop = StopReason::precise;
  bool latency_hidden = true;
  /// Seconds. Of several processes the mean of their medians, with the interval of Student's t; of
  /// one the median and its interval.
  Summary summary;
  std::vector<double> samples;          ///< seconds, in the order of time: process by process
  std::vector<BenchProcess> processes;  ///< in the order of their samples; none in old journals
  std::optional<double> bytes_per_s, flops_per_s, copy_share, read_share, peak_share;
  /// Seconds of a single run on a new state, which the mean of a batch or graph was held against.
  std::optional<double> single_s;
};

/// What a line of a kernel's source counted in one run of a case.
struct CountedLine {
  std::string file;  ///< relative to the suite's folder; of a header of the toolkit its name
  int64_t number = 0;
  std::string text;  ///< without blanks around it; "" where it is not known
  std::vector<std::pair<std::string, int64_t>> counters;  ///< those that are not 0
};

/// What the points of a suite are held against each other for.
struct SweepSettings {
  std::vector<std::string> axes;  ///< of all points that differ only in them one is best
  /// Axes, and labels of their values in ids: each point against that which has them.
  std::vector<std::pair<std::string, std::string>> relative_to;
  bool any() const { return !axes.empty() || !relative_to.empty(); }
};

/// How often Ceilings::launch_s is in a time of the series, whose runs are so many launches: once
/// for each launch where one follows another, and once for all runs of a graph, which only loses
/// what it takes to start; of single runs once, since the events around them have the rest.
double launches_within(TimingMode mode, uint64_t batch, size_t launches);

/// What an id says beside its suite: "n=4" of "doublify.n=4".
std::string point_text(const std::string& suite, const std::string& id);

/// The series of that mode, or null.
const BenchSeries* find_series(const std::vector<BenchSeries>& series, TimingMode mode);

struct BenchCase {
  std::string suite, id;
  Verdict verdict = Verdict::passed;
  std::string reason;          ///< of a case that did not pass
  std::string reproduce;       ///< the command that repeats it
  int line = 0;                ///< of its record in the journal
  std::filesystem::path file;  ///< the journal, of a result of several; "" that of the result
  /// Axis names and values, values as texts.
  std::vector<std::pair<std::string, std::string>> point;
  SweepSettings sweep;
  std::string sources;              ///< SHA-256; "" of a case that was not timed
  std::vector<BenchSeries> series;  ///< none of a case that was not timed
  std::vector<KernelFacts> kernels;
  std::vector<std::pair<std::string, int64_t>> counters;
  std::vector<CountedLine> lines;  ///< none if they were not counted
  std::string folder;              ///< of the suite, where the files of `lines` are; "" if unknown
  std::optional<double> bytes, flops;
  std::optional<double> peak_flops_per_s;  ///< what the flops are held against
  std::string peak_dtype;  ///< whose measured peak that is; "" of one that the suite gives
  DeviceState before, after;
  std::optional<RelativeTime> relative;  ///< to the suite's baseline, if that was timed, too
  /// Why a kernel that answers from an earlier run may be among its times; none where it cannot be.
  std::vector<std::string> untested;

  const BenchSeries* find_series(TimingMode mode) const {
    return warpmark::find_series(series, mode);
  }
  std::string point_text() const { return warpmark::point_text(suite, id); }
  bool measured() const { return !series.empty() || !counters.empty(); }
  std::optional<int64_t> counter(const std::string& name) const;
};

struct BenchResult {
  std::filesystem::path file;
  std::string version, command;
  std::string date;  ///< of the start; "" of a counted baseline, which has none
  std::string device_kind, device_name, device_uuid;
  int64_t driver_version = 0;
  std::string nvrtc_version;
  int64_t architecture = 0;
  std::vector<std::string> capabilities;
  std::string system, processor;  ///< of the host
  std::string seed;               ///< of the inputs, a whole number; "" if it is not known
  std::optional<std::string> commit;
  bool dirty = false;
  std::optional<Ceilings> ceilings;
  std::vector<BenchCase> cases;
  std::vector<std::string> asked_ids;  ///< the only cases that were asked for; empty for all
  std::string asked_select;            ///< the expression that chose among them; "" for all
  bool pinned = false;                 ///< only the version that made it may compare with it
  bool complete = false;               ///< the run came to its end
  std::string error;  ///< what ended it early, "" if that is not known: it was killed

  const BenchCase* find(const std::string& id) const;
  /// Whether the run would have had a case of this id, if its suites have one.
  bool asked_for(const std::string& id) const;
  /// Its device counts: what its cases say is exact.
  bool counted() const;
};

class RecordField;
/// What lines_json wrote.
std::vector<CountedLine> read_lines(const RecordField& lines);

/// Throws a usage error for what is no journal of a bench, with file and line. A run that ended
/// early is read as far as it came.
BenchResult read_bench_result(const std::filesystem::path& file);
/// Those of each bench in a journal that may hold several runs; at least one.
std::vector<BenchResult> read_bench_results(const std::filesystem::path& file);
/// The same of the last run of a journal that holds those of several jobs.
BenchResult read_last_bench_result(const std::filesystem::path& file);

}  // namespace warpmark
