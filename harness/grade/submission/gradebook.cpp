#include "grade/submission/gradebook.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {

std::optional<size_t> row_of(const Roster& roster, const GradeResult& result) {
  // Graded with the roster, or by hand; else the platform's ids say it.
  if (const auto row = roster.row_in_results(result.student)) return row;
  return result.ids.empty() ? roster.find_any(result.student).row
                            : roster.find(result.ids, {result.student}).row;
}

Gradebook gradebook_of(const Roster& roster, const std::vector<GradeResult>& results) {
  Gradebook book;
  std::map<size_t, const GradeResult*> rows;
  const auto leave_out = [&](const GradeResult& result, const std::string& why) {
    book.left_out.push_back(fmt::format("`{}` {}", in_one_line(result.student), why));
  };
  // A name of the roster itself is more certain than one that only fits.
  for (const bool exact : {true, false}) {
    for (const GradeResult& result : results) {
      const std::optional<size_t> row = row_of(roster, result);
      if (exact != (row && roster.name_in_results(*row) == result.student)) continue;
      if (!row) {
        leave_out(result, "is not in the roster");
      } else if (!has_points(result)) {
        leave_out(result, "has no grade yet");
      } else if (!rows.try_emplace(*row, &result).second) {
        leave_out(result, fmt::format("is `{}` of the roster, who has another grade",
                                      printable(roster.students()[*row])));
      }
    }
  }
  for (const auto& [row, result] : rows) {
    book.rows.push_back({row, result});
    if (const double open = result->open_points(); open > 0) {
      book.open.push_back(fmt::format("`{}` has {} open points, which count as 0 here",
                                      in_one_line(result->student), points_text(open)));
    }
  }
  return book;
}

std::string gradebook_id(const std::string& value) {
  const std::string cell = csv_cell(value);
  return cell == '"' + value + '"' ? value : "";
}

}  // namespace warpmark
