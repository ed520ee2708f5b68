// Which cases of a run are those of its shard.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/request/job_request.hpp"
#include "report/run/case_run.hpp"
#include "results/run_context.hpp"

namespace warpmark {

/// The file with "{shard}" in its name replaced by the shard's number.
std::filesystem::path with_shard_number(const std::filesystem::path& file, size_t number);

/// Replaces "{shard}" in the names of the request's output files by the shard's number.
/// Throws a usage error for what no part of a run can have: a comparison, cases that failed last
/// time, times without a shard.
void adapt_to_shard(JobRequest& request);

/// Keeps the cases of the request's shard, if it has one, and says so; each knows its place in the
/// whole. Cases are divided by their times in the journal of the request, of which those that are
/// not there take the mean; without a journal in turn. Throws a usage error if there are more
/// shards than cases.
std::optional<ShardContext> keep_shard(std::vector<CaseWork>& work, const JobRequest& request);

/// Puts it into the run's context, with a line for its console report; nothing for a whole run.
void set_shard(const std::optional<ShardContext>& shard, RunContext& context);

}  // namespace warpmark
