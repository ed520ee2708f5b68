// The lines that explain a case's points where the words of its items do not suffice: one for each
// dropped trial, each degree and each measured performance.
#pragma once

#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// Lines in the order of items; none for a case without such rules, nor for a hidden case as
/// students see it. Each line names the item, the finding and its worth: "reduce.n=4096: global
/// store sectors: 4096, baseline 1024 (4 ×): 2 of 5 points".
std::vector<std::string> credit_lines(const GradedCase& one);

/// The lines of all cases, each after its case's name.
std::vector<std::string> credit_lines(const GradeResult& result);

/// "3.33 of 10"; "open, of 10" of points that are neither given nor lost.
std::string case_points_text(const GradedCase& one);
/// Its name in one line, with "(extra credit)" where its points are on top of the others.
std::string case_title(const GradedCase& one);

}  // namespace warpmark
