// A grade as the results.json that Gradescope reads.
#pragma once

#include <string>

#include "results/grade_result.hpp"

namespace warpmark {

/// The file by https://gradescope-autograders.readthedocs.io/en/latest/specs/: JSON, with a newline
/// at the end. Every format is `text`: Gradescope would show HTML, Markdown and escape sequences of
/// a log as what they are.
///
/// A hidden case is a `visible` test here: the view has left nothing of it but its word and the
/// lecturer's hint, and of an assignment with a `hidden` test Gradescope shows students no total.
/// What Gradescope keeps of our standard output is for staff alone (`stdout_visibility`). There is
/// no `leaderboard`, as nothing is timed.
///
/// A grader error has neither `score` nor `tests`. By its reference a result has a score, or one in
/// each test; without, it is an autograder that failed, which staff see and can run again. A score
/// of 0, and a timeout without a file, would be the student's grade.
std::string gradescope_json(const StudentView& view);

}  // namespace warpmark
