// Linting an assignment: `warpmark grade --lint`.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/program/output.hpp"
#include "grade/assignment/assignment.hpp"
#include "grade/class/grade_files.hpp"

namespace warpmark {

/// Before a class is graded: throws a usage error, after a line for each problem, for an assignment
/// that lint refuses. Self-tests are not run. `files` remembers what was found good; null: nobody.
void require_lint(const Assignment& assignment, LazyPython& python, const std::string& device,
                  const GradeFiles* files, Output& out);

struct AssignmentLintRequest {
  std::filesystem::path file;
  std::string device;
  bool no_sandbox = false;
  bool mutate = false;  ///< also tells which mutants of the course's kernels get all points
  size_t jobs = 0;      ///< processes that run mutants; 0: one for each processor
};

/// Prints the assignment's problems, then its points and its weakest margin. Runs its self-tests,
/// and mutants, if there is no problem before. ExitCode::usage if there is any. Throws what
/// load_assignment and sessions throw.
ExitCode lint_assignment_file(const AssignmentLintRequest& request, Output& out);

}  // namespace warpmark
