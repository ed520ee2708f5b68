// Draws plots as SVG, in the same bytes for equal plots.
#pragma once

#include "report/page/plot.hpp"

namespace warpmark {

/// Lines with their intervals as bands, over the values that were measured.
DrawnPlot draw(const LinePlot& plot);

/// Points below their roofs and ridges. They have their cases' names where all find a place in the
/// picture, else numbers, which its `points` explain; those that lie one over the other share a
/// label.
DrawnPlot draw(const RooflinePlot& plot);

/// Rows below each other, over a common scale. Samples far out are arrows at its ends.
DrawnPlot draw(const StripPlot& plot);

}  // namespace warpmark
