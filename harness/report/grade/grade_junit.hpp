// Grades as JUnit XML, for tools that collect test results.
#pragma once

#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// A `testsuite` for each result, in it a `testcase` for each case of the assignment. What lost
/// points is a `failure`. What the grader could not judge is `skipped`, and the grader's own fault
/// is the `error` of a testcase `grading` of its own. For staff: it has hidden cases in full.
std::string grade_junit(const std::vector<GradeResult>& results);

}  // namespace warpmark
