// `warpmark new assignment`: a folder with an assignment over a suite, to go on from.
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/folder_draft.hpp"
#include "cli/lazy_python.hpp"
#include "cli/new_kinds.hpp"
#include "cli/suites.hpp"
#include "compiler/includes.hpp"
#include "grade/assignment_cases.hpp"
#include "grade/assignment_lint.hpp"
#include "grade/graded_plan.hpp"
#include "grade/kernel_template.hpp"
#include "grade/new_assignment.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/session.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct NewRequest {
  fs::path folder;
  fs::path suite;
};

// Mistakes that can be made in any kernel. Which of them are mistakes in this one is tried.
struct Mistake {
  const char* file;
  const char* line;
};
constexpr Mistake kMistakes[] = {
    {"wrong/first_block.cu", "if (blockIdx.x != 0) return;  // WRONG: only the first block works"},
    {"wrong/lost_thread.cu",
     "if (blockIdx.x == 0 && threadIdx.x == 0) return;  // WRONG: the first thread is left out"},
};

class AssignmentMaker {
 public:
  AssignmentMaker(const NewRequest& request, Output& out) : out_(out) {
    made_.folder = fs::absolute(request.folder).lexically_normal();
    // "name/" has an empty last part.
    if (made_.folder.filename().empty()) made_.folder = made_.folder.parent_path();
    made_.id = made_.folder.filename().string();
    check_name();
    require_path(request.suite, "a suite's file, as `warpmark list --suites` prints them");
    if (fs::is_directory(request.suite)) {
      throw usage_error(fmt::format("`{}` is a folder", display_path(request.suite)), {},
                        "an assignment is made from one suite: name its file");
    }
    suite_ = load_suite(request.suite);
    require_gradable(*suite_, {});
    made_.suite = suite_.get();
    kernel_ = fs::path(suite_->kernel.file->text).filename().string();
    const fs::path source = suite_->folder / suite_->kernel.file->text;
    source_ = read_file(source);
    find_headers(source_, source.parent_path());
  }

  ExitCode run() {
    // Beside the folder, so that paths from one are those from the other.
    FolderDraft draft(made_.folder);
    fill(draft.path());
    draft.keep();
    report();
    return ExitCode::success;
  }

 private:
  void check_name() const {
    const bool fits = !made_.id.empty() && made_.id.front() != '-' &&
                      std::all_of(made_.id.begin(), made_.id.end(), [](char c) {
                        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                               (c >= '0' && c <= '9') || c == '_' || c == '-';
                      });
    if (!fits) {
      throw usage_error(fmt::format("`{}` is no name of an assignment", printable(made_.id)), {},
                        "it names a folder and results: use letters, digits, _ and -");
    }
  }

  // The headers of the suite that a source includes, and theirs: submissions may include them, too,
  // by their names alone.
  void find_headers(const std::string& source, const fs::path& folder) {
    for (const IncludeDirective& include : scan_includes(source)) {
      if (include.computed) continue;
      std::vector<fs::path> folders;
      if (!include.angled) folders.push_back(folder);
      for (const Located& one : suite_->kernel.include)
        folders.push_back(suite_->folder / one.text);
      for (const fs::path& one : folders) {
        const fs::path file = (one / include.name).lexically_normal();
        std::error_code ignored;
        if (!fs::is_regular_file(file, ignored)) continue;
        add_header(file, include.name);
        break;
      }
    }
  }

  void add_header(const fs::path& file, const std::string& spelling) {
    const fs::path name = file.lexically_relative(made_.folder);
    if (std::find(made_.headers.begin(), made_.headers.end(), name) != made_.headers.end()) return;
    made_.headers.push_back(name);
    if (spelling != file.filename().string()) {
      warnings_.push_back(
          fmt::format("submissions include headers by their names: write "
                      "`#include \"{}\"` for `{}`",
                      file.filename().string(), printable(spelling)));
    }
    find_headers(read_file(file), file.parent_path());
  }

  void add(const fs::path& draft, const std::string& name, const std::string& text) {
    write_file_atomically(draft / name, text);
    files_.push_back(name);
  }

  void write_assignment(const fs::path& draft) {
    write_file_atomically(draft / "assignment.yaml", new_assignment_text(made_));
  }

  void fill(const fs::path& draft) {
    made_.solution = "solutions/" + kernel_;
    add(draft, made_.solution, source_);
    const std::string todo = suite_->about.empty() ? "write the kernel" : printable(suite_->about);
    const auto start = kernel_template(source_, suite_->kernel.entry->text(), todo);
    if (start) {
      made_.template_file = kernel_;
      add(draft, made_.template_file, *start);
    } else {
      warnings_.push_back(fmt::format("the kernel `{}` was not found in {}: write a template",
                                      suite_->kernel.entry->text(), kernel_));
    }
    write_assignment(draft);
    try {
      prove(draft, start.value_or(""));
    } catch (const Error& error) {
      if (error.code() != ExitCode::environment) throw;
      unproved_ = error.message();
    }
    files_.emplace_back("assignment.yaml");
    std::sort(files_.begin(), files_.end());
  }

