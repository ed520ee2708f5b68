// The parts that all reports of a comparison have in the same words: rows, the sum, the advice.
#pragma once

#include <string>
#include <vector>

#include "report/comparison/comparison_report.hpp"

namespace warpmark {

/// One line of a table. A case whose counters are compared has one for each that changed, of which
/// only the first has verdict and case.
struct ComparisonRow {
  ChangeVerdict verdict = ChangeVerdict::same;
  bool first = true;  ///< true for the first row of its point
  std::string id;
  std::string what;  ///< cold, hot, or the counter's name
  std::string baseline, contender, change;
  std::string interval;            ///< interval of the change
  std::vector<std::string> notes;  ///< notes of the point, with the first row only
  std::vector<std::string> lines;  ///< source lines that grew, with the last row only
};

/// The rows of the points with that verdict: slower and faster ones from the greatest change down,
/// all others in the baseline's order.
std::vector<ComparisonRow> rows_of(const BenchComparison& comparison, ChangeVerdict verdict);

/// A case that fails the comparison, in words.
struct FailedChange {
  std::string suite, id;
  ChangeVerdict verdict = ChangeVerdict::slower;
  std::string text;  ///< verdict, reason, then each time or counter that shows it
  Position where;    ///< place of the baseline's record
  Position line;     ///< source line that grew most, if the baseline shows which
};

/// The failed changes of all points, the gravest first.
std::vector<FailedChange> failed_changes(const ComparedBenches& compared);

/// The most lines shown of a point, and the most counters shown of a line.
constexpr size_t kMostGrownLines = 3, kMostCounters = 2;

/// The lines that grew most, as "k.cu:14: +4,096 ptx_flops (8,192 → 12,288)", and how many more.
std::vector<std::string> line_texts(const ComparedPoint& point);
/// The counters of a line that grew and by how much: "+4,096 ptx_flops (8,192 → 12,288)".
std::string growth_text(const GrownLine& line);
/// True if the baseline has counts by line; if not, the lines are those with the highest counts
/// now.
bool has_growth(const ComparedPoint& point);

/// "2 slower, 1 lost, 30 the same (within 2 %)".
std::string sum_text(const ComparedBenches& compared);

/// The circumstances and their differences, a line each.
std::vector<std::string> head_lines(const ComparedBenches& compared);

/// Advice on what to do now, in lines.
std::vector<std::string> advice(const ComparedBenches& compared);

}  // namespace warpmark
