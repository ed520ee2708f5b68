// A check that grading again gives the results of before.
#pragma once

#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

struct UnexpectedGrade {
  std::string student;
  std::string what;  ///< "/points: 4 instead of 6, and 2 more differences"
};

/// Compares the results of the same students, except for dates, seconds, and the parts of the
/// sandbox. With `whole`, a student who is in only one of the two is unexpected, too.
std::vector<UnexpectedGrade> unexpected_grades(const std::vector<GradeResult>& expected,
                                               const std::vector<GradeResult>& results, bool whole);

}  // namespace warpmark
