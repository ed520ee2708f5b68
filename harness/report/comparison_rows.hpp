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
};

/// Those of the points with that verdict: slower and faster ones from the greatest change down, all
/// others in the baseline's order.
std::vector<ComparisonRow> rows_of(const BenchComparison& comparison, ChangeVerdict verdict);

/// A case that fails the comparison, in words.
struct FailedChange {
  std::string suite, id;
  std::string text;  ///< verdict, reason, then each time or counter that shows it
  Position where;    ///< of the baseline's record
};

/// Those of all points that fail, the gravest first.
std::vector<FailedChange> failed_changes(const ComparedBenches& compared);

/// "2 slower, 1 lost, 30 the same (within 2 %)".
std::string sum_text(const ComparedBenches& compared);

/// What the circumstances were and in what they differ, a line each.
std::vector<std::string> head_lines(const ComparedBenches& compared);

/// What a person may do now.
std::vector<std::string> advice(const ComparedBenches& compared);

}  // namespace warpmark
