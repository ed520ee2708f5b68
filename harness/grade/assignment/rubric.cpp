#include "grade/assignment/rubric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/date_time.hpp"
#include "base/text.hpp"
#include "results/grade_result.hpp"

namespace warpmark {
namespace {

// Which ratio of the baseline gives how much.
std::string performance_phrase(const PerformanceRule& rule) {
  std::string of = "its time on the course's GPU";
  if (rule.by_counters()) of = "its number of `" + join(rule.counters, "` and `") + "`";
  std::string text = "points by " + of + ", over that of the course's kernel: ";
  if (rule.steps.empty()) {
    return text + fmt::format("all up to {:.4g} ×, none from {:.4g} ×, and in a line between",
                              rule.full, rule.zero);
  }
  std::vector<std::string> steps;
  for (const PerformanceStep& step : rule.steps)
    steps.push_back(fmt::format("{} up to {:.4g} ×", points_text(step.points), step.ratio));
  return text + join(steps, ", ") + ", none above";
}

std::string degree_phrase(const AssignmentCase& one) {
  std::string text = one.degree_of == DegreeOf::elements
                         ? "a wrong one gives the part that is right of its elements"
                         : "a right one that misses a bound gives how near it comes";
  if (one.from > 0) text += fmt::format(", if that is {:.4g} % or more", one.from * 100);
  return text;
}

}  // namespace

std::string credit_sentence(const AssignmentCase& one) {
  const size_t items = one.items.size();
  std::vector<std::string> parts;
  if (items > 1) {
    const bool shares = one.credit != Credit::all;
    parts.push_back(
        fmt::format("{} items, {}", items, shares ? "each with its share" : "all must be right"));
  }
  if (one.credit == Credit::degree) parts.push_back(degree_phrase(one));
  if (one.performance) parts.push_back(performance_phrase(*one.performance));
  return join(parts, "; ");
}

std::string points_phrase(const AssignmentCase& one) {
  return points_text(one.points) + (one.extra ? " (extra credit)" : "");
}

std::string due_text(const LatePolicy& late) {
  if (!late.due) return "";
  std::string text = time_text(*late.due);  // "2026-11-20T22:59:00Z"
  std::ranges::replace(text, 'T', ' ');
  constexpr std::string_view kWholeMinute = ":00Z";
  text.resize(text.size() - (text.ends_with(kWholeMinute) ? kWholeMinute.size() : 1));
  return text + " UTC";
}

std::string late_sentences(const LatePolicy& late) {
  if (!late.due) return "";
  std::string text;
  if (late.grace_s > 0)
    text = fmt::format("Up to {} later is in time. ", duration_words(late.grace_s));
  if (late.days == 0) return text + "What is handed in later gets no points.";
  std::vector<std::string> costs;
  if (late.share_per_day > 0)
    costs.push_back(fmt::format("{:.4g} % of all points", late.share_per_day * 100));
  if (late.points_per_day > 0) {
    costs.push_back(fmt::format("{} point{}", points_text(late.points_per_day),
                                late.points_per_day == 1 ? "" : "s"));
  }
  const std::string days = late.days == 1 ? "one day" : fmt::format("{} days", late.days);
  if (costs.empty()) return text + fmt::format("More than {} later there are no points.", days);
  return text + fmt::format("Each day begun costs {}; more than {} later there are no points.",
                            join(costs, " and "), days);
}

}  // namespace warpmark
