#include "cli/grading/grade_exports.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "cli/request/output_files.hpp"
#include "grade/feedback/anonymous.hpp"
#include "grade/feedback/feedback_files.hpp"
#include "grade/submission/gradebook.hpp"
#include "report/grade/grade_page.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/grade/item_analysis.hpp"

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
     "Write the class's page and CSV with pseudonyms into the folder DIR"},
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
                   const GradeFiles& files, Output& out) {
  const std::vector<GradeResult> results = files.read_all();
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
    write_file_atomically(exports.items, items_csv(analyse_items(results, files.read_replaced())));
  }
  if (!exports.feedback.empty()) {
    for (const std::string& text : write_feedback(exports.feedback, roster, results)) {
      print_error(out, fmt::format("warning: {}: {}", display_path(exports.feedback), text));
    }
  }
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
