// Whose points a later run changed, and why.
#pragma once

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

/// Rows of changes.csv: date, student, points before and after, why. `date` as time_text() has it.
std::string changes_csv(const std::vector<GradeChange>& changes, const std::string& date);
/// Its first line.
std::string changes_csv_head();

}  // namespace warpmark
