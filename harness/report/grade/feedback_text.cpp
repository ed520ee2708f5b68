#include "report/grade/feedback_text.hpp"

#include <fmt/format.h>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/grade/credit_lines.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/receipt.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {
namespace {

std::string feedback_of_case(const StudentView& view, size_t i) {
  const GradedCase& one = view.result().cases[i];
  const GradeWord word = view.words()[i];
  std::string text =
      fmt::format("{}: {} points, {}\n", case_title(one), case_points_text(one), to_text(word));
  const std::string lost = lost_text(view.result(), one, word);
  if (!lost.empty() && view.result().state == GradeState::graded) text += behind_margin(lost, "  ");
  for (const std::string& line : credit_lines(one)) text += behind_margin(line, "  ");
  return text;
}

}  // namespace

std::string feedback_text(const StudentView& view) {
  const GradeResult& result = view.result();
  const std::string& title = result.title.empty() ? result.assignment : result.title;
  std::string text =
      in_one_line(title) + "\n" + in_one_line(result.student) + "\n\n" + total_text(result) + "\n";
  for (const std::string& line : adjustment_texts(result)) text += line + "\n";
  const std::string message = message_text(result);
  if (!message.empty()) text += "\n" + behind_margin(message, "  ");
  if (has_points(result)) {
    if (!trim(result.log).empty())
      text += "\nThe compiler says:\n" + behind_margin(result.log, "  ");
    text += '\n';
    for (size_t i = 0; i < result.cases.size(); ++i) text += feedback_of_case(view, i);
    text += "\nReceipt\n" + behind_margin(receipt_text(view), "  ");
  }
  return without_commands(text);
}

}  // namespace warpmark
