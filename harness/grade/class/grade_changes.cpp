#include "grade/class/grade_changes.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/text.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {

namespace {

// How `staff` begins for a grade that was kept because a later one failed.
constexpr std::string_view kKeptNote = "kept although grading again failed";

}  // namespace

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

std::string change_text(const GradeChange& change) {
  return fmt::format("changed: {}: {} points instead of {}: {}", in_one_line(change.student),
                     points_text(change.after), points_text(change.before),
                     in_one_line(change.why));
}

std::optional<GradeChange> change_between(const GradeResult& before, const GradeResult& after) {
  if (!has_points(before) || !has_points(after)) return std::nullopt;
  if (points_text(before.final_points()) == points_text(after.final_points())) return std::nullopt;
  return GradeChange{after.student, before.final_points(), after.final_points(),
                     why_changed(before, after)};
}

GradeResult kept_grade(GradeResult previous, const GradeResult& failed) {
  const size_t old = previous.staff.find(kKeptNote);
  if (old != std::string::npos) previous.staff.resize(old);
  if (!previous.staff.empty() && previous.staff.back() != '\n') previous.staff += '\n';
  previous.staff += fmt::format("{} on {}: {}", kKeptNote, failed.context.date, failed.staff);
  if (failed.submission_sha256 != previous.submission_sha256) {
    previous.staff += "\nthe file that was handed in since then has no grade yet";
  }
  return previous;
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
