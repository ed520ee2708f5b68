// A baseline of exact counters: the input of a gate, without anything that changes by itself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/bench_result.hpp"

namespace warpmark {

/// The text of a counted baseline (results/baseline_text.hpp), with the cases in the order of their
/// ids, numbers in them by their value. Equal counts have equal texts, whatever the sources say: no
/// times, dates, hosts, digests or lines of a kernel are in it.
std::string counted_baseline_text(const BenchResult& result);

/// The file beside a counted baseline that has the lines of its sources, "FILE.lines": it names the
/// lines that grew, and may be missing.
std::filesystem::path lines_file(const std::filesystem::path& baseline);

/// Reads a counted baseline, also of the old form, with what its lines file knows, or the journal
/// of a bench as read_bench_result does. Throws a usage error with file and line; also for a
/// counted baseline that is cut off, because a gate with a part of it would silently check less.
BenchResult read_baseline(const std::filesystem::path& file);

/// Writes both files of a counted baseline, where they are others than before. Returns true if it
/// wrote the counts.
bool write_baseline(const std::filesystem::path& file, const BenchResult& result);

/// The cases of all these counted baselines, at least one, as those of one. Throws a usage error if
/// two have a case, or were not counted in the same way.
BenchResult merged_baseline(const std::vector<std::filesystem::path>& files);

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
