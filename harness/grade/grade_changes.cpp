#include "grade/grade_changes.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/grade_text.hpp"
#include "report/grades_csv.hpp"

namespace warpmark {

std::string why_changed(const GradeResult& before, const GradeResult& after) {
  std::vector<std::string> reasons;
  if (before.submission_sha256 != after.submission_sha256)
    reasons.emplace_back("another file was handed in");
  if (before.context.assignment_sha256 != after.context.assignment_sha256)
    reasons.emplace_back("the assignment changed");
  if (before.context.warpmark != after.context.warpmark)
    reasons.push_back(
        fmt::format("Warpmark {} instead of {}", after.context.warpmark, before.context.warpmark));
  if (before.context.device != after.context.device ||
      before.context.driver_version != after.context.driver_version ||
      before.context.nvrtc_version != after.context.nvrtc_version)
    reasons.emplace_back("another device or compiler");
  if (before.adjustments != after.adjustments) reasons.emplace_back("late days or adjustments");
  if (before.points != after.points && reasons.empty())
    reasons.emplace_back(
        "grading again gave another result: another secret, or a result that is "
        "not always the same");
  return join(reasons, "; ");
}

std::string changes_csv_head() {
  return "\"date\",\"student\",\"before\",\"after\",\"why\"\r\n";
}

std::string changes_csv(const std::vector<GradeChange>& changes, const std::string& date) {
  std::string rows;
  for (const GradeChange& one : changes) {
    rows += fmt::format("{},{},{},{},{}\r\n", csv_cell(date), csv_cell(one.student),
                        points_text(one.before), points_text(one.after), csv_cell(one.why));
  }
  return rows;
}

}  // namespace warpmark
