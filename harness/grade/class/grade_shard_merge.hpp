// The folders of all shards of a class as that of one run.
#pragma once

#include <filesystem>
#include <vector>

#include "grade/class/grade_changes.hpp"
#include "grade/class/grade_files.hpp"
#include "grade/class/grade_shard.hpp"

namespace warpmark {

/// All shards of a class, checked to be the parts of one run, in the order of their numbers.
struct GradedParts {
  std::vector<std::filesystem::path> folders;
  std::vector<GradeShard> shards;    ///< of the folders
  std::vector<GradeResult> results;  ///< of the class, by student's name
  std::vector<size_t> of;            ///< of each result, which folder has it
};

/// Throws usage errors that name the folders: one that is no shard's, or of a shard that has not
/// finished; shards that are missing or there twice, or that divided the class in another way; those
/// of other assignments, secrets, devices, versions or rules of the course; results that are missing.
GradedParts read_parts(const std::vector<std::filesystem::path>& folders);

/// Writes what one run into that folder would have written, and returns whose points it changes. A
/// folder that has no results takes over what shards that graded again kept.
std::vector<GradeChange> write_merged(const GradedParts& parts, const GradeFiles& files);

}  // namespace warpmark
