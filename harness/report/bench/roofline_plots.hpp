// The cases of a suite under the roofs of their device (Williams, Waterman, Patterson: Roofline, CACM
// 52, 2009).
#pragma once

#include <optional>
#include <vector>

#include "report/page/line_plots.hpp"
#include "report/page/plot.hpp"

namespace warpmark {

/// Each case that says its bytes and flops, once: in the first mode that was timed and is no copy,
/// cold before hot. To the right its flops over its bytes, upwards flops a second. The roofs of a
/// device are its read rate and the peaks that the cases are held against; without any, what fused
/// multiply-adds did in the same run. Nothing without a case or a memory roof.
std::optional<RooflinePlot> roofline_plot(const std::vector<NamedResult>& results,
                                          const std::vector<PlotPoint>& points);

}  // namespace warpmark
