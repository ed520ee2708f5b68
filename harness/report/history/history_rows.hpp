// The parts that all reports of a history have in the same words.
#pragma once

#include <string>
#include <vector>

#include "results/bench_history.hpp"

namespace warpmark {

/// "41.02 µs", "2,827".
std::string value_text(const HistoryPoint& point, double value);
/// "±0.21 %"; "" of a count.
std::string half_width_text(const HistoryValue& value);

/// The first and the last value that exists; null if there is none.
const HistoryValue* first_value(const HistoryPoint& point);
const HistoryValue* last_value(const HistoryPoint& point);

/// "+8.1 %", of times or of counts.
std::string change_text(const HistoryPoint& point, double ratio);
/// "+7.7 … +8.3 %"; "" of a count.
std::string interval_text(const HistoryPoint& point, const Ratio& ratio);
/// The change from the first to the last value, "same" if they are equal; "" with fewer than two
/// values.
std::string whole_change_text(const HistoryPoint& point);
/// "+8.1 % (+7.7 … +8.3 %) from 3d4e5f6 on, of the same sources", one for each change, and a drift.
std::vector<std::string> change_lines(const BenchHistory& history, const HistoryPoint& point);
/// The remarks on a change besides its size: its reason, and equal sources.
std::string remark_text(const HistoryPoint& point, const HistoryChange& change);
/// "no value in 2c3d4e5 (failed), 3d4e5f6"; "" if all have one. Of many runs only those that did not
/// pass, and how many others.
std::string gap_text(const BenchHistory& history, const HistoryPoint& point);

/// "cold", or the counter's name.
std::string what_text(const HistoryPoint& point);

/// True if the time is longer, or the count higher.
bool is_worse(const Ratio& ratio);

/// The points that changed, then those that drift, then the others; each in the order of the
/// history.
std::vector<const HistoryPoint*> by_change(const BenchHistory& history);

/// "6 runs on NVIDIA H200, 6 cases, by times".
std::string subject_text(const BenchHistory& history);
/// "5 of 11 points changed, 2 drift (a change counts from 2 % on)".
std::string sum_text(const BenchHistory& history);
/// The certainty of the changes.
std::string method_text(const BenchHistory& history);

}  // namespace warpmark
