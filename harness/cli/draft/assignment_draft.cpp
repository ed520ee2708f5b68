#include "cli/draft/assignment_draft.hpp"

#include <algorithm>
#include <memory>

#include "base/characters.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/draft/folder_draft.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/suites.hpp"
#include "compiler/include_scan.hpp"
#include "grade/assignment/assignment_cases.hpp"
#include "grade/assignment/assignment_lint.hpp"
#include "grade/assignment/kernel_template.hpp"
#include "grade/assignment/new_assignment.hpp"
#include "grade/submission/graded_plan.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/session.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// Mistakes that can be made in any kernel. Trials show which of them are mistakes in this kernel.
struct Mistake {
  const char* name;
  const char* line;
};
constexpr Mistake kMistakes[] = {
    {"first_block", "if (blockIdx.x != 0) return;  // WRONG: only the first block works"},
    {"lost_thread",
     "if (blockIdx.x == 0 && threadIdx.x == 0) return;  // WRONG: the first thread is left out"},
};

class AssignmentMaker {
 public:
  AssignmentMaker(const fs::path& folder, const std::vector<fs::path>& suites, Output& out)
      : out_(out) {
    made_.folder = fs::absolute(folder).lexically_normal();
    // "name/" has an empty last part.
    if (made_.folder.filename().empty()) made_.folder = made_.folder.parent_path();
    made_.id = made_.folder.filename().string();
    check_name();
    for (const fs::path& suite : suites) add_part(suite);
    for (const Part& part : parts_) made_.kernels.push_back({part.suite.get(), part.file, ""});
  }

  ExitCode run() {
    // The draft is beside the folder, so that relative paths from both are the same.
    FolderDraft draft(made_.folder);
    fill(draft.path());
    draft.keep();
    report();
    return ExitCode::success;
  }

 private:
  // A suite, and the students' file for its kernel.
  struct Part {
    std::shared_ptr<const Suite> suite;
    std::string file;
    std::string source, start;  ///< the suite's own source, and the template
  };

  bool several() const { return parts_.size() > 1; }

  void add_part(const fs::path& path) {
    require_path(path, "a suite's file, as `warpmark list --suites` prints them");
    if (fs::is_directory(path)) {
      throw usage_error(fmt::format("`{}` is a folder", display_path(path)), {},
                        "an assignment is made from suites: name their files");
    }
    Part part;
    part.suite = load_suite(path);
    require_gradable(*part.suite, {});
    const fs::path kernel = part.suite->folder / part.suite->kernel.file->text;
    part.file = kernel.filename().string();
    const auto is_taken = [&] {
      return std::ranges::any_of(parts_,
                                 [&](const Part& other) { return other.file == part.file; });
    };
    if (is_taken()) {
      part.file = part.suite->file.stem().string() + kernel.extension().string();
    }
    if (is_taken()) {
      throw usage_error(fmt::format("two suites have a kernel in a file called `{}`", part.file),
                        {}, "make an assignment of one of them, and add the other by hand");
    }
    part.source = read_file(kernel);
    find_headers(part.source, kernel.parent_path(), *part.suite);
    parts_.push_back(std::move(part));
  }

  void check_name() const {
    const bool fits =
        !made_.id.empty() && made_.id.front() != '-' &&
        std::ranges::all_of(made_.id, [](char c) { return is_word_character(c) || c == '-'; });
    if (!fits) {
      throw usage_error(fmt::format("`{}` is no name of an assignment", printable(made_.id)), {},
                        "it names a folder and results: use letters, digits, _ and -");
    }
  }

  // The headers of the suite that a source includes, and theirs: submissions may include them, too,
  // by their names alone.
  void find_headers(const std::string& source, const fs::path& folder, const Suite& suite) {
    for (const IncludeDirective& include : scan_includes(source)) {
      if (include.computed) continue;
      std::vector<fs::path> folders;
      if (!include.angled) folders.push_back(folder);
      for (const Located& one : suite.kernel.include) folders.push_back(suite.folder / one.text);
      for (const fs::path& one : folders) {
        const fs::path file = (one / include.name).lexically_normal();
        std::error_code ignored;
        if (!fs::is_regular_file(file, ignored)) continue;
        add_header(file, include.name, suite);
        break;
      }
    }
  }

  void add_header(const fs::path& file, const std::string& spelling, const Suite& suite) {
    const fs::path name = file.lexically_relative(made_.folder);
    if (std::ranges::find(made_.headers, name) != made_.headers.end()) return;
    made_.headers.push_back(name);
    if (spelling != file.filename().string()) {
      warnings_.push_back(
          fmt::format("submissions include headers by their names: write "
                      "`#include \"{}\"` for `{}`",
                      file.filename().string(), printable(spelling)));
    }
    find_headers(read_file(file), file.parent_path(), suite);
  }

  void add(const fs::path& draft, const std::string& name, const std::string& text) {
    write_file_atomically(draft / name, text);
    files_.push_back(name);
  }

  void write_assignment(const fs::path& draft) {
    write_file_atomically(draft / "assignment.yaml", new_assignment_text(made_));
  }

