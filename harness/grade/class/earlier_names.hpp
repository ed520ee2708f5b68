// Names in results that an earlier run gave, of the same students and of others.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grade/submission/submission.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// A result whose student has another name from now on.
struct RenamedStudent {
  std::string before, after;
};

/// Compares submissions with the results of earlier runs in the same folder by the platform's ids. A
/// student who had another name there, as before there was a roster or a homonym, keeps the result
/// under the new name: those are returned. A submission that would take the name of somebody else's
/// result gets its id behind the name.
std::vector<RenamedStudent> settle_names(std::vector<Submission>& submissions,
                                         const std::vector<GradeResult>& earlier);

}  // namespace warpmark
