#include "grade/class/grade_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <type_traits>

#include "base/csv.hpp"
#include "base/date_time.hpp"
#include "base/text.hpp"
#include "grade/submission/student_name.hpp"

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

// Late days that take `whole`, or all of the points where there are fewer.
GradeAdjustment lateness(double whole, double points, std::string reason) {
  GradeAdjustment late{"late", -std::min(points, whole), std::move(reason)};
  if (points < whole) late.whole = whole;
  return late;
}

double number_of(const CsvRow& row, const std::string& column) {
  const std::string text = row.get(column);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && std::isfinite(number)) return number;
  throw usage_error(fmt::format("`{}` is no number", printable(text)), row.where);
}

// Finds the student that a row of a rule file means.
class RowReader {
 public:
  RowReader(const std::vector<KnownStudent>& students, const Roster* roster) : roster_(roster) {
    for (const KnownStudent& one : students) {
      labels_.insert(one.student);
      std::string name = one.student;
      if (const size_t id = name.rfind(" ("); id != std::string::npos && name.ends_with(')'))
        name.resize(id);
      for (const std::string& key : name_keys(name)) by_name_[key].insert(one.student);
      for (const PlatformId& id : one.ids) by_id_[lower_case(id.value)].insert(one.student);
    }
  }

  bool has_submission(const std::string& student) const { return labels_.contains(student); }

  // "" for nobody.
  std::string student_of(const std::string& text, const Position& where) const {
    if (labels_.contains(text)) return text;
    if (roster_ != nullptr) {
      const Roster::Match match = roster_->find_any(text);
      if (match.several) refuse(text, where);
      if (match.row) return roster_->name_in_results(*match.row);
    }
    if (const auto found = by_id_.find(lower_case(text)); found != by_id_.end())
      return only(found->second, text, where);
    for (const std::string& key : name_keys(text)) {
      if (const auto found = by_name_.find(key); found != by_name_.end())
        return only(found->second, text, where);
    }
    return "";
  }

  std::string nearest_to(const std::string& text) const {
    std::vector<std::string> all(labels_.begin(), labels_.end());
    if (roster_ != nullptr)
      all.insert(all.end(), roster_->students().begin(), roster_->students().end());
    return nearest(text, all);
  }

 private:
  [[noreturn]] static void refuse(const std::string& text, const Position& where) {
    throw usage_error(fmt::format("`{}` fits several students", printable(text)), where,
                      "write the platform's id, or the name in results with the id behind it");
  }
  static std::string only(const std::set<std::string>& students, const std::string& text,
                          const Position& where) {
    if (students.size() > 1) refuse(text, where);
    return *students.begin();
  }

  const Roster* roster_;
  std::set<std::string> labels_;
  std::map<std::string, std::set<std::string>> by_name_, by_id_;
};

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

void GradeRules::add_lateness(GradeResult& result, int64_t handed_in,
                              std::optional<int64_t> own_due) const {
  int64_t due = *late_.due;
  const auto extension = extensions_.find(result.student);
  if (extension != extensions_.end()) {
    due = extension->second.until.value_or(due + extension->second.days * kDay);
    const std::string& reason = extension->second.reason;
    result.adjustments.push_back({"extension", 0,
                                  fmt::format("until {}{}", time_text(due),
                                              reason.empty() ? "" : ": " + printable(reason))});
  } else if (own_due && *own_due > due) {
    due = *own_due;
    result.adjustments.push_back(
        {"extension", 0, fmt::format("until {}: by the platform", time_text(due))});
  }
  const int64_t late = handed_in - due - late_.grace_s;
  if (late <= 0) return;
  const int64_t days = (late - 1) / kDay + 1;
  const std::string when =
      fmt::format("handed in {} after {}", duration_words(handed_in - due), time_text(due));
  if (days > late_.days) {
    double all = 0;
    for (const GradedCase& one : result.cases) all += one.max_points;
    result.adjustments.push_back(
        lateness(all, result.points,
                 late_.days == 0 ? when + "; late submissions get no points"
                                 : fmt::format("{}; more than {} late day{} get no points", when,
                                               late_.days, late_.days == 1 ? "" : "s")));
    return;
  }
  const double each = late_.share_per_day * result.max_points + late_.points_per_day;
  result.adjustments.push_back(lateness(each * static_cast<double>(days), result.points,
                                        fmt::format("{}: {} late day{}, {} points each", when, days,
                                                    days == 1 ? "" : "s", points_text(each))));
}

