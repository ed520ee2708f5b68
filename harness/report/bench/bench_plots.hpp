// Which pictures a report has, and what is in them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/page/line_plots.hpp"
#include "report/page/plot.hpp"
#include "report/page/report_table.hpp"

namespace warpmark {

struct SuitePlots {
  std::string suite;
  LinePlots lines;
  std::optional<RooflinePlot> roofline;
  std::vector<StripPlot> strips;
};

/// For each suite its lines, over `x_axis` or what line_plots() chooses without one, its roofline_plot(), and the samples
/// of each series as their deviation from its median, but for devices that count. At most 24 rows
/// come to a picture of samples, then another follows, and at most 150 evenly chosen samples to a
/// row.
std::vector<SuitePlots> suite_plots(const std::vector<NamedResult>& results,
                                    const std::string& x_axis = "");

}  // namespace warpmark
