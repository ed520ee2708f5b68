// Turns the result of grading a candidate into the record of `warpmark judge`.
#pragma once

#include "grade/assignment/assignment.hpp"
#include "results/grade_result.hpp"
#include "results/judgement.hpp"

namespace warpmark {

/// `reports`: the device finds mistakes in memory and order, so that a candidate can be clean.
Judgement judgement_of(const GradeResult& result, const Assignment& task, bool reports);

}  // namespace warpmark
