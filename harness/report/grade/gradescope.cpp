#include "report/grade/gradescope.hpp"

#include <fmt/format.h>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "report/grade/credit_lines.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/receipt.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

std::string output_text(const StudentView& view) {
  const GradeResult& result = view.result();
  std::string text = message_text(result);
  if (has_points(result)) {
    const std::string sum = join(adjustment_texts(result), "\n");
    text =
        total_text(result) + (sum.empty() ? "" : "\n" + sum) + (text.empty() ? "" : "\n\n" + text);
  }
  const std::string_view log = trim(result.log);
  if (!log.empty()) text += fmt::format("\n\nThe compiler says:\n{}", log);
  const std::string lines = receipt_text(view);
  if (!lines.empty()) text += "\n\nReceipt:\n" + lines;
  return text;
}

Json test_of(const StudentView& view, size_t i) {
  const GradedCase& one = view.result().cases[i];
  const GradeWord word = view.words()[i];
  const bool passed = word == GradeWord::pass;
  const bool hidden = one.visibility == Visibility::hidden;
  Json tags = {to_text(word)};
  if (hidden) tags.push_back("hidden");
  if (one.extra) tags.push_back("extra credit");
  Json test;
  // Without a score and a status Gradescope shows the text alone.
  if (one.open.empty()) {
    test["score"] = shown_points(one.points);
    test["max_score"] = one.extra ? 0 : shown_points(one.max_points);
    test["status"] = passed ? "passed" : "failed";
  } else {
    tags.push_back("open");
  }
  test["name"] = one.name;
  test["name_format"] = "text";
  test["number"] = std::to_string(i + 1);
  std::vector<std::string> lines = credit_lines(one);
  lines.insert(lines.begin(),
               passed ? std::string(word_text(word)) : lost_text(view.result(), one, word));
  test["output"] = join(lines, "\n");
  test["output_format"] = "text";
  test["tags"] = std::move(tags);
  test["visibility"] = "visible";
  test["extra_data"] = {{"word", to_text(word)}, {"hidden", hidden}};
  return test;
}

}  // namespace

std::string gradescope_json(const StudentView& view) {
  const GradeResult& result = view.result();
  Json json;
  if (has_points(result)) json["score"] = shown_points(result.final_points());
  json["execution_time"] = shown_points(result.seconds);
  json["output"] = output_text(view);
  for (const char* format : {"output_format", "test_output_format", "test_name_format"}) {
    json[format] = "text";
  }
  json["visibility"] = "visible";
  json["stdout_visibility"] = "hidden";
  json["extra_data"] = {{"warpmark", result.context.warpmark},
                        {"assignment", result.assignment},
                        {"assignment_version", result.context.assignment_version},
                        {"nvrtc", result.context.nvrtc_version},
                        {"date", result.context.date},
                        {"state", to_text(result.state)},
                        {"submission_sha256", result.submission_sha256}};
  if (has_points(result)) {
    Json tests = Json::array();
    for (size_t i = 0; i < result.cases.size(); ++i) {
      tests.push_back(test_of(view, i));
    }
    json["tests"] = std::move(tests);
    // Shown to the class, under names that students choose, only where staff turn it on.
    Json board = Json::array();
    // The first column is what Gradescope orders by.
    if (result.leaderboard && result.leaderboard->value && result.leaderboard->by != "points") {
      board.push_back({{"name", result.leaderboard->by},
                       {"value", *result.leaderboard->value},
                       {"order", result.leaderboard->ascending ? "asc" : "desc"}});
    }
    board.push_back(
        {{"name", "points"}, {"value", shown_points(result.final_points())}, {"order", "desc"}});
    json["leaderboard"] = std::move(board);
  }
  return json_document(strict_json(json));
}

}  // namespace warpmark
