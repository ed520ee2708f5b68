// JUnit reports of parts of a run: a comment in each says all that it has, and they become one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/run/junit.hpp"
#include "results/run_context.hpp"
#include "results/shard_merge.hpp"

namespace warpmark {

/// The comment for a report that is to become part of another: its suites and cases, and the shard
/// that it is of, if any.
std::string junit_part_comment(const JunitDocument& document,
                               const std::optional<ShardContext>& shard);

/// Reads the comment of such a report. Throws a usage error for a file without one.
JunitDocument read_junit_part(const std::filesystem::path& file);

/// The report that one run would have written; its code is `verdict` if that has failures or errors.
/// Throws a usage error for a file that is no report of a shard, and for shards that do not make a
/// whole.
MergedFile merge_junit(const std::vector<std::filesystem::path>& files);

}  // namespace warpmark
