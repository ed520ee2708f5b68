// What every report of a comparison says in the same words: rows, the sum, what to do.
#pragma once

#include <string>
#include <vector>

#include "report/comparison_report.hpp"

namespace warpmark {

/// One line of a table. A case whose counters are compared has one for each that changed, of which
/// only the first has verdict and case.
struct ComparisonRow {
  ChangeVerdict verdict = ChangeVerdict::same;
  bool first = true;  ///< of its point
  std::string id;
  std::string what;  ///< cold, hot, or the counter's name
  std::string baseline, contender, change;
  std::string interval;            ///< of the change
  std::vector<std::string> notes;  ///< of the point, with the first row only
  std::vector<std::string> lines;  ///< of the source that grew, with the last row only
};

/// Those of the points with that verdict: slower and faster ones from the greatest change down, all
/// others in the baseline's order.
std::vector<ComparisonRow> rows_of(const BenchComparison& comparison, ChangeVerdict verdict);

/// A case that fails the comparison, in words.
struct FailedChange {
  std::string suite, id;
  std::string text;  ///< verdict, reason, then each time or counter that shows it
  Position where;    ///< of the baseline's record
  Position line;     ///< of the source's line that grew most, if the baseline shows which
};

/// Those of all points that fail, the gravest first.
std::vector<FailedChange> failed_changes(const ComparedBenches& compared);

/// So many lines of a point are shown, and counters of a line.
constexpr size_t kMostGrownLines = 3, kMostCounters = 2;

/// The lines that grew most, as "k.cu:14: +4,096 ptx_flops (8,192 → 12,288)", and how many more.
std::vector<std::string> line_texts(const ComparedPoint& point);
/// What of a line's counters grew and by how much: "+4,096 ptx_flops (8,192 → 12,288)".
std::string growth_text(const GrownLine& line);
/// Whether the baseline says what lines counted; where it does not, they are those with most now.
bool has_growth(const ComparedPoint& point);

/// "2 slower, 1 lost, 30 the same (within 2 %)".
std::string sum_text(const ComparedBenches& compared);

/// What the circumstances were and in what they differ, a line each.
std::vector<std::string> head_lines(const ComparedBenches& compared);

/// What a person may do now.
std::vector<std::string> advice(const ComparedBenches& compared);

}  // namespace warpmark
