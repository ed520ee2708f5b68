// The input of a comparison of submissions: their texts and their compiled code.
#pragma once

#include <filesystem>
#include <vector>

#include "grade/class/grade_files.hpp"
#include "grade/class/grade_shard_merge.hpp"
#include "grade/class/grade_worker.hpp"
#include "grade/similarity/similarity.hpp"
#include "grade/submission/submission.hpp"

namespace warpmark {

/// The input of --similar, for which each submission is read. Compiled code is that recorded in
/// `files`; the template is compiled with `setup`, so that its code is left out of the comparison.
SimilarityInput similarity_input(std::vector<Submission> submissions, const GradeFiles& files,
                                 const GradeSetup& setup);

/// The data that the shards kept for the comparison of submissions. Throws a usage error if they
/// did not.
SimilarityInput kept_sources(const GradedParts& parts);

/// Keeps the data in a shard's folder, and returns the part for its record.
ShardSources keep_sources(const std::filesystem::path& folder, const SimilarityInput& input);

}  // namespace warpmark