void GradeRules::apply(GradeResult& result, std::optional<int64_t> handed_in,
                       std::optional<int64_t> own_due) const {
  result.adjustments.clear();
  if (result.state == GradeState::grader_error) return;
  const auto time = times_.find(result.student);
  if (time != times_.end()) handed_in = time->second.first;
  result.handed_in = handed_in ? time_text(*handed_in) : "";
  if (late_.due && handed_in) add_lateness(result, *handed_in, own_due);
  const auto own = adjustments_.find(result.student);
  if (own == adjustments_.end()) return;
  for (const Adjustment& one : own->second)
    result.adjustments.push_back({"adjustment", one.points, printable(one.reason)});
}

void GradeRules::renew(GradeResult& result) {
  for (GradeAdjustment& one : result.adjustments) {
    if (one.name == "late")
      one = lateness(one.whole.value_or(-one.points), result.points, std::move(one.reason));
  }
}

std::vector<std::string> GradeRules::settle(const std::vector<KnownStudent>& students,
                                            const Roster* roster) {
  const RowReader rows(students, roster);
  std::vector<std::string> sentences;
  const auto settled = [&](auto& rules, bool may_wait, const auto& where_of, const auto& join) {
    std::remove_reference_t<decltype(rules)> by_student;
    for (auto& [text, rule] : rules) {
      const Position where = where_of(rule);
      const std::string student = rows.student_of(text, where);
      const bool is_there = rows.has_submission(student);
      if (student.empty() || (!is_there && !may_wait)) {
        const std::string near = student.empty() ? rows.nearest_to(text) : "";
        sentences.push_back(
            fmt::format("{}: there is no submission of `{}`{}", where.text(), printable(text),
                        near.empty() ? "" : "; did you mean `" + printable(near) + "`?"));
      }
      const auto [known, fresh] = by_student.try_emplace(student.empty() ? text : student, rule);
      if (!fresh) join(known->second, rule);
    }
    rules = std::move(by_student);
  };
  const auto refuse = [](const Position& first, const Position& second) {
    throw usage_error(fmt::format("the student of this row is that of line {}, too", first.line),
                      second);
  };
  // A student who has an extension may hand in later.
  settled(
      extensions_, true, [](const Extension& one) { return one.where; },
      [&](const Extension& one, const Extension& other) { refuse(one.where, other.where); });
  settled(
      adjustments_, false, [](const std::vector<Adjustment>& all) { return all.front().where; },
      [](std::vector<Adjustment>& all, const std::vector<Adjustment>& more) {
        all.insert(all.end(), more.begin(), more.end());
      });
  settled(
      times_, false, [](const auto& time) { return time.second; },
      [&](const auto& one, const auto& other) { refuse(one.second, other.second); });
  return sentences;
}

std::vector<std::string> GradeRules::unused_lateness(
    const std::vector<Submission>& submissions) const {
  std::vector<std::string> sentences;
  const auto has_time = [&](const Submission& one) {
    return one.handed_in || times_.contains(one.student);
  };
  if (late_.due && std::ranges::none_of(submissions, has_time)) {
    sentences.emplace_back(
        "the assignment has `due`, and nobody says when anything was handed in, so that nothing is "
        "late: --times FILE says it");
  }
  for (const Submission& one : submissions) {
    if (!one.is_late || (late_.due && has_time(one))) continue;
    sentences.push_back(fmt::format(
        "the platform says that `{}` is late, and that costs nothing: {}", printable(one.student),
        late_.due ? "nobody says when it was handed in; --times FILE says it"
                  : "the assignment has no `due`"));
  }
  return sentences;
}

}  // namespace warpmark
