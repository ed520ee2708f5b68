// The analysis of items as a table of a page and as CSV.
#include <fmt/format.h>

#include <algorithm>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/grade/item_analysis.hpp"
#include "report/page/html.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {
namespace {

// Colours of kPageStyle and kGradeStyle, in the order of kGradeWords.
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
  return text;
}

std::string item_row(const CaseStatistics& one) {
  std::string bar, words;
  for (size_t i = 0; i < kGradeWords.size(); ++i) {
    if (one.words[i] == 0) continue;
    const std::string what = fmt::format("{} {}", one.words[i], to_text(kGradeWords[i]));
    bar +=
        fmt::format("<i style=\"width:{:.2f}%;background:var({})\" title=\"{}\"></i>",
                    100.0 * static_cast<double>(one.words[i]) / static_cast<double>(one.students),
                    kWordColours[i], what);
    if (i > 0) words += (words.empty() ? "" : ", ") + what;
  }
  std::string failures;
  for (const CommonFailure& failure : one.failures) {
    failures += "<div>" + html_prose(failure_text(failure)) + "</div>";
  }
  return fmt::format(
      "<tr><td>{}{}</td><td class=\"number\">{}</td><td class=\"number\">{:.0f} %</td>"
      "<td class=\"number\">{} of {}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
      "<td><div class=\"verdicts\"><div class=\"share\">{}</div><span class=\"remark\">{}</span>"
      "</div></td><td class=\"failures\">{}</td></tr>\n",
      html_text(one.name), one.hidden ? " <span class=\"remark\">hidden</span>" : "",
      points_text(one.max_points), 100 * one.share, one.passed, one.students,
      optional_text(one.correlation), optional_text(one.upper_lower), bar, words, failures);
}

}  // namespace

std::string items_table(const ItemAnalysis& analysis) {
  std::vector<const CaseStatistics*> cases;
  for (const CaseStatistics& one : analysis.cases) {
    if (one.students > 0) cases.push_back(&one);
  }
  if (cases.empty() || analysis.ran < 2) return "";
  std::stable_sort(cases.begin(), cases.end(),
                   [](const auto* a, const auto* b) { return a->share < b->share; });
  std::string table = "<h2>Hardest cases first</h2>\n<p class=\"remark\">Of " +
                      counted(analysis.ran, "submission") + " that ran.";
  if (analysis.not_run > 0) {
    table += fmt::format(" Left out: {} that did not compile or run.",
                         counted(analysis.not_run, "submission"));
  }
  if (analysis.not_graded > 0) {
    table += fmt::format(" Not graded: {}.", counted(analysis.not_graded, "submission"));
  }
  table += analysis.ran < kFewestStudents
               ? fmt::format(" r and D need {} submissions.</p>\n", kFewestStudents)
               : " r: correlation of the case with the points of the others. D: mean share of the "
                 "upper 27 % minus that of the lower. Below about 0.2, look at the case.</p>\n";
  table +=
      "<div class=\"scroll\"><table><thead><tr><th>case</th><th class=\"number\">points</th>"
      "<th class=\"number\">mean share</th><th class=\"number\">passed</th>"
      "<th class=\"number\">r</th><th class=\"number\">D</th><th>verdicts</th>"
      "<th>commonest failures</th></tr></thead>\n<tbody>";
  for (const CaseStatistics* one : cases) table += item_row(*one);
  return table + "</tbody></table></div>\n";
}

std::string items_csv(const ItemAnalysis& analysis) {
  const std::string end = "\r\n";
  std::string csv =
      R"("case","visibility","points","students","passed","mean_share","correlation","upper_lower")";
  for (const GradeWord word : kGradeWords) csv += "," + csv_cell(to_text(word));
  csv += R"(,"commonest failures","not_run","not_graded")" + end;
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
           fmt::format(",{},{}", analysis.not_run, analysis.not_graded) + end;
  }
  return without_commands(csv);
}

}  // namespace warpmark
