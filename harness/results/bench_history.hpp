// Results of benches over commits: the values of each point in the order of time, and its change points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/bench_comparison.hpp"
#include "results/bench_result.hpp"
#include "results/change_points.hpp"

namespace warpmark {

struct HistoryOptions : ChangeOptions {
  double least_count_effect = 0;  ///< counts are exact, so that any change counts
};

struct HistoryRun {
  /// As `git describe --always --dirty` has it, "1a2b3c4-dirty"; the file's name without a commit, and
  /// in brackets behind one that several runs have.
  std::string label;
  BenchResult result;
  std::vector<ComparisonNote>
      notes;  ///< a journal that is not whole; what differs from the run before
};

/// Seconds, or a count, which has no interval.
struct HistoryValue {
  double value = 0, low = 0, high = 0;
  double confidence = 0;  ///< of the interval; 0 of a count
  size_t samples = 0;     ///< 0 of a count
};

struct HistoryChange {
  size_t run = 0;              ///< the first one after it
  Ratio ratio;                 ///< of the values from it on to those before, up to the next changes
  std::optional<double> tail;  ///< RatioOfTimes::tail; nothing of a count
  bool sources_differ = false;
  std::string reason;  ///< why it is not held against the kernel: the SM clock; else ""
};

/// A case under one state of the cache, or one of its counters.
struct HistoryPoint {
  std::string suite, id;
  std::string point;    ///< of the axes: "n=4"
  std::string mode;     ///< cold, hot, …; "" of a counter
  std::string counter;  ///< "" of times
  /// One for each run; nothing where it has no value.
  std::vector<std::optional<HistoryValue>> values;
  std::vector<std::string> verdicts;  ///< of runs without a value: "failed", …; "" if all is well
  std::vector<HistoryChange> changes;
  std::optional<RatioOfTimes> drift;  ///< of the last value to the first
  size_t unchanged_counters = 0;      ///< of the same case; they have no point of their own

  bool changed() const { return !changes.empty() || drift.has_value(); }
};

struct BenchHistory {
  std::vector<HistoryRun> runs;      ///< the oldest first
  std::vector<HistoryPoint> points;  ///< by suite, in the order in which the runs name them
  bool counted = false;              ///< values are exact counts
  HistoryOptions options;
};

/// Orders the results by their dates. Of devices that count, each counter that changed has a point, and
/// of those that did not only the thread-instructions; their times are no points.
///
/// Throws a usage error if the devices differ, or only one of them counts.
BenchHistory make_history(std::vector<BenchResult> results, const HistoryOptions& options = {});

}  // namespace warpmark
