// The checks of `grade --lint`: an assignment must give its points to right kernels only.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "grade/assignment/assignment.hpp"
#include "grade/assignment/reached_composites.hpp"
#include "grade/assignment/trivial_margin.hpp"
#include "plan/plugin_loader.hpp"
#include "python/interpreter.hpp"
#include "results/grade_result.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// The wrong answer of all cases of a suite that comes nearest to being accepted.
struct WeakestMargin {
  std::string suite;
  std::string case_name;  ///< of the assignment
  std::string item;       ///< id
  AnswerMargin margin;
};

struct AssignmentLint {
  std::vector<Error> problems;     ///< usage errors with their places; empty for a good assignment
  std::vector<std::string> notes;  ///< notes that are worth knowing and report no mistake
  /// The axes and scalar arguments with one value, whose problems the key `fixed` would end.
  std::vector<std::string> built_in;
  /// One for each suite in which something was compared; `times` is infinite where all values must
  /// be equal.
  std::vector<WeakestMargin> weakest;
};

/// Evaluates inputs, references and tolerances of every item with the suite's own kernel compiled
/// for its types, launches nothing, and tries the answers of docs/assignment-format.md. `session`
/// is without confinement. Throws environment errors only.
AssignmentLint lint_assignment(const Assignment& assignment, Session& session, Interpreter& python,
                               PluginLoader& plugins);

/// Grades a file as if a student had handed it in.
using GradeFile = std::function<GradeResult(const std::filesystem::path& file)>;

/// Grades the files of `self_test` in order. Returns a usage error, at its place, for each file
/// that must pass and does not get all points, that must fail and does not, or that could not be
/// graded. `reached` gets a line for each measured performance of a file that must pass, and for each
/// composite of `composites`, which `grade` fills.
std::vector<Error> run_self_tests(const Assignment& assignment, const GradeFile& grade,
                                  std::vector<std::string>* reached = nullptr,
                                  ReachedComposites* composites = nullptr);

/// Lines of points, cases and items, and of the weakest margin of each suite.
std::string lint_summary(const Assignment& assignment, const AssignmentLint& lint);

}  // namespace warpmark
