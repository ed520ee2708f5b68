// `warpmark try`: a student's own file on the visible cases of an assignment, explained.
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "base/interrupt.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/program/command.hpp"
#include "cli/program/lazy_python.hpp"
#include "grade/grader/grader.hpp"
#include "grade/submission/submission_search.hpp"
#include "report/grade/grade_annotations.hpp"
#include "report/grade/grade_console.hpp"
#include "report/page/style.hpp"
#include "report/problems/annotations.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct TryRequest {
  fs::path assignment;
  std::vector<fs::path> files;
  std::vector<std::string> cases;
  std::optional<uint64_t> seed;
  bool hidden = false;
  std::string device = "auto";
  bool json = false;
  bool quiet = false;
};

// The files, or with "-" the standard input under the name that the assignment wants.
Submission read_files_of(const TryRequest& request, const SubmissionRules& rules) {
  Submission submission;
  const fs::path& first = request.files.front();
  std::error_code code;
  if (std::ranges::find(request.files, "-") != request.files.end()) {
    if (rules.several()) {
      throw usage_error("one text is no submission: the assignment wants " + wanted_files(rules),
                        {}, "name the files, or their folder");
    }
    if (request.files.size() > 1) throw usage_error("`-` stands for the only file");
    submission.file = submission.student = rules.file;
    read_submission(submission, rules, STDIN_FILENO);
    return submission;
  }
  for (const fs::path& file : request.files) {
    if (fs::exists(fs::symlink_status(file, code))) continue;
    throw usage_error("there is no file " + printable(display_path(file)), {},
                      rules.several()
                          ? "the assignment wants " + wanted_files(rules)
                          : fmt::format("the assignment wants one called `{}`", rules.file));
  }
  if (rules.several() || request.files.size() > 1 || fs::is_directory(first, code)) {
    submission = find_one(request.files, rules, join(rules.files(), ", "));
  } else {
    submission.path = first;
    submission.file = first.filename().string();
    submission.student = submission.file;
    submission.header_folder = fs::absolute(first).parent_path();
  }
  read_submission(submission, rules);
  return submission;
}

// The files as the machine that runs the command knows them.
std::vector<AnnotatedFile> annotated(const TryRequest& request, const Assignment& assignment,
                                     const Submission& submission) {
  const std::vector<std::string> names = assignment.submission.files();
  std::vector<AnnotatedFile> files;
  for (const SubmittedFile* file : submission.sources()) {
    const std::string& name = submission.files.empty() ? names.front() : file->file;
    files.push_back({name, file->path.empty() ? name : file->path.string()});
    for (const OwnHeader& header : file->headers) {
      files.push_back({header.name, (file->path.parent_path() / header.name).string()});
    }
  }
  if (request.files.front() == "-") files.front().place = names.front();
  return files;
}

ExitCode try_out(const TryRequest& request, Output& out) {
  if (request.seed && request.cases.empty()) {
    throw usage_error("--seed needs --case, which says what it is for");
  }
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  const Submission submission = read_files_of(request, assignment->submission);
  GraderOptions options;
  options.device = request.device;
  options.no_sandbox = true;  // a student's own file on a student's own machine
  options.seed = request.seed;
  options.hidden = request.hidden;
  options.only = request.cases;
  options.assignment_word = display_path(request.assignment);
  for (const fs::path& file : request.files) {
    options.file_words.push_back(file == "-" ? "-" : display_path(file));
  }
  SubmissionGrader grader(python.interpreter(), assignment, std::move(options));
  const InterruptGuard guard([&grader] { grader.interrupt(); });
  if (submission.refusal.empty()) grader.prepare();  // reports anything that this machine lacks
  GradeResult result = grader.grade(submission);
  if (guard.interrupted()) return guard.exit_code();
  // A user who asks for hidden cases has the file that describes them.
  for (GradedCase& one : result.cases) one.visibility = Visibility::visible;
  const StudentView view(result);
  if (request.json) {
    out.write(json_document(to_json(view)));
  } else {
    ConsoleStyle style = console_style(STDOUT_FILENO);
    style.for_runner = out.for_runner();
    if (request.quiet) style.verbosity = Verbosity::quiet;
    out.flush();  // the report goes to the same descriptor
    print_grade(std::cout, style, view);
    std::cout.flush();
  }
  if (wants_annotations(AnnotationMode::automatic, request.json)) {
    annotate_grade(std::cerr, view, annotated(request, *assignment, submission));
  }
  if (result.state == GradeState::grader_error) {
    print_error(out, result.staff);
    return ExitCode::internal;
  }
  return result.points >= result.max_points ? ExitCode::success : ExitCode::verdict;
}

}  // namespace

Command try_command(const ArgumentParser& program) {
  const auto request = std::make_shared<TryRequest>();
  const ArgumentParser app = program.add_subcommand(
      "try", "Try your file on the visible cases of an assignment, as in grading");
  app.add_option("ASSIGNMENT", request->assignment, "The assignment's YAML file")
      .required()
      .value_name("");
  app.add_option("FILE", request->files,
                 "Your .cu file, several files or their folder, or - for standard\n"
                 "input")
      .required()
      .value_name("");
  app.add_option("--case", request->cases, "Only this case, by its name or an item's id")
      .value_name("ID");
  app.add_option("--seed", request->seed, "The inputs of one failure, as printed with it")
      .value_name("N")
      .check([](const std::string& text) {  // the reader of numbers would wrap it around
        return text.starts_with('-') ? "a seed is a whole number from 0 to 2**64 - 1" : "";
      });
  app.add_flag("--hidden", request->hidden, "Also hidden cases, if the assignment has them");
  app.add_option("--device", request->device, "auto (default), gpu, cpu …").value_name("D");
  app.add_flag("--json", request->json, "As JSON (schema/grade.json)");
  app.add_flag("-q,--quiet", request->quiet, "Print the points only");
  return {app, [request](Output& out) { return try_out(*request, out); }};
}

}  // namespace warpmark
