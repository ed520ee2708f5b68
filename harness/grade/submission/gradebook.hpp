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
  size_t row = 0;  ///< of the roster
  const GradeResult* result = nullptr;
};

struct Gradebook {
  std::vector<GradebookRow> rows;  ///< in the roster's order, each student once
  /// Sentences: results that stand in no row, because the roster does not know the student, or
  /// another result is that student's, or there are no points.
  std::vector<std::string> left_out;
  /// Sentences: rows whose points are not all known yet, because some are open.
  std::vector<std::string> open;
};

/// The row of the student whose result it is; nothing if the roster does not know.
std::optional<size_t> row_of(const Roster& roster, const GradeResult& result);

/// The results must outlive it.
Gradebook gradebook_of(const Roster& roster, const std::vector<GradeResult>& results);

/// What a platform knows a student by, as it may stand in a file that a spreadsheet opens: "" where
/// that would change it, because somebody would then get the grade of somebody else, or nobody.
std::string gradebook_id(const std::string& value);

/// A file for a platform, and the students that it cannot have because the roster has nothing that
/// the platform knows them by. Sentences.
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
/// Moodle reads it, in which nothing of a student is markup.
GradebookFile moodle_csv(const Roster& roster, const Gradebook& book);

}  // namespace warpmark
