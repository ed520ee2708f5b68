// Which part of a run this process does, where several share it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

struct Shard {
  size_t index = 1;  ///< from 1
  size_t count = 1;
  std::string from;  ///< who says so, if not the command line: "SLURM_ARRAY_TASK_ID"; else ""
};

/// Reads "2/4", "auto" or "auto/4". `auto` takes the shard from the environment: of a Slurm array,
/// of ranks that mpirun or srun started, of GitLab, of GoogleTest, of a Kubernetes job with indexes.
/// The number of shards must be given where the environment does not say it. Throws a usage error:
/// another text, nothing in the environment, or two of these that do not say the same.
Shard parse_shard(std::string_view text);

/// Divides work into `count` shards, by the seconds that each piece takes: the longest first, to the
/// shard that has least (Graham 1969: at most 4/3 of the best). Pieces of one length go round.
/// Returns the shard of each piece, from 1.
std::vector<size_t> divide(const std::vector<double>& seconds, size_t count);

struct Division {
  std::vector<size_t> shards;  ///< of each piece, from 1
  std::string digest;          ///< SHA-256 of which piece is in which shard
};

/// Divides pieces of work with these names by the seconds that each took before: one of which they
/// are not known takes the mean, and all of them are alike if none is known. Throws a usage error
/// for more shards than pieces, which `pieces` counts: "3 cases".
Division divide_named(const std::vector<std::string>& names,
                      const std::map<std::string, double>& seconds, size_t count,
                      const std::string& pieces);

}  // namespace warpmark
