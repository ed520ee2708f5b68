// A student's view of a grade, as a page.
#include <fmt/format.h>

#include <algorithm>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/grade/grade_blocks.hpp"
#include "report/grade/grade_page.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/receipt.hpp"
#include "report/page/html.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

Json score_values(const GradeResult& result) {
  if (!has_points(result)) return nullptr;
  const double share =
      result.max_points > 0 ? std::clamp(result.final_points() / result.max_points, 0.0, 1.0) : 0;
  const double open = result.open_points();
  return {{"points", points_text(result.final_points())},
          {"max_points", points_text(result.max_points)},
          {"open", open > 0 ? fmt::format(", {} open", points_text(open)) : ""},
          {"percent", fmt::format("{:.1f}", 100 * share)},
          {"adjustments", adjustment_texts(result)}};
}

// The student, the file, the date and the device.
std::string lead(const GradeResult& result) {
  std::vector<std::string> facts = {result.student, result.file, result.context.date,
                                    result.context.device};
  std::erase(facts, "");
  return join(facts, " · ");
}

Json graded_cases(const StudentView& view) {
  const GradeResult& result = view.result();
  Json cases = Json::array();
  if (!has_points(result)) return cases;
  for (size_t i = 0; i < result.cases.size(); ++i) {
    GradedCase one = result.cases[i];
    if (result.state != GradeState::graded)
      one.items.clear();  // they would only repeat the message
    cases.push_back(case_values(result, one, view.words()[i], false));
  }
  return cases;
}

}  // namespace

std::string student_page(const StudentView& view, const std::string& standing) {
  const GradeResult& result = view.result();
  Json facts = Json::array();
  for (const ReceiptLine& line : receipt(view)) {
    facts.push_back({{"name", line.name}, {"value", line.value}});
  }
  return without_commands(
      html_page("report/grade/student",
                {{"title", result.title.empty() ? result.assignment : result.title},
                 {"lead", lead(result)},
                 {"score", score_values(result)},
                 {"standing", standing},
                 {"has_points", has_points(result)},
                 {"state", state_title(result.state)},
                 {"message", html_prose(message_text(result))},
                 {"log", trim(result.log)},
                 {"shows_log", result.state != GradeState::graded},
                 {"cases", graded_cases(view)},
                 {"facts", std::move(facts)},
                 {"check", html_prose(receipt_check(view))},
                 {"words", word_values()}},
                "report/grade/grade"));
}

}  // namespace warpmark
