// A small picture of a point's history, as SVG.
#pragma once

#include <string>

#include "results/bench_history.hpp"

namespace warpmark {

/// An `<svg>` element for a page with page.css and history.css: the values with their intervals
/// over the runs, a line at each change, a cross for a run that failed; gaps stay gaps. It has no texts
/// but its scale and, for the mouse, the figures of each run. Its scale spans 5 % at least, so that
/// noise does not look like changes.
std::string sparkline(const BenchHistory& history, const HistoryPoint& point);

}  // namespace warpmark
