// Whose points a later run changed, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

struct GradeChange {
  std::string student;
  double before = 0, after = 0;  ///< final points
  std::string why;
};

/// What differs between what made two results: the file, the assignment, the program or device, a
/// rule of the course. "grading again gave another result" if nothing does.
std::string why_changed(const GradeResult& before, const GradeResult& after);

/// "changed: ada: 6 points instead of 4: another file was handed in".
std::string change_text(const GradeChange& change);

/// Nothing if the points are the same, or one of the two has none.
std::optional<GradeChange> change_between(const GradeResult& before, const GradeResult& after);

bool is_grade(const GradeResult& result);

/// The grade that was there, with a line for staff of why there is no newer one: a result that the
/// grader is to blame for replaces no grade.
GradeResult kept_grade(GradeResult previous, const GradeResult& failed);

/// Rows of changes.csv: date, student, points before and after, why. `date` as time_text() has it.
std::string changes_csv(const std::vector<GradeChange>& changes, const std::string& date);
/// Its first line.
std::string changes_csv_head();

}  // namespace warpmark
