// What the points of a case are made of, where that is more than the words of its items: a line for
// each dropped trial, each degree and each measured performance.
#pragma once

#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// In the order of items; none of a case without such rules, and of a hidden one as students see
/// it. Each says whose item it is, what was found, and what it is worth: "reduce.n=4096: global
/// store sectors: 4096, baseline 1024 (4 ×): 2 of 5 points".
std::vector<std::string> credit_lines(const GradedCase& one);

/// The same of all cases, each line with its case's name before it.
std::vector<std::string> credit_lines(const GradeResult& result);

/// "3.33 of 10"; "open, of 10" of points that are neither given nor lost.
std::string case_points_text(const GradedCase& one);

}  // namespace warpmark
