// Changes of points by a later run, with their reasons.
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

/// The difference between the causes of two results: the file, the assignment, the program or
/// device, a rule of the course. "grading again gave another result" if there is none.
std::string why_changed(const GradeResult& before, const GradeResult& after);

/// "changed: ada: 6 points instead of 4: another file was handed in".
std::string change_text(const GradeChange& change);

/// Nothing if the points are the same, or one of the two has none.
std::optional<GradeChange> change_between(const GradeResult& before, const GradeResult& after);

/// Returns the earlier grade, with a line for staff about why there is no newer one: a result of an
/// error of the grader replaces no grade.
GradeResult kept_grade(GradeResult previous, const GradeResult& failed);

/// Rows of changes.csv: date, student, points before and after, why. `date` has the form of
/// time_text().
std::string changes_csv(const std::vector<GradeChange>& changes, const std::string& date);
/// The first line of changes.csv.
std::string changes_csv_head();

}  // namespace warpmark
