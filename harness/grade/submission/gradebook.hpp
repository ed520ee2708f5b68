// Grades for the grade books of platforms: which student of the roster has which result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "grade/submission/roster.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

struct GradebookRow {
  size_t row = 0;  ///< index of the row in the roster
  const GradeResult* result = nullptr;
};

struct Gradebook {
  std::vector<GradebookRow> rows;  ///< in the roster's order, each student once
  /// Sentences on results without a row, because the roster does not know the student, another
  /// result is that student's, or there are no points.
  std::vector<std::string> left_out;
  /// Sentences on rows whose points are not all known yet, because some are open.
  std::vector<std::string> open;
};

/// The row of the result's student; nothing if the roster does not have the student.
std::optional<size_t> row_of(const Roster& roster, const GradeResult& result);

/// The roster and the results must outlive the returned book.
Gradebook gradebook_of(const Roster& roster, const std::vector<GradeResult>& results);

/// A platform's id of a student, as it may be written to a file that a spreadsheet opens: "" if the
/// spreadsheet would change it, because then the grade would go to another student or to none.
std::string gradebook_id(const std::string& value);

/// A file for a platform, with sentences on students who are left out because the roster has no id
/// by which the platform knows them.
struct GradebookFile {
  std::string text;
  std::vector<std::string> left_out;
};

/// For Canvas's "Import": Student, ID, SIS User ID, SIS Login ID, Section, the assignment, and a row
/// "Points Possible". If the roster is Canvas's own gradebook with a column of the assignment, the
/// column has that name, with Canvas's number of the assignment.
GradebookFile canvas_csv(const Roster& roster, const Gradebook& book);

/// For Moodle: a grading worksheet of an assignment where the roster is one ("Identifier"), else a
/// file for the grade book's import, by e-mail address, username or ID number. Feedback is HTML, as
/// Moodle reads it, with all text of a student escaped.
GradebookFile moodle_csv(const Roster& roster, const Gradebook& book);

}  // namespace warpmark
