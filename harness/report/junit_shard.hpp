// JUnit reports of the shards of a run: what each says of itself, and all of them as one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/run_context.hpp"
#include "results/shard_merge.hpp"

namespace warpmark {

/// A comment that names the shard, the division, and the place in the whole run of each of its
/// cases, in the order of the report.
std::string junit_shard_comment(const ShardContext& shard, const std::vector<size_t>& positions);

/// The report that one run would have written; its code is `verdict` if that has failures or errors.
/// Throws a usage error for a file that is no report of a shard, and for shards that do not make a
/// whole.
MergedFile merge_junit(const std::vector<std::filesystem::path>& files);

}  // namespace warpmark
