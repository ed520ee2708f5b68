#include "cli/grading/grade_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "cli/lint/mutant_lint.hpp"
#include "grade/assignment/assignment_lint.hpp"
#include "grade/grader/grader.hpp"
#include "grade/submission/submission_search.hpp"
#include "results/run_context.hpp"
#include "runtime/compile_forks.hpp"

namespace warpmark {

namespace {

// Grades the file or folder as if a student had handed it in, under the assignment's own rules.
GradeResult grade_file(SubmissionGrader& grader, const SubmissionRules& rules,
                       const std::filesystem::path& file) {
  if (rules.several() || std::filesystem::is_directory(file)) {
    Submission submission = find_one({file}, rules, "self-test");
    read_submission(submission, rules);
    return grader.grade(submission);
  }
  Submission submission;
  submission.student = "self-test";
  submission.path = file;
  submission.file = file.filename().string();
  submission.header_folder = std::filesystem::absolute(file).parent_path();
  read_submission(submission, rules);
  return grader.grade(submission);
}

// Finds problems without running a kernel.
AssignmentLint look_at(const Assignment& assignment, LazyPython& python,
                       const std::string& device) {
  SessionOptions options;
  options.device = device;
  options.timeout_s = assignment.limits.timeout_s;
  PluginLoader plugins;
  Session session(python.interpreter(), options);
  return lint_assignment(assignment, session, python.interpreter(), plugins);
}

// The items of each suite, with as many inputs as a submission gets.
std::vector<MutationWork> mutation_work(const Assignment& assignment) {
  std::vector<MutationWork> work;
  for (const AssignmentCase& one : assignment.cases) {
    for (const Case& item : one.items) {
      const auto known = std::ranges::find_if(
          work, [&](const MutationWork& other) { return other.suite->file == item.suite->file; });
      MutationWork& of_suite =
          known == work.end() ? work.emplace_back(MutationWork{item.suite, {}}) : *known;
      of_suite.cases.push_back(item);
      of_suite.trials = assignment.trials.count;
    }
  }
  return work;
}

}  // namespace

void require_lint(const Assignment& assignment, LazyPython& python, const std::string& device,
                  const GradeFiles* files, Output& out) {
  // The same assignment need not be checked for every submission that comes in.
  const std::string key = sha256_hex(assignment.sha256 + " " + warpmark_version());
  if (files != nullptr && files->linted() == key) return;
  const AssignmentLint lint = look_at(assignment, python, device);
  if (lint.problems.empty()) {
    if (files != nullptr) files->set_linted(key);
    return;
  }
  for (const Error& problem : lint.problems) print_error(out, problem.what());
  throw usage_error(
      fmt::format("lint refuses {}, and nothing was graded", display_path(assignment.file)), {},
      "mend it, or grade all the same with --without-lint");
}

ExitCode lint_assignment_file(const AssignmentLintRequest& request, Output& out) {
  const std::string& device = request.device;
  LazyPython python;
  const auto assignment = load_assignment(request.file, python.list_evaluator());
  require_whole(*assignment);
  // Processes are forked before this one has threads.
  std::optional<MutantLint> mutants;
  if (request.mutate) {
    MutationOptions options;
    options.session.device = device == "auto" ? "cpu" : device;
    options.session.timeout_s = assignment->limits.timeout_s;
    mutants.emplace(mutation_work(*assignment), options, request.jobs, python);
  }
  AssignmentLint lint = look_at(*assignment, python, device);
  if (lint.problems.empty() && !assignment->self_tests.empty()) {
    GraderOptions grading;
    grading.device = device;
    grading.no_sandbox = request.no_sandbox;
    grading.serves_many = CompileForks::adopt();
    ReachedComposites composites;
    grading.on_composites = [&](const Case& item, const std::vector<MeasuredComposite>& measured) {
      composites.add(item, measured);
    };
    SubmissionGrader grader(python.interpreter(), assignment, std::move(grading));
    grader.prepare();  // anything that this machine lacks is no problem of the assignment
    lint.problems = run_self_tests(
        *assignment,
        [&](const std::filesystem::path& one) {
          return grade_file(grader, assignment->submission, one);
        },
        &lint.notes, &composites);
  }
  MutantFindings mutated;
  if (mutants && lint.problems.empty()) {
    mutated = mutants->run();
    lint.problems = mutated.problems;
  }
  for (const Error& problem : lint.problems) print_error(out, problem.what());
  for (const Error& warning : mutated.warnings) print_error(out, warning_text(warning));
  for (const std::string& line : mutated.summaries()) out.print("{}\n", line);
  for (const std::string& note : lint.notes) out.print("note: {}\n", note);
  const std::string summary = lint_summary(*assignment, lint);
  out.print("{}{}", summary, summary.empty() || summary.back() == '\n' ? "" : "\n");
  return lint.problems.empty() ? ExitCode::success : ExitCode::usage;
}

}  // namespace warpmark
