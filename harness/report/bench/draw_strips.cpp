// Draws plots of samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/bench/draw_plots.hpp"
#include "report/page/plot_frame.hpp"

namespace warpmark {

namespace {

constexpr double kRowLabelHeight = 15, kStripHeight = 22,
                 kRowHeight = kRowLabelHeight + kStripHeight + 5;
// The ends of a scale: a few samples far out would leave no room for the others.
constexpr double kLowestShown = -30, kHighestShown = 60;
constexpr double kLeastStripSpan = 0.2;

DrawnAxis strip_axis(const StripPlot& plot) {
  double low = 0, high = 0;
  for (const StripRow& row : plot.rows) {
    for (const double value : row.values) {
      low = std::max(kLowestShown, std::min(low, value));
      high = std::min(kHighestShown, std::max(high, value));
    }
  }
  const double margin = std::max(0.03 * (high - low), kLeastStripSpan / 2);
  DrawnAxis axis{plot.x_label, {low - margin, high + margin, false}};
  axis.ticks = linear_ticks(axis.scale.low(), axis.scale.high());
  for (PlotTick& tick : axis.ticks) {
    if (tick.value > 0) tick.text = "+" + tick.text;
  }
  return axis;
}

// The rows' tops are the values of this axis, which has neither ticks nor a title.
DrawnAxis axis_of_rows(size_t count) {
  return {"", {static_cast<double>(std::max<size_t>(count, 1)), 0, false}, {}};
}

// The end of a label that is too long: there it says which run and mode the samples are of.
std::string fitting_label(std::string label, double room) {
  if (text_width(label) <= room) return label;
  while (!label.empty() && text_width("…" + label) > room) {
    size_t next = 1;
    while (next < label.size() && (static_cast<unsigned char>(label[next]) & 0xC0U) == 0x80U)
      ++next;
    label.erase(0, next);
  }
  return "…" + label;
}

void draw_strip(const StripRow& row, double top, PlotFrame& frame) {
  Svg& svg = frame.svg();
  svg.text(frame.left() + 2, top + kTextHeight, Anchor::start,
           fitting_label(row.label, frame.right() - frame.left() - 4), "halo");
  const double box = top + kRowLabelHeight;
  std::string dots, arrows;
  for (size_t i = 0; i < row.values.size(); ++i) {
    const double y = box + kStripHeight * (static_cast<double>(i) + 0.5) /
                               static_cast<double>(row.values.size());
    const double value = row.values[i];
    if (!std::isfinite(value)) continue;
    const double x = frame.x(std::clamp(value, kLowestShown, kHighestShown));
    if (value >= kLowestShown && value <= kHighestShown) {
      dots += "M" + svg_place(x, y) + "h0";
    } else {
      arrows += fmt::format("M{}l{} 3v-6z", svg_place(x, y), value > kHighestShown ? -5 : 5);
    }
  }
  svg.begin_colour(0);
  svg.path("dots", dots);
  svg.end_colour();
  svg.begin_colour(1);
  if (!arrows.empty()) svg.path("mark", arrows);
  svg.path("median", fmt::format("M{}v{}", svg_place(frame.x(row.median), box), kStripHeight));
  svg.end_colour();
  svg.path("box", fmt::format("M{}H{:.1f}v{}H{:.1f}z", svg_place(frame.x(row.q1), box),
                              frame.x(row.q3), kStripHeight, frame.x(row.q1)));
}

}  // namespace

DrawnPlot draw(const StripPlot& plot) {
  constexpr double kAxesHeight = 50;
  const auto count = static_cast<double>(plot.rows.size());
  PlotFrame frame(strip_axis(plot), axis_of_rows(plot.rows.size()),
                  count * kRowHeight + kAxesHeight,
                  "samples in " + counted(plot.rows.size(), "row"));
  for (size_t i = 0; i < plot.rows.size(); ++i) {
    draw_strip(plot.rows[i], frame.y(static_cast<double>(i)), frame);
  }
  DrawnPlot drawn;
  drawn.svg = frame.svg().take();
  return drawn;
}

}  // namespace warpmark
