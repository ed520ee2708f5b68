// Grades as Canvas's grade book imports them. The columns are those that Canvas's importer looks for
// by position and name (lib/gradebook_importer.rb of canvas-lms).
#include <fmt/format.h>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "grade/submission/gradebook.hpp"
#include "report/grade/grades_csv.hpp"

namespace warpmark {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "Scale an array (4711)", if the roster has such a column, else the title.
std::string canvas_column(const Roster& roster, const GradeResult& result) {
  const std::string title = result.title.empty() ? result.assignment : result.title;
  for (const std::string& name : {title, result.assignment}) {
    for (const std::string& column : roster.columns()) {
      const std::string_view text = trim(column);
      if (!text.starts_with(name) || !text.ends_with(')')) continue;
      const std::string_view rest = trim(text.substr(name.size()));
      if (rest.starts_with('(') && is_number(rest.substr(1, rest.size() - 2))) {
        return std::string(text);
      }
    }
  }
  return title;
}

}  // namespace

GradebookFile canvas_csv(const Roster& roster, const Gradebook& book) {
  GradebookFile file;
  std::string column = "grade";
  double max_points = 0;
  if (!book.rows.empty()) {
    column = canvas_column(roster, *book.rows.front().result);
    max_points = book.rows.front().result->max_points;
  }
  const std::string end = "\r\n";
  file.text = "\"Student\",\"ID\",\"SIS User ID\",\"SIS Login ID\",\"Section\"," +
              csv_cell(column) + end + "\"Points Possible\",,,,," + points_text(max_points) + end;
  for (const auto& [row, result] : book.rows) {
    const auto value = [&, at = row](std::initializer_list<std::string_view> names) {
      return gradebook_id(roster.value(at, names));
    };
    const std::string id = value({"canvas id", "canvas_id", "canvas", "id"});
    const std::string user = value({"sis user id", "sid", "student id", "id number"});
    const std::string login = value({"sis login id", "login id", "login", "username", "user name"});
    if (id.empty() && user.empty() && login.empty()) {
      file.left_out.push_back(fmt::format("`{}` has no id in the roster that Canvas could know",
                                          printable(roster.students()[row])));
      continue;
    }
    for (const std::string& cell : {roster.name(row), id, user, login, value({"section"})}) {
      file.text += csv_cell(cell) + ",";
    }
    file.text += points_text(result->final_points()) + end;
  }
  file.text = without_commands(file.text);
  return file;
}

}  // namespace warpmark
