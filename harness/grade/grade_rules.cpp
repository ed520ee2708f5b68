#include "grade/grade_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/csv.hpp"
#include "base/date_time.hpp"
#include "base/text.hpp"
#include "grade/student_name.hpp"

namespace warpmark {

namespace {

constexpr int64_t kDay = 86400;

std::string student_of(const CsvRow& row) {
  const std::string student = row.get("student");
  if (student.empty()) throw usage_error("the row names no student", row.where);
  return student_name(student);
}

int64_t time_of(const CsvRow& row, const std::string& column) {
  const std::string text = row.get(column);
  if (const auto time = parse_time(text)) return *time;
  throw usage_error(fmt::format("`{}` is no time with a zone", printable(text)), row.where,
                    "as in 2026-11-20T23:59:00+01:00, or with UTC");
}

double number_of(const CsvRow& row, const std::string& column) {
  const std::string text = row.get(column);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && std::isfinite(number)) return number;
  throw usage_error(fmt::format("`{}` is no number", printable(text)), row.where);
}

}  // namespace

GradeRules::GradeRules(const Assignment& assignment, const GradeRuleFiles& files)
    : late_(assignment.late) {
  if (!files.extensions.empty()) read_extensions(files.extensions);
  if (!files.adjustments.empty()) read_adjustments(files.adjustments);
  if (!files.times.empty()) read_times(files.times);
}

void GradeRules::read_extensions(const std::filesystem::path& file) {
  for (const CsvRow& row : read_table(file, {"student"}, {"until", "days", "reason"})) {
    Extension extension;
    extension.reason = row.get("reason");
    extension.where = row.where;
    const bool until = !row.get("until").empty(), days = !row.get("days").empty();
    if (until == days) {
      throw usage_error("an extension has either `until` or `days`", row.where);
    }
    if (!late_.due) {
      throw usage_error("the assignment has no `due`, from which an extension could be counted",
                        row.where, "write `due: 2026-11-20T23:59:00+01:00` into the assignment");
    }
    if (until) extension.until = time_of(row, "until");
    if (days) extension.days = static_cast<int64_t>(std::llround(number_of(row, "days")));
    const std::string student = student_of(row);
    const auto [known, fresh] = extensions_.try_emplace(student, extension);
    if (fresh) continue;
    throw usage_error(fmt::format("`{}` has an extension on line {}, too", printable(student),
                                  known->second.where.line),
                      row.where);
  }
}

void GradeRules::read_adjustments(const std::filesystem::path& file) {
  for (const CsvRow& row : read_table(file, {"student", "points"}, {"reason"})) {
    adjustments_[student_of(row)].push_back(
        {number_of(row, "points"), row.get("reason"), row.where});
  }
}

void GradeRules::read_times(const std::filesystem::path& file) {
  for (const CsvRow& row : read_table(file, {"student", "time"}, {})) {
    const std::string student = student_of(row);
    const auto [known, fresh] =
        times_.try_emplace(student, std::pair(time_of(row, "time"), row.where));
    if (fresh) continue;
    throw usage_error(fmt::format("`{}` has a time on line {}, too", printable(student),
                                  known->second.second.line),
                      row.where);
  }
}

void GradeRules::add_lateness(GradeResult& result, int64_t handed_in) const {
  int64_t due = *late_.due;
  const auto extension = extensions_.find(result.student);
  if (extension != extensions_.end()) {
    due = extension->second.until.value_or(due + extension->second.days * kDay);
    const std::string& reason = extension->second.reason;
    result.adjustments.push_back({"extension", 0,
                                  fmt::format("until {}{}", time_text(due),
                                              reason.empty() ? "" : ": " + printable(reason))});
  }
  const int64_t late = handed_in - due - late_.grace_s;
  if (late <= 0) return;
  const int64_t days = (late - 1) / kDay + 1;
  const std::string when =
      fmt::format("handed in {} after {}", duration_words(handed_in - due), time_text(due));
  if (days > late_.days) {
    result.adjustments.push_back({"late", -result.points,
                                  late_.days == 0
                                      ? when + "; late submissions get no points"
                                      : fmt::format("{}; more than {} late day{} get no points",
                                                    when, late_.days, late_.days == 1 ? "" : "s")});
    return;
  }
  const double each = late_.share_per_day * result.max_points + late_.points_per_day;
  const double lost = std::min(result.points, each * static_cast<double>(days));
  result.adjustments.push_back({"late", -lost,
                                fmt::format("{}: {} late day{}, {} points each", when, days,
                                            days == 1 ? "" : "s", points_text(each))});
}

void GradeRules::apply(GradeResult& result, std::optional<int64_t> handed_in) const {
  result.adjustments.clear();
  if (result.state == GradeState::grader_error) return;
  const auto time = times_.find(result.student);
  if (time != times_.end()) handed_in = time->second.first;
  result.handed_in = handed_in ? time_text(*handed_in) : "";
  if (late_.due && handed_in) add_lateness(result, *handed_in);
  const auto own = adjustments_.find(result.student);
  if (own == adjustments_.end()) return;
  for (const Adjustment& one : own->second)
    result.adjustments.push_back({"adjustment", one.points, printable(one.reason)});
}

std::vector<std::string> GradeRules::unknown(const std::vector<std::string>& students) const {
  std::vector<std::string> sentences;
  const auto look = [&](const std::string& student, const Position& where) {
    if (std::find(students.begin(), students.end(), student) != students.end()) return;
    const std::string near = nearest(student, students);
    sentences.push_back(
        fmt::format("{}: there is no submission of `{}`{}", where.text(), printable(student),
                    near.empty() ? "" : "; did you mean `" + printable(near) + "`?"));
  };
  for (const auto& [student, extension] : extensions_) look(student, extension.where);
  for (const auto& [student, all] : adjustments_) look(student, all.front().where);
  for (const auto& [student, time] : times_) look(student, time.second);
  return sentences;
}

}  // namespace warpmark
