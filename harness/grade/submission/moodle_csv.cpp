// Grades as Moodle imports them: as a grading worksheet (mod/assign/feedback/offline), or into the
// grade book, where one says which column is what.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "grade/submission/gradebook.hpp"
#include "report/grade/feedback_text.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/page/html.hpp"

namespace warpmark {

namespace {

// Moodle takes feedback for HTML. What a spreadsheet could take for the start of a formula behind
// the end of an entity is an entity itself, so that csv_cell() need not put an apostrophe there.
std::string feedback_html(std::string_view text) {
  std::string html;
  char before = ';';
  for (const char c : html_text(text)) {
    const bool starts = before == ';' || before == ',';
    if (starts && (c == '=' || c == '+' || c == '-' || c == '@')) {
      html += fmt::format("&#{};", static_cast<int>(c));
      before = ';';
      continue;
    }
    html += c;
    if (c != ' ') before = c;
  }
  std::string lines;
  for (const std::string& line : split(html, '\n')) lines += (lines.empty() ? "" : "<br>") + line;
  return lines;
}

struct MoodleColumn {
  const char* name;
  std::vector<std::string> values;  ///< by row of the book
  bool any = false;
};

std::string participant(const std::string& id) {
  const bool number = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
  return number ? "Participant " + id : id;
}

}  // namespace

GradebookFile moodle_csv(const Roster& roster, const Gradebook& book) {
  std::array<MoodleColumn, 4> columns = {
      {{"Identifier", {}}, {"Email address", {}}, {"Username", {}}, {"ID number", {}}}};
  GradebookFile file;
  std::vector<GradebookRow> rows;
  for (const GradebookRow& one : book.rows) {
    const auto value = [&](std::initializer_list<std::string_view> names) {
      return gradebook_id(roster.value(one.row, names));
    };
    const std::array<std::string, 4> ids = {
        participant(value({"identifier", "moodle id", "moodle_id", "moodle"})),
        value({"email address", "email", "e-mail"}), value({"username", "user name"}),
        value({"id number", "sid", "student id", "id"})};
    if (ids[0].empty() && ids[1].empty() && ids[2].empty() && ids[3].empty()) {
      file.left_out.push_back(
          fmt::format("`{}` has no e-mail address or id in the roster that Moodle could know",
                      printable(roster.students()[one.row])));
      continue;
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      columns[i].values.push_back(ids[i]);
      columns[i].any = columns[i].any || !ids[i].empty();
    }
    rows.push_back(one);
  }
  const std::string end = "\r\n";
  for (const MoodleColumn& column : columns) {
    if (column.any) file.text += csv_cell(column.name) + ",";
  }
  // A worksheet is refused without the time, which Moodle compares with its own.
  const bool worksheet = columns[0].any;
  file.text += std::string(R"("Full name","Grade","Maximum grade",)") +
               (worksheet ? "\"Last modified (grade)\"," : "") + "\"Feedback comments\"" + end;
  for (size_t i = 0; i < rows.size(); ++i) {
    const GradeResult& result = *rows[i].result;
    for (const MoodleColumn& column : columns) {
      if (column.any) file.text += csv_cell(column.values[i]) + ",";
    }
    file.text += csv_cell(roster.name(rows[i].row)) + "," + points_text(result.final_points()) +
                 "," + points_text(result.max_points) + ",";
    if (worksheet) {
      file.text +=
          csv_cell(gradebook_id(roster.value(rows[i].row, {"last modified (grade)"}))) + ",";
    }
    file.text += csv_cell(feedback_html(trim(feedback_text(StudentView(result))))) + end;
  }
  file.text = without_commands(file.text);
  return file;
}

}  // namespace warpmark
