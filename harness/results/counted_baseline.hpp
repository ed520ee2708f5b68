// A baseline of exact counters: the input of a gate, without anything that changes by itself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/bench_result.hpp"

namespace warpmark {

/// Counts up when a reader of the old form would misread the new one.
constexpr int kBaselineVersion = 1;

/// The text of a counted baseline (schema/baseline.json): JSON lines, first what the counts depend
/// on, then one line for each case with counters, last an end. Two runs of the same code have the
/// same text, and a change of one kernel changes the lines of its cases: there are no times, dates
/// or hosts, and cases are in the order of their ids, numbers in them by their value. Counters that
/// are 0 are named in the first line alone.
std::string counted_baseline_text(const BenchResult& result);

/// Reads a counted baseline, or the journal of a bench as read_bench_result does. Throws a usage
/// error with file and line; also for a counted baseline that is cut off, because a gate with a
/// part of it would silently check less.
BenchResult read_baseline(const std::filesystem::path& file);

/// True if id `a` sorts before `b`: n=16 before n=400.
bool is_before(const std::string& a, const std::string& b);

/// The result of an update, and the number of case ids by kind of change.
struct BaselineUpdate {
  BenchResult result;  ///< the baseline to write
  size_t changed = 0, added = 0, removed = 0, same = 0;
};

/// The measured cases of `run`, and those of `old` that the run was not asked for. Throws a usage
/// error if there are such cases and the counts of the two were not made in the same way.
BaselineUpdate updated_baseline(const BenchResult& old, const BenchResult& run);

}  // namespace warpmark
