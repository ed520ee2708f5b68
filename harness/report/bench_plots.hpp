// Which pictures a report has, and what is in them.
#pragma once

#include <string>
#include <vector>

#include "python/plots.hpp"
#include "report/report_table.hpp"

namespace warpmark {

struct CaptionedLines {
  std::string caption;  ///< the value of the axis `dtype`; "" without such an axis
  LinePlot plot;
};

struct SuitePlots {
  std::string suite;
  std::vector<CaptionedLines> lines;
  std::vector<StripPlot> strips;
};

/// For each suite
/// - one picture for each dtype: the rate (if each case says its bytes, with the copy's as a
/// level),
///   the time, or the instructions of devices that count, against the axis `n`, or the numeric axis
///   with the most values if there is no such; none for a suite that has no axis of two numbers;
/// - the samples of each series as their deviation from its median, but for devices that count.
/// At most eight lines and 24 rows come to a picture, then another follows, and at most 150 evenly
/// chosen samples to a row.
std::vector<SuitePlots> suite_plots(const std::vector<NamedResult>& results);

}  // namespace warpmark
