// The files of all shards of a run as those of one run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "results/run_context.hpp"

namespace warpmark {

/// The contents of one file of a shard that merging needs.
struct ShardPart {
  std::filesystem::path file;
  ShardContext shard;
  std::vector<size_t> positions;  ///< indices of its cases in the whole run, in the order of the
                                  ///< file
};

/// Reads the description of a shard from a record of a run or another file: {"index": 2, …}. Throws
/// a usage error, "FILE is no shard's: …", for any other value.
ShardContext shard_from(const nlohmann::ordered_json& value, const std::filesystem::path& file);

/// The words of errors for the things that are divided among shards.
struct ShardWords {
  std::string one = "case", all = "cases";
  std::string division = "the same suites, the same choice of cases";  ///< the conditions for an
                                                                       ///< equal division
};

/// For each place in the whole run, the part that has the case and the case's index in that part.
/// Throws a usage error that names the files: shards that are missing or given twice, of other
/// runs, or that divided the cases in another way; cases that are missing or given twice.
struct CasePlace {
  size_t part = 0, index = 0;
};
std::vector<CasePlace> whole_run(const std::vector<ShardPart>& parts, const ShardWords& words = {});

/// Throws a usage error, "b: the seed is 2, and in a it is 1: …", if two parts have different
/// values.
void require_same(const std::string& what, const nlohmann::ordered_json& value,
                  const nlohmann::ordered_json& first, const std::filesystem::path& file,
                  const std::filesystem::path& first_file);

/// The file of a whole run.
struct MergedFile {
  std::string text;
  ExitCode code = ExitCode::success;  ///< exit code of the whole run, as far as its shards' files
                                      ///< tell
};

/// The journal that one run would have written: its times are sums, its date is the first. Throws
/// usage errors, also for shards that are not finished, or that differ in the seed, the device, the
/// compiler, the version of Warpmark or the trials.
MergedFile merge_journals(const std::vector<std::filesystem::path>& files);

/// Merges Google Benchmark's JSON, which has only measurements: the code is always success.
MergedFile merge_google_benchmark(const std::vector<std::filesystem::path>& files);

}  // namespace warpmark