  void fill(const fs::path& draft) {
    made_.solution = several() ? "solutions/right" : "solutions/" + parts_.front().file;
    for (size_t i = 0; i < parts_.size(); ++i) {
      Part& part = parts_[i];
      add(draft, several() ? made_.solution + "/" + part.file : made_.solution, part.source);
      std::string missing;
      const auto start = kernels_template(part.source, *part.suite, &missing);
      if (start) {
        part.start = *start;
        made_.kernels[i].template_file = part.file;
        add(draft, part.file, part.start);
      } else {
        warnings_.push_back(fmt::format("the kernel `{}` was not found in {}: write a template",
                                        missing, part.file));
      }
    }
    write_assignment(draft);
    try {
      prove(draft);
    } catch (const Error& error) {
      if (error.code() != ExitCode::environment) throw;
      unproved_ = error.message();
    }
    files_.emplace_back("assignment.yaml");
    std::ranges::sort(files_);
  }

  // Checks the claims of the folder: the template compiles, wrong solutions are wrong, and no
  // points are free.
  void prove(const fs::path& draft) {
    Interpreter& python = python_.interpreter();
    SessionOptions options;
    options.device = "cpu";
    options.checks = known_checks();  // as grading does
    Session session(python, options);
    session.require();
    const auto assignment = load_assignment(draft / "assignment.yaml", python_.list_evaluator());
    for (const Part& part : parts_) {
      if (!part.start.empty()) prove_template(session, *assignment, part);
      if (is_wrong(session, *assignment, part, part.source)) {
        warnings_.push_back(fmt::format(
            "the suite's own kernel does not pass: put a solution into {}", made_.solution));
      }
      for (const Mistake& mistake : kMistakes) {
        const auto text =
            with_first_line(part.source, part.suite->kernel.entry->text(), mistake.line);
        if (text && is_wrong(session, *assignment, part, *text)) {
          add_wrong(draft, mistake, part, *text);
        }
      }
    }
    write_assignment(draft);
    problems_ = lint(session, draft);
    if (!made_.fixed.empty()) {
      write_assignment(draft);
      problems_ = lint(session, draft);
    }
    if (problems_.empty()) return;
    // Values that prove nothing alone may prove something together.
    made_.split = false;
    write_assignment(draft);
    problems_ = lint(session, draft);
  }

  // Adds a wrong kernel; with several files, together with the right others.
  void add_wrong(const fs::path& draft, const Mistake& mistake, const Part& part,
                 const std::string& text) {
    if (!several()) {
      made_.wrong.emplace_back(fmt::format("wrong/{}.cu", mistake.name));
      return add(draft, made_.wrong.back().string(), text);
    }
    const std::string stem = part.file.substr(0, part.file.rfind('.'));
    made_.wrong.emplace_back(fmt::format("wrong/{}_{}", stem, mistake.name));
    for (const Part& one : parts_) {
      add(draft, made_.wrong.back().string() + "/" + one.file,
          one.file == part.file ? text : one.source);
    }
  }

  static SubmittedFile file_of(const std::string& text) {
    SubmittedFile file;
    file.text = text;
    return file;
  }

  // The first item of the suite.
  static const Case& item_of(const Assignment& assignment, const Part& part) {
    for (const AssignmentCase& one : assignment.cases) {
      if (one.items.front().suite->file == part.suite->file) return one.items.front();
    }
    return assignment.cases.front().items.front();
  }

  void prove_template(Session& session, const Assignment& assignment, const Part& part) {
    const Case& item = item_of(assignment, part);
    CaseArtifacts artifacts;
    const Outcome outcome = session.compile(
        item, with_submission(make_plan(item, plugins_), part.file, file_of(part.start)),
        artifacts);
    if (outcome.verdict == Verdict::passed) return;
    warnings_.push_back(fmt::format("{} needs your hand: {}", part.file, outcome.reason));
  }

  bool is_wrong(Session& session, const Assignment& assignment, const Part& part,
                const std::string& text) {
    for (const AssignmentCase& one : assignment.cases) {
      if (one.items.front().suite->file != part.suite->file) continue;
      for (const Case& item : one.items) {
        const Outcome outcome = session.verify(
            item, with_submission(make_plan(item, plugins_), part.file, file_of(text)));
        if (outcome.verdict == Verdict::failed) return outcome.failure != FailureKind::compile;
      }
    }
    return false;
  }

  std::vector<Error> lint(Session& session, const fs::path& draft) {
    const auto assignment = load_assignment(draft / "assignment.yaml", python_.list_evaluator());
    AssignmentLint found = lint_assignment(*assignment, session, python_.interpreter(), plugins_);
    // The suite has no other values, so that the assignment has to declare these fixed.
    for (const std::string& name : found.built_in) {
      if (can_be_fixed(name)) made_.fixed.push_back(name);
    }
    return std::move(found.problems);
  }

  // False for a number that only a step computes, which has no name.
  bool can_be_fixed(const std::string& name) const {
    const auto has_name = [&](const auto& one) { return one.name == name; };
    return std::ranges::any_of(parts_, [&](const Part& part) {
      const Suite& suite = *part.suite;
      return std::ranges::any_of(suite.axes, has_name) ||
             std::ranges::any_of(suite.arguments, has_name);
    });
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
  std::vector<Part> parts_;
  LazyPython python_;
  PluginLoader plugins_;
  std::vector<std::string> files_, warnings_;
  std::vector<Error> problems_;
  std::string unproved_;
};

}  // namespace

ExitCode draft_assignment(const fs::path& folder, const std::vector<fs::path>& suites,
                          Output& out) {
  return AssignmentMaker(folder, suites, out).run();
}

}  // namespace warpmark
