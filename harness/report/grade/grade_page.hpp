// Grades as one HTML page that needs nothing else: of a class for its staff, of a student.
#pragma once

#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// report.html for staff: how the class did, a heat map of students and cases, the hardest cases,
/// and of each result everything that there is. The page loads nothing and runs no script (its
/// policy forbids both), follows the reader's dark or light scheme, and escapes all that results
/// say, as most of it comes from submissions.
std::string grade_page(const std::vector<GradeResult>& results);

/// The page of one student, with the same promises. `standing` is the student's own place on the
/// leaderboard, "" for none.
std::string student_page(const StudentView& view, const std::string& standing = "");

}  // namespace warpmark
