// A folder of journals, in the place of one.
#pragma once

#include <filesystem>
#include <vector>

#include "results/bench_result.hpp"

namespace warpmark {

/// The file itself, or of a folder all *.jsonl in it, sorted by their names; hidden ones are left
/// out. Throws a usage error for a folder without any, and an environment error for one that cannot
/// be read.
std::vector<std::filesystem::path> journal_files(const std::filesystem::path& path);
/// The same with the baselines of counters among them, *.baseline.
std::vector<std::filesystem::path> comparable_files(const std::filesystem::path& path);

/// read_baseline() of a file; of a folder the cases of all its files as those of one bench, with
/// times as if an empty kernel took the same in each. Throws a usage error where that is none: the
/// files differ in the device, the compiler or the seed, or two have a case.
BenchResult read_baseline_or_folder(const std::filesystem::path& path);

}  // namespace warpmark
