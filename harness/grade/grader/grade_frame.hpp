// The frame of a result: its cases before any has a verdict, and its points once they have.
#pragma once

#include <string>

#include "grade/assignment/assignment.hpp"
#include "grade/submission/submission.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// A valid result of a submission that nobody has graded: the state grader_error, no points, every
/// item not launched. Written before grading begins, so that a student's result is never nothing.
GradeResult unfinished_grade(const Assignment& assignment, const Submission& submission);

/// Makes it the result of a submission that is not graded for the student's own reasons: every item
/// loses its points with that explanation.
void refuse(GradeResult& result, GradeState state, const std::string& message);

/// The same of one case alone.
void refuse(GradedCase& one, const std::string& message);

/// Makes it a result that the grader is to blame for. `staff` says why.
void blame_grader(GradeResult& result, const std::string& staff);

/// Sets the points of each case by the words of its items, and their sum.
void count_points(GradeResult& result);

}  // namespace warpmark
