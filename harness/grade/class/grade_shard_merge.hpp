// Merges the folders of all shards of a class into the folder of one run.
#pragma once

#include <filesystem>
#include <vector>

#include "grade/class/grade_changes.hpp"
#include "grade/class/grade_files.hpp"
#include "grade/class/grade_shard.hpp"
#include "grade/class/taken_times.hpp"

namespace warpmark {

/// All shards of a class, checked to be the parts of one run, in the order of their numbers.
struct GradedParts {
  std::vector<std::filesystem::path> folders;
  std::vector<GradeShard> shards;    ///< shards of the folders
  std::vector<GradeResult> results;  ///< results of the class, by student's name
  std::vector<size_t> of;            ///< index of the folder of each result
  bool whole = false;                ///< the one folder has a whole class, and `shards` one for all
};

/// Throws usage errors that name the folders: one that is no shard's, or of a shard that has not
/// finished; shards that are missing or there twice, or that divided the class in another way; those
/// of other assignments, secrets, devices, versions or rules of the course; results that are missing.
GradedParts read_parts(const std::vector<std::filesystem::path>& folders);

/// The folder of a whole class. Throws a usage error for one without grades.
GradedParts read_whole(const std::filesystem::path& folder);

/// Writes the files that one run into that folder would have written, and returns the changes of
/// points. A folder without results takes over the earlier results and changes in the shards'
/// folders. Joins the times of another run, and those that the folder's results have; null for none.
std::vector<GradeChange> write_merged(GradedParts& parts, const TakenTimes* times,
                                      const GradeFiles& files);

}  // namespace warpmark
