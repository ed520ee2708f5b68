#include "report/grade/grades_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/grade/credit_lines.hpp"
#include "report/grade/grade_text.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {
namespace {

// True for a text that a spreadsheet may take for the start of a formula, including the wide forms
// that Asian ones accept (OWASP, "CSV Injection").
bool starts_formula(std::string_view text) {
  for (const std::string_view start :
       {"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

std::string flags_of(const GradeResult& result) {
  std::vector<std::string> flags = result.flags;
  if (result.context.no_sandbox) flags.emplace_back("graded without a sandbox");
  return join(flags, ", ");
}

}  // namespace

// A reader that takes semicolons for separators finds starts of cells within, too.
std::string csv_cell(std::string_view text) {
  const std::string line = in_one_line(text);
  std::string out = "\"";
  bool at_start = true;
  for (size_t i = 0; i < line.size(); ++i) {
    if (at_start && starts_formula(std::string_view(line).substr(i))) out += '\'';
    at_start = (at_start && line[i] == ' ') || line[i] == ';' || line[i] == ',';
    if (line[i] == '"') {
      out += "\"\"";
      at_start = true;  // a reader that splits elsewhere takes it for the start of a cell
    } else {
      out += line[i];
    }
  }
  return out + '"';
}

std::string grades_csv(const std::vector<GradeResult>& results) {
  const std::vector<std::string> names = case_names(results);
  const std::string end = "\r\n";
  std::string csv = "\"student\",\"state\",\"points\",\"max_points\"";
  // These columns are written only if some result needs them, so that a course without adjustments
  // keeps its table.
  const bool adjusted = std::ranges::any_of(results, [](const GradeResult& result) {
    return !result.adjustments.empty() || !result.handed_in.empty();
  });
  if (adjusted) csv += R"(,"case_points","adjustments","handed_in")";
  for (const std::string& name : names) {
    csv += "," + csv_cell(name + ": points") + "," + csv_cell(name + ": word");
  }
  const bool explained = std::ranges::any_of(
      results, [](const GradeResult& result) { return !credit_lines(result).empty(); });
  if (explained) csv += ",\"open_points\",\"credit\"";
  csv += ",\"submission_sha256\",\"flags\"" + end;
  for (const GradeResult& result : results) {
    csv += csv_cell(result.student) + "," + csv_cell(to_text(result.state)) + ",";
    const auto number = [&](double points) {
      return has_points(result) ? points_text(points) : std::string();
    };
    csv += number(result.final_points()) + "," + points_text(result.max_points);
    if (adjusted) {
      const std::vector<std::string> lines = adjustment_texts(result);
      csv += "," + number(result.points) + "," +
             csv_cell(lines.empty() ? "" : join({lines.begin() + 1, lines.end()}, "; ")) + "," +
             csv_cell(result.handed_in);
    }
    for (const std::string& name : names) {
      const GradedCase* one = find_case(result, name);
      csv += one == nullptr ? ",,"
                            : "," + (one->open.empty() ? number(one->points) : "") + "," +
                                  csv_cell(to_text(one->word()));
    }
    if (explained) {
      csv += "," + number(result.open_points()) + "," + csv_cell(join(credit_lines(result), "; "));
    }
    csv += "," + csv_cell(result.submission_sha256) + "," + csv_cell(flags_of(result)) + end;
  }
  return without_commands(csv);
}

}  // namespace warpmark
