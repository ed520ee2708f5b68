// The points of a suite as lines over one of its axes, in as many pictures as stay readable.
#pragma once

#include <string>
#include <vector>

#include "report/page/plot.hpp"
#include "report/page/report_table.hpp"

namespace warpmark {

struct CaptionedLines {
  std::string caption;  ///< the values that all of the picture has: "float32, block=128"; may be ""
  LinePlot plot;
};

struct LinePlots {
  std::vector<CaptionedLines> plots;
  size_t left_out = 0;  ///< pictures beyond those that a page has room for
};

/// A series of one result.
struct PlotPoint {
  size_t result = 0;
  const BenchCase* one = nullptr;
  const BenchSeries* series = nullptr;
};

/// All that the results have of the suite.
std::vector<PlotPoint> plot_points(const std::vector<NamedResult>& results,
                                   const std::string& suite);

/// Upwards the rate (if each case says its bytes, with the copy's as a level), the time, or the
/// instructions of devices that count. To the right the axis `x_axis`; if that is "", `n`, or
/// without it the numeric axis with the most values, and then the first axis of a sweep. Values that
/// are no numbers stand side by side. A picture has lines for the values of one other axis, that of
/// `relative_to` or of a sweep first, and at most eight; the values of the others are its caption,
/// as are those of `dtype`. None for a suite whose points do not differ in such an axis.
LinePlots line_plots(const std::vector<NamedResult>& results, const std::vector<PlotPoint>& points,
                     const std::string& x_axis);

}  // namespace warpmark
