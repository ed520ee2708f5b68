#include "results/grade_result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cmath>

namespace warpmark {

GradeWord GradedCase::word() const {
  if (items.empty()) return GradeWord::not_launched;
  for (const GradedItem& item : items) {
    if (item.word != GradeWord::pass) return item.word;
  }
  return GradeWord::pass;
}

double GradeResult::final_points() const {
  double sum = points;
  for (const GradeAdjustment& one : adjustments) sum += one.points;
  return std::max(0.0, sum);
}

double GradeResult::open_points() const {
  double sum = 0;
  for (const GradedCase& one : cases) {
    if (!one.open.empty() && !one.extra) sum += one.max_points;
  }
  return sum;
}

double shown_points(double points) {
  if (!std::isfinite(points)) return 0;
  return std::round(points * 100) / 100 + 0.0;  // + 0.0: never "-0"
}

std::string points_text(double points) {
  // Two decimals hold what shown_points leaves, also where it has 16 digits before the point.
  std::string text = fmt::format("{:.2f}", shown_points(points));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

namespace {

// Points that a hidden case gives in part tell how many items pass, and that is enough.
GradeWord told_word(const GradedCase& one) {
  const bool is_partly = one.points > 0 && one.word() != GradeWord::pass;
  return one.visibility == Visibility::hidden && is_partly ? GradeWord::partly : one.word();
}

}  // namespace

StudentView::StudentView(const GradeResult& whole) : result_(whole) {
  result_.ids.clear();
  result_.key.clear();
  result_.staff.clear();
  result_.flags.clear();
  result_.ptx_prints.clear();
  result_.context.assignment_sha256.clear();
  result_.context.verdict_version.clear();
  result_.context.sandbox.clear();
  result_.context.no_sandbox = false;
  result_.seconds = 0;
  for (GradedCase& one : result_.cases) {
    words_.push_back(told_word(one));
    if (one.visibility == Visibility::hidden) {
      one.items.clear();
      one.performance.reset();
    }
    for (GradedItem& item : one.items) {
      item.note.clear();
      result_.seconds += item.seconds;
    }
  }
}

}  // namespace warpmark
