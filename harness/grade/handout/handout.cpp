#include "grade/handout/handout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "grade/grader/grader.hpp"
#include "grade/handout/handout_assignment.hpp"
#include "grade/handout/handout_items.hpp"
#include "grade/handout/handout_measure.hpp"
#include "grade/handout/handout_readme.hpp"
#include "grade/handout/handout_suite.hpp"
#include "grade/handout/handout_template.hpp"
#include "grade/submission/submission_search.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Puts files together, and gives those another name whose own is taken or leads out of the folder.
class FileSet {
 public:
  explicit FileSet(const Assignment& assignment) : assignment_(assignment) {}

  void add(const std::string& place, const std::string& text) {
    const auto [known, is_new] = made_.files.try_emplace(place, text);
    if (is_new || known->second == text) return;
    throw usage_error(fmt::format("two files of the hand-out would be called `{}`", place),
                      assignment_.submission.where, "rename one of them");
  }

  void add_suite(const HandoutSuite& suite, const HandoutStore& store) {
    const fs::path folder = suite.place.parent_path();
    const std::string kernel =
        fs::path(assignment_.file_of(*suite.suite)).lexically_relative(folder).generic_string();
    std::map<std::string, std::string> renamed;
    for (const std::string& file : companion_files(*suite.suite)) {
      const fs::path source = (suite.suite->folder / file).lexically_normal();
      if (source == (suite.suite->folder / suite.suite->kernel.file->text).lexically_normal()) {
        renamed[file] = kernel;
        continue;
      }
      const std::string text = read_file(source);
      if (is_solution(assignment_, text)) {
        throw usage_error(fmt::format("the suite `{}` needs {}, which is a solution",
                                      suite.suite->name, display_path(source)),
                          suite.suite->where, "students would get it");
      }
      fs::path name = fs::path(file).lexically_normal();
      if (*name.begin() == "..") name = name.filename();
      const auto known = made_.files.find((folder / name).generic_string());
      if (known != made_.files.end() && known->second != text) {
        name = suite.place.stem().string() + "_" + name.filename().string();
      }
      add((folder / name).generic_string(), text);
      if (name.generic_string() != file) renamed[file] = name.generic_string();
    }
    add(suite.place.generic_string(), handout_suite_text(suite, store, renamed, kernel));
  }

  // Files may speak of what is hidden, as no program can tell for certain: what they say word for
  // word is reported.
  void look_for_hidden_words() {
    std::set<std::string> shown, hidden;
    for (const AssignmentCase& one : assignment_.cases) {
      auto& words = one.visibility == Visibility::hidden ? hidden : shown;
      words.insert(one.name);
      if (!one.hint.empty()) words.insert(one.hint);
    }
    for (const std::string& word : hidden) {
      if (shown.contains(word)) continue;
      for (const auto& [place, text] : made_.files) {
        if (!has_word(text, word)) continue;
        made_.warnings.push_back(
            fmt::format("{} has the words of a hidden case: {}", place, printable(word)));
      }
    }
  }

  [[nodiscard]] const std::map<std::string, std::string>& all() const { return made_.files; }
  Handout take() { return std::move(made_); }

 private:
  const Assignment& assignment_;
  Handout made_;
};

std::set<std::string> visible_ids(const Assignment& assignment) {
  std::set<std::string> ids;
  for (const AssignmentCase& one : assignment.cases) {
    if (one.visibility == Visibility::hidden) continue;
    for (const Case& item : one.items) ids.insert(one.name + "\n" + item.id);
  }
  return ids;
}

// Each file has a visible case, or students could not try it.
void require_visible(const Assignment& assignment, const HandoutItems& items) {
  for (const std::string& name : assignment.submission.files()) {
    const bool visible = std::ranges::any_of(items.suites, [&](const HandoutSuite& one) {
      return assignment.file_of(*one.suite) == name;
    });
    if (visible) continue;
    throw usage_error(fmt::format("all cases of `{}` are hidden", name), assignment.where,
                      "a visible case shows students what they may try");
  }
}

}  // namespace

Handout make_handout(const Assignment& assignment, const HandoutOptions& options,
                     Interpreter& python) {
  if (assignment.handout) {
    throw usage_error("this is what students got", assignment.where,
                      "hand out the assignment that it was made from");
  }
  const HandoutItems items = handout_items(assignment);
  require_visible(assignment, items);
  std::map<std::string, std::string> starts;
  for (const std::string& name : assignment.submission.files()) {
    starts[name] = handout_template(assignment, name).text;
  }
  const HandoutStore store = measure_handout(assignment, items, options.device, python);
  FileSet files(assignment);
  for (const auto& [name, text] : starts) files.add(name, text);
  files.add("assignment.yaml", handout_assignment_text(assignment, items));
  files.add(kStoreFile, json_page(to_json(store)) + "\n");
  files.add("README.md", handout_readme(assignment, options, items.suites.front()));
  for (const fs::path& header : assignment.submission.headers) {
    files.add(header.filename().string(), read_file(header));
  }
  for (const HandoutSuite& suite : items.suites) files.add_suite(suite, store);
  files.look_for_hidden_words();
  for (const auto& [place, text] : setup_files(assignment, options, files.all()))
    files.add(place, text);
  return files.take();
}

std::string prove_handout(const Assignment& assignment, const fs::path& folder,
                          const HandoutOptions& options, Interpreter& python,
                          const ListEvaluator& lists) {
  const auto written = load_assignment(folder / "assignment.yaml", lists);
  if (visible_ids(*written) != visible_ids(assignment)) {
    throw internal_error("the hand-out has other cases than the assignment");
  }
  std::vector<fs::path> paths;
  for (const std::string& name : assignment.submission.files()) paths.push_back(folder / name);
  Submission submission =
      find_one(paths, written->submission, join(assignment.submission.files(), ", "));
  read_submission(submission, written->submission);
  GraderOptions grading;
  grading.device = options.device;
  grading.no_sandbox = true;
  SubmissionGrader grader(python, written, std::move(grading));
  grader.prepare();  // throws what this machine lacks
  const GradeResult result = grader.grade(submission);
  if (result.state == GradeState::grader_error) {
    throw usage_error("the hand-out could not be tried: " + result.staff, assignment.where);
  }
  for (const GradedCase& one : result.cases) {
    if (one.points <= 0) continue;
    throw usage_error(
        fmt::format("the template gets points for the visible case `{}`, and nothing was written",
                    one.name),
        assignment.templates.empty() ? assignment.where
                                     : assignment.templates.begin()->second.where,
        "students would get a solution, or points for nothing");
  }
  if (result.state == GradeState::graded) {
    // One of several may be launched, and another not.
    for (const GradedCase& one : result.cases) {
      const bool none = std::ranges::all_of(
          one.items, [](const GradedItem& item) { return item.word == GradeWord::not_launched; });
      if (!none || !assignment.submission.several()) continue;
      return fmt::format("of the templates that of the case `{}` is not launched: {}", one.name,
                         one.items.front().explanation);
    }
    return "";
  }
  return fmt::format("the template {} is not launched: {}", submission.file, result.message);
}

}  // namespace warpmark
