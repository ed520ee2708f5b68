#include "report/grade/class_controls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/grade/grade_text.hpp"

namespace warpmark {
namespace {

bool has_lost(const GradeResult& result) {
  return has_points(result) && result.final_points() < result.max_points - 1e-9;
}
bool has_stopped(const GradeResult& result) {
  return result.state != GradeState::graded;
}
bool is_flagged(const GradeResult& result) {
  return !result.flags.empty();
}

// A label behind each, so that a click on the words counts, too.
std::string radio(std::string_view group, std::string_view value, std::string_view words,
                  bool checked) {
  return fmt::format(
      "<input class=\"view\" type=\"radio\" name=\"{0}\" id=\"{0}-{1}\"{3}>"
      "<label for=\"{0}-{1}\">{2}</label>\n",
      group, value, words, checked ? " checked=\"\"" : "");
}

}  // namespace

std::string class_controls(const std::vector<GradeResult>& results) {
  const auto count = [&](bool (*condition)(const GradeResult&)) {
    return std::count_if(results.begin(), results.end(), condition);
  };
  std::string html = radio("order", "points", "most points first", true) +
                     radio("order", "name", "by name", false) +
                     "<span class=\"view-end\"></span>\n";
  html += radio("show", "all", fmt::format("all {}", results.size()), true);
  html += radio("show", "lost", fmt::format("{} that lost points", count(has_lost)), false);
  html += radio("show", "stopped",
                fmt::format("{} that did not run or are not graded", count(has_stopped)), false);
  if (const auto flagged = count(is_flagged); flagged > 0) {
    html += radio("show", "flagged", fmt::format("{} flagged", flagged), false);
  }
  return html + "<span class=\"view-end\"></span>\n";
}

std::string shown_with(const GradeResult& result) {
  std::string classes;
  const auto add = [&](bool condition, const char* name) {
    if (condition) classes += (classes.empty() ? "" : " ") + std::string(name);
  };
  add(has_lost(result), "is-lost");
  add(has_stopped(result), "is-stopped");
  add(is_flagged(result), "is-flagged");
  return classes;
}

}  // namespace warpmark