  // What the folder says of itself is tried: the template compiles, wrong solutions are wrong, and
  // no points are free.
  void prove(const fs::path& draft, const std::string& start) {
    Interpreter& python = python_.interpreter();
    SessionOptions options;
    options.device = "cpu";
    options.checks = known_checks();  // as grading does
    Session session(python, options);
    session.require();
    const auto assignment = load_assignment(draft / "assignment.yaml", python_.list_evaluator());
    if (!start.empty()) prove_template(session, *assignment, start);
    if (is_wrong(session, *assignment, source_)) {
      warnings_.push_back(fmt::format(
          "the suite's own kernel does not pass: put a solution into {}", made_.solution));
    }
    for (const Mistake& mistake : kMistakes) {
      const auto text = with_first_line(source_, suite_->kernel.entry->text(), mistake.line);
      if (!text || !is_wrong(session, *assignment, *text)) continue;
      add(draft, mistake.file, *text);
      made_.wrong.emplace_back(mistake.file);
    }
    write_assignment(draft);
    problems_ = lint(session, draft);
    if (!made_.fixed.empty()) {
      write_assignment(draft);
      problems_ = lint(session, draft);
    }
    if (problems_.empty()) return;
    // Values that prove nothing alone may do so together.
    made_.split = false;
    write_assignment(draft);
    problems_ = lint(session, draft);
  }

  static SubmittedFile file_of(const std::string& text) {
    SubmittedFile file;
    file.text = text;
    return file;
  }

  void prove_template(Session& session, const Assignment& assignment, const std::string& start) {
    const Case& item = assignment.cases.front().items.front();
    CaseArtifacts artifacts;
    const Outcome outcome = session.compile(
        item, with_submission(make_plan(item, plugins_), kernel_, file_of(start)), artifacts);
    if (outcome.verdict == Verdict::passed) return;
    warnings_.push_back(fmt::format("{} needs your hand: {}", made_.template_file, outcome.reason));
  }

  bool is_wrong(Session& session, const Assignment& assignment, const std::string& text) {
    for (const AssignmentCase& one : assignment.cases) {
      for (const Case& item : one.items) {
        const Outcome outcome = session.verify(
            item, with_submission(make_plan(item, plugins_), kernel_, file_of(text)));
        if (outcome.verdict == Verdict::failed) return outcome.failure != FailureKind::compile;
      }
    }
    return false;
  }

  std::vector<Error> lint(Session& session, const fs::path& draft) {
    const auto assignment = load_assignment(draft / "assignment.yaml", python_.list_evaluator());
    AssignmentLint found = lint_assignment(*assignment, session, python_.interpreter(), plugins_);
    // The suite says no other values, so that the assignment has to say that there are none.
    for (const std::string& name : found.built_in) {
      if (can_be_fixed(name)) made_.fixed.push_back(name);
    }
    return std::move(found.problems);
  }

  // A number that a step alone computes has no name.
  bool can_be_fixed(const std::string& name) const {
    const auto has_name = [&](const auto& one) { return one.name == name; };
    return std::any_of(suite_->axes.begin(), suite_->axes.end(), has_name) ||
           std::any_of(suite_->arguments.begin(), suite_->arguments.end(), has_name);
  }

  void report() {
    const std::string folder = display_path(made_.folder);
    for (const std::string& name : files_) out_.print("{}/{}\n", folder, name);
    out_.flush();
    for (const std::string& warning : warnings_) print_error(out_, "warning: " + warning);
    for (const Error& problem : problems_) {
      print_error(out_, fmt::format("warning: lint will refuse it: {}{}", problem.message(),
                                    problem.hint().empty() ? "" : "; " + problem.hint()));
    }
    if (!unproved_.empty()) {
      print_error(out_, "warning: nothing was tried, and there is no wrong solution: " + unproved_);
    }
    out_.print("next: write your own cases, then `warpmark grade --lint {}/assignment.yaml`\n",
               folder);
  }

  Output& out_;
  NewAssignment made_;
  std::shared_ptr<const Suite> suite_;
  std::string kernel_;  ///< its file's name
  std::string source_;
  LazyPython python_;
  PluginLoader plugins_;
  std::vector<std::string> files_, warnings_;
  std::vector<Error> problems_;
  std::string unproved_;
};

}  // namespace

Command new_assignment_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<NewRequest>();
  const ArgumentParser assignment = kinds.add_subcommand(
      "assignment",
      "Write a folder with an assignment over a suite: assignment.yaml, a template for\n"
      "students, the suite's kernel as a solution, and wrong ones");
  assignment.add_option("NAME", request->folder, "The folder; its last part names the assignment")
      .required()
      .value_name("");
  assignment.add_option("--from", request->suite, "The suite's file")
      .required()
      .value_name("SUITE");
  return {assignment, [request](Output& out) { return AssignmentMaker(*request, out).run(); }};
}

}  // namespace warpmark
