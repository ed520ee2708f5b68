// What a comparison of submissions reads: their texts and what was compiled of them.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/class/grade_files.hpp"
#include "grade/class/grade_process.hpp"
#include "grade/class/grade_shard_merge.hpp"
#include "grade/similarity/similarity.hpp"
#include "grade/submission/submission.hpp"
#include "python/interpreter.hpp"

namespace warpmark {

/// What --similar compares: each submission is read for it. What was compiled of them is as `files`
/// say; the template is compiled, as `setup` grades, to leave its code out.
SimilarityInput similarity_input(const std::shared_ptr<const Assignment>& assignment,
                                 std::vector<Submission> submissions, const GradeFiles& files,
                                 const GradeSetup& setup, Interpreter& python);

/// What the shards kept for the comparison of submissions. Throws a usage error if they did not.
SimilarityInput kept_sources(const GradedParts& parts);

/// Keeps it in a shard's folder, and returns what its record says of it.
ShardSources keep_sources(const std::filesystem::path& folder, const SimilarityInput& input);

}  // namespace warpmark
