// A student's view of a grade, as a page.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/grade/grade_blocks.hpp"
#include "report/grade/grade_page.hpp"
#include "report/grade/grade_style.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/receipt.hpp"
#include "report/page/html.hpp"

namespace warpmark {
namespace {

std::string score(const GradeResult& result) {
  if (!has_points(result)) return "<p class=\"score\">Not graded</p>\n";
  const double share =
      result.max_points > 0 ? std::clamp(result.final_points() / result.max_points, 0.0, 1.0) : 0;
  const double open = result.open_points();
  return fmt::format(
             "<p class=\"score\">{} <span>of {} points{}</span></p>\n"
             "<div class=\"meter\"><i style=\"width:{:.1f}%\"></i></div>\n",
             points_text(result.final_points()), points_text(result.max_points),
             open > 0 ? fmt::format(", {} open", points_text(open)) : "", 100 * share) +
         adjustment_block(result);
}

// The student, the file, the date and the device.
std::string lead(const GradeResult& result) {
  std::vector<std::string> facts;
  for (const std::string* fact :
       {&result.student, &result.file, &result.context.date, &result.context.device}) {
    if (!fact->empty()) facts.push_back(html_text(*fact));
  }
  return "<p class=\"lead\">" + join(facts, " · ") + "</p>\n";
}

std::string receipt_block(const StudentView& view) {
  std::string rows;
  for (const ReceiptLine& line : receipt(view)) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", line.name,
                        html_text(line.value));
  }
  if (rows.empty()) return "";
  const std::string check = receipt_check(view);
  return "<h2>Receipt</h2>\n<div class=\"scroll\"><table class=\"context\"><tbody>\n" + rows +
         "</tbody></table></div>\n" +
         (check.empty() ? "" : "<p class=\"remark\">" + html_prose(check) + "</p>\n");
}

}  // namespace

std::string student_page(const StudentView& view, const std::string& standing) {
  const GradeResult& result = view.result();
  const std::string& title = result.title.empty() ? result.assignment : result.title;
  std::string page = html_head(title, kGradeStyle);
  page += "<h1>" + html_text(title) + "</h1>\n" + lead(result) + score(result);
  if (!standing.empty()) page += "<p class=\"lead\">Leaderboard: " + html_text(standing) + "</p>\n";
  const std::string message = message_text(result);
  if (!message.empty()) {
    page += fmt::format("<div class=\"banner{}\"><b>{}</b>\n{}</div>\n",
                        has_points(result) ? " bad" : "", state_title(result.state),
                        html_prose(message));
  }
  const bool graded = result.state == GradeState::graded;
  page += log_block(result.log, !graded);
  if (has_points(result) && !result.cases.empty()) {
    page += "<h2>Cases</h2>\n";
    for (size_t i = 0; i < result.cases.size(); ++i) {
      GradedCase one = result.cases[i];
      if (!graded) one.items.clear();  // they would only repeat the message
      page += case_block(result, one, view.words()[i], false);
    }
  }
  page += receipt_block(view);
  return without_commands(page + words_footer());
}

}  // namespace warpmark
