#include "cli/grade_exports.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/output_files.hpp"
#include "grade/feedback/anonymous.hpp"
#include "grade/feedback/feedback_files.hpp"
#include "grade/grader/grader.hpp"
#include "grade/handout/handout_template.hpp"
#include "grade/submission/gradebook.hpp"
#include "report/grade_page.hpp"
#include "report/grades_csv.hpp"
#include "report/item_analysis.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

struct ExportOption {
  const char* name;
  fs::path GradeExports::*path;
  const char* value;
  const char* help;
};

constexpr ExportOption kExportOptions[] = {
    {"--canvas", &GradeExports::canvas, "FILE",
     "Write a CSV that Canvas's grade book imports; needs --roster"},
    {"--moodle", &GradeExports::moodle, "FILE",
     "Write a CSV with feedback that Moodle imports; needs --roster"},
    {"--feedback", &GradeExports::feedback, "DIR",
     "Write a text for each student, and mailmerge.csv, into the folder DIR"},
    {"--anonymous", &GradeExports::anonymous, "DIR",
     "Write the class's page and CSV with pseudonyms, not names, into\n"
     "the folder DIR"},
    {"--items", &GradeExports::items, "FILE",
     "Write a CSV of how hard each case is, and whether it tells students\n"
     "apart"}};
constexpr const char* kSimilarOption = "--similar";  // may be given more than once

void write_gradebook(const fs::path& path, const GradebookFile& file, const Gradebook& book,
                     Output& out) {
  write_file_atomically(path, file.text);
  for (const auto* sentences : {&book.left_out, &book.open, &file.left_out}) {
    for (const std::string& text : *sentences) {
      print_error(out, fmt::format("warning: {}: {}", display_path(path), text));
    }
  }
}

}  // namespace

void add_export_options(const ArgumentParser& app, GradeExports& exports) {
  for (const ExportOption& one : kExportOptions) {
    app.add_option(one.name, exports.*one.path, one.help).value_name(one.value);
  }
  app.add_option(kSimilarOption, exports.similar,
                 "Write a page of submissions that are alike, side by side; JSON if FILE\n"
                 "ends in .json")
      .value_name("FILE");
}

std::vector<std::string> export_options(const GradeExports& exports) {
  std::vector<std::string> given;
  for (const ExportOption& one : kExportOptions) {
    if (!(exports.*one.path).empty()) given.emplace_back(one.name);
  }
  if (!exports.similar.empty()) given.emplace_back(kSimilarOption);
  return given;
}

void require_exports(const GradeExports& exports, bool has_roster,
                     const std::vector<fs::path>& inputs) {
  std::vector<OutputFile> files = {{"--canvas", exports.canvas}, {"--moodle", exports.moodle}};
  for (const OutputFile& one : files) {
    if (!one.file.empty() && !has_roster) {
      throw usage_error(
          fmt::format("{} needs --roster", one.option), {},
          "platforms know students by ids and e-mail addresses, which the roster has");
    }
  }
  files.push_back({"--items", exports.items});
  for (const fs::path& file : exports.similar) files.push_back({kSimilarOption, file});
  require_kept(files, inputs);
  for (const OutputFile& one : files) {
    if (!one.file.empty()) require_writable(one.file);
  }
  if (!exports.feedback.empty()) require_writable(exports.feedback / "mailmerge.csv");
  if (!exports.anonymous.empty()) require_writable(exports.anonymous / "grades.csv");
}

void write_exports(const GradeExports& exports, const Roster* roster, std::string_view secret,
                   const std::vector<GradeResult>& results, Output& out) {
  if (roster != nullptr && !(exports.canvas.empty() && exports.moodle.empty())) {
    const Gradebook book = gradebook_of(*roster, results);
    if (!exports.canvas.empty()) {
      write_gradebook(exports.canvas, canvas_csv(*roster, book), book, out);
    }
    if (!exports.moodle.empty()) {
      write_gradebook(exports.moodle, moodle_csv(*roster, book), book, out);
    }
  }
  if (!exports.anonymous.empty()) {
    const std::vector<GradeResult> anonymous = anonymous_results(results, Pseudonyms(secret));
    write_file_atomically(exports.anonymous / "grades.csv", grades_csv(anonymous));
    write_file_atomically(exports.anonymous / "report.html", grade_page(anonymous));
  }
  if (!exports.items.empty()) {
    write_file_atomically(exports.items, items_csv(analyse_items(results)));
  }
  if (!exports.feedback.empty()) {
    for (const std::string& text : write_feedback(exports.feedback, roster, results)) {
      print_error(out, fmt::format("warning: {}: {}", display_path(exports.feedback), text));
    }
  }
}

namespace {

// All that a student wrote. Of several files each has its name above it, as a comment.
std::string whole_text(const Submission& submission) {
  if (submission.files.empty() && submission.headers.empty()) return submission.text;
  std::string text;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name, const std::string& part) {
    if (part.empty() || !seen.insert(name + part).second) return;
    text += fmt::format("// {}\n{}{}", printable(name), part, part.ends_with('\n') ? "" : "\n");
  };
  for (const SubmittedFile* file : submission.sources()) add(file->file, file->text);
  for (const SubmittedFile* file : submission.sources()) {
    for (const OwnHeader& header : file->headers) add(header.name, header.text);
  }
  return text;
}

// What students started from, by the names of their files; nothing of a file that has none.
std::map<std::string, std::string> given_texts(const Assignment& assignment) {
  std::map<std::string, std::string> texts;
  for (const std::string& name : assignment.submission.files()) {
    try {
      texts[name] = handout_template(assignment, name).text;
    } catch (const Error&) {
      // Then students started from nothing.
    }
  }
  return texts;
}

// None of a template that does not compile.
std::vector<std::string> compiled_prints(const std::map<std::string, std::string>& texts,
                                         const std::shared_ptr<const Assignment>& assignment,
                                         const GradeSetup& setup, Interpreter& python) {
  if (texts.empty()) return {};
  GraderOptions options;
  options.device = setup.device;
  options.no_sandbox = setup.no_sandbox;
  Submission given;
  read_submission(given, assignment->submission, texts);
  return SubmissionGrader(python, assignment, std::move(options)).grade(given).ptx_prints;
}

}  // namespace

SimilarityInput similarity_input(const std::shared_ptr<const Assignment>& assignment,
                                 std::vector<Submission> submissions, const GradeFiles& files,
                                 const GradeSetup& setup, Interpreter& python) {
  SimilarityInput input;
  for (Submission& one : submissions) {
    read_submission(one, assignment->submission);
    std::string text = whole_text(one);
    if (text.empty()) continue;
    input.sources.push_back({one.student, std::move(text), {}});
    const auto result = files.read(one.student);
    // A grade that was kept is that of an older file.
    if (result && result->submission_sha256 == one.sha256)
      input.sources.back().ptx = result->ptx_prints;
  }
  const std::map<std::string, std::string> texts = given_texts(*assignment);
  for (const auto& [name, text] : texts) input.template_text += text + "\n";
  input.template_ptx = compiled_prints(texts, assignment, setup, python);
  return input;
}

void write_similar(const GradeExports& exports, SimilarityInput input, const std::string& id,
                   const std::string& title) {
  const Similarity found =
      find_similar(std::move(input.sources), input.template_text, input.template_ptx);
  for (const fs::path& file : exports.similar) {
    write_file_atomically(file, file.extension() == ".json" ? similarity_json(found, id)
                                                            : similarity_page(found, title));
  }
}

}  // namespace warpmark
