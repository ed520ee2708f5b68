// The analysis of items as a table of a page and as CSV.
#include <fmt/format.h>

#include <algorithm>

#include "base/log_text.hpp"
#include "base/template.hpp"
#include "base/text.hpp"
#include "report/grade/grade_blocks.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/grade/item_analysis.hpp"
#include "report/page/html.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

// Colours of page.css and grade.css, in the order of kGradeWords.
constexpr std::array<const char*, kGradeWords.size()> kWordColours = {
    "--h4", "--c1", "--c4", "--c3", "--c7", "--c5", "--none"};

std::string optional_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value + 0.0) : "";
}

std::string failure_text(const CommonFailure& failure) {
  const std::string cause = in_one_line(failure.cause);
  if (failure.word == GradeWord::pass) return fmt::format("{} × {}", failure.students, cause);
  std::string text = fmt::format("{} × {}", failure.students, to_text(failure.word));
  if (!cause.empty()) text += ": " + cause;
  if (failure.retried > 0) {
    text +=
        fmt::format("; {} of {} who handed in again mended it", failure.mended, failure.retried);
  }
  return text;
}

Json case_statistics(const CaseStatistics& one) {
  Json bars = Json::array(), failures = Json::array();
  std::vector<std::string> words;
  for (size_t i = 0; i < kGradeWords.size(); ++i) {
    if (one.words[i] == 0) continue;
    const std::string what = fmt::format("{} {}", one.words[i], to_text(kGradeWords[i]));
    const double share = static_cast<double>(one.words[i]) / static_cast<double>(one.students);
    bars.push_back({{"width", fmt::format("{:.2f}", 100.0 * share)},
                    {"colour", kWordColours[i]},
                    {"what", what}});
    if (i > 0) words.push_back(what);
  }
  for (const CommonFailure& failure : one.failures) {
    failures.push_back(html_prose(failure_text(failure)));
  }
  return {{"name", one.name},
          {"hidden", one.hidden},
          {"points", points_text(one.max_points)},
          {"share", fmt::format("{:.0f}", 100 * one.share)},
          {"passed", one.passed},
          {"students", one.students},
          {"correlation", optional_text(one.correlation)},
          {"upper_lower", optional_text(one.upper_lower)},
          {"bars", std::move(bars)},
          {"words", join(words, ", ")},
          {"failures", std::move(failures)}};
}

}  // namespace

std::string items_table(const ItemAnalysis& analysis) {
  std::vector<const CaseStatistics*> cases;
  for (const CaseStatistics& one : analysis.cases) {
    if (one.students > 0) cases.push_back(&one);
  }
  if (cases.empty() || analysis.ran < 2) return "";
  std::ranges::stable_sort(cases, [](const auto* a, const auto* b) { return a->share < b->share; });
  Json rows = Json::array();
  for (const CaseStatistics* one : cases) rows.push_back(case_statistics(*one));
  const auto count = [](size_t number) { return number > 0 ? counted(number, "submission") : ""; };
  return filled_file("report/grade/items.html",
                     {{"ran", count(analysis.ran)},
                      {"not_run", count(analysis.not_run)},
                      {"not_graded", count(analysis.not_graded)},
                      {"few", analysis.ran < kFewestStudents},
                      {"fewest", kFewestStudents},
                      {"cases", std::move(rows)}},
                     html_text);
}

std::string items_csv(const ItemAnalysis& analysis) {
  const std::string end = "\r\n";
  std::string csv =
      R"("case","visibility","points","students","passed","mean_share","correlation","upper_lower")";
  for (const GradeWord word : kGradeWords) csv += "," + csv_cell(to_text(word));
  csv += R"(,"commonest failures","not_run","not_graded","retried","mended")" + end;
  for (const CaseStatistics& one : analysis.cases) {
    csv += csv_cell(one.name) + "," + csv_cell(one.hidden ? "hidden" : "visible") + "," +
           points_text(one.max_points) + "," + fmt::format("{},{},", one.students, one.passed) +
           (one.students > 0 ? fmt::format("{:.4f}", one.share) : "") + ",";
    // Beside a minus sign there are only digits: a number, no formula.
    csv += optional_text(one.correlation) + "," + optional_text(one.upper_lower);
    for (const size_t count : one.words) csv += "," + std::to_string(count);
    std::vector<std::string> failures;
    for (const CommonFailure& failure : one.failures) failures.push_back(failure_text(failure));
    csv += "," + csv_cell(join(failures, " | ")) +
           fmt::format(",{},{},{},{}", analysis.not_run, analysis.not_graded, one.retried,
                       one.mended) +
           end;
  }
  return without_commands(csv);
}

}  // namespace warpmark
