// `warpmark grade --stream`: requests on the standard input, results on the standard output.
#pragma once

#include "base/error.hpp"
#include "cli/program/output.hpp"
#include "grade/assignment/assignment.hpp"
#include "grade/class/grade_worker.hpp"

namespace warpmark {

/// Grades until the input ends. ExitCode::internal if the grader failed at some; a line that is no
/// request is the caller's, and ExitCode::usage at the end.
ExitCode stream_grades(const Assignment& assignment, const GradeSetup& setup,
                       const std::string& secret_fingerprint, size_t jobs, bool quiet, Output& out);

}  // namespace warpmark
