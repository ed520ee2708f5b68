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

/// Of one file of a shard.
struct ShardPart {
  std::filesystem::path file;
  ShardContext shard;
  std::vector<size_t> positions;  ///< of its cases in the whole run, in the order of the file
};

/// What a record of a run, or the context of another file, says: {"index": 2, …}. Throws a usage
/// error, "FILE is no shard's: …", for another value.
ShardContext shard_from(const nlohmann::ordered_json& value, const std::filesystem::path& file);

/// How errors call what is divided among shards.
struct ShardWords {
  std::string one = "case", all = "cases";
  std::string division = "the same suites, the same choice of cases";  ///< makes it the same
};

/// Which part has the case, and which of that part's it is, by place in the whole run. Throws a
/// usage error that names the files: shards that are missing or there twice, of other runs, or that
/// divided the cases in another way; cases that are missing or there twice.
struct CasePlace {
  size_t part = 0, index = 0;
};
std::vector<CasePlace> whole_run(const std::vector<ShardPart>& parts, const ShardWords& words = {});

/// Throws a usage error, "b: the seed is 2, and in a it is 1: …", if two parts differ in that.
void require_same(const std::string& what, const nlohmann::ordered_json& value,
                  const nlohmann::ordered_json& first, const std::filesystem::path& file,
                  const std::filesystem::path& first_file);

/// The file of a whole run.
struct MergedFile {
  std::string text;
  ExitCode code = ExitCode::success;  ///< of that run, as far as its shards' files tell
};

/// The journal that one run would have written: its times are sums, its date is the first. Throws
/// usage errors, also for shards that are not finished, or that differ in the seed, the device, the
/// compiler, the version of Warpmark or the trials.
MergedFile merge_journals(const std::vector<std::filesystem::path>& files);

/// The same of Google Benchmark's JSON, which has only what was measured: the code is always
/// success.
MergedFile merge_google_benchmark(const std::vector<std::filesystem::path>& files);

}  // namespace warpmark
