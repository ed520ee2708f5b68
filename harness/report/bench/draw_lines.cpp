// Draws plots of lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/bench/draw_plots.hpp"
#include "report/page/label_places.hpp"
#include "report/page/plot_frame.hpp"

namespace warpmark {

namespace {

constexpr double kLineHeight = 300;

// The least and the greatest value.
struct LineRange {
  double low = INFINITY, high = -INFINITY;
  void add(const std::vector<double>& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
};

// With room at both ends; a single value is in the middle.
PlotScale scale_with_room(LineRange range, bool logarithmic, double room) {
  if (range.low > range.high) return {0, 1, false};
  if (logarithmic) {
    const double factor = std::max(1.02, std::pow(range.high / range.low, room));
    return {range.low / factor, range.high * factor, true};
  }
  const double more =
      std::max(room * (range.high - range.low), 0.02 * std::abs(range.high) + 1e-12);
  return {range.low - more, range.high + more, false};
}

// Drops the last character of a text.
void drop_last(std::string& text) {
  while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
    text.pop_back();
  }
  text.pop_back();
}

// Names as long as there is room for.
std::vector<PlotTick> name_ticks(const std::vector<std::string>& names) {
  const double room = 0.85 * kPlotWidth / static_cast<double>(std::max<size_t>(names.size(), 1));
  std::vector<PlotTick> ticks;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string text = names[i];
    if (text_width(text) > room) {
      while (!text.empty() && text_width(text + "…") > room) drop_last(text);
      text += "…";
    }
    ticks.push_back({static_cast<double>(i), text, true});
  }
  return ticks;
}

DrawnAxis x_axis_of(const LinePlot& plot) {
  LineRange range;
  std::vector<double> values;
  for (const PlotLine& line : plot.lines) {
    range.add(line.x);
    values.insert(values.end(), line.x.begin(), line.x.end());
  }
  DrawnAxis axis{plot.x_label, scale_with_room(range, plot.log_x, 0.03)};
  axis.ticks = plot.x_names.empty() ? value_ticks(std::move(values)) : name_ticks(plot.x_names);
  return axis;
}

DrawnAxis y_axis_of(const LinePlot& plot) {
  LineRange range;
  for (const PlotLine& line : plot.lines) {
    range.add(line.y);
    range.add(line.low);
    range.add(line.high);
  }
  for (const PlotLevel& level : plot.levels) range.add({level.value});
  const bool logarithmic = plot.log_y && range.low > 0;
  if (!logarithmic) range.low = std::min(range.low, 0.0);
  DrawnAxis axis{plot.y_label, scale_with_room(range, logarithmic, 0.06)};
  if (!logarithmic && range.low == 0) axis.scale = {0, axis.scale.high(), false};
  axis.ticks = logarithmic ? decade_ticks(axis.scale.low(), axis.scale.high())
                           : linear_ticks(axis.scale.low(), axis.scale.high());
  return axis;
}

// False for lines without intervals, and if one has no end.
bool has_band(const PlotLine& line) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  return !line.low.empty() && std::ranges::all_of(line.low, is_finite) &&
         std::ranges::all_of(line.high, is_finite);
}

std::string title_of(const LinePlot& plot, const PlotLine& line, size_t i) {
  const std::string at =
      plot.x_names.empty() ? tick_text(line.x[i]) : plot.x_names[static_cast<size_t>(line.x[i])];
  std::string text = fmt::format("{}, {} {}: {:.4g}", line.label, plot.x_label, at, line.y[i]);
  if (has_band(line) && line.low[i] < line.high[i]) {
    text += fmt::format(" ({:.4g} to {:.4g})", line.low[i], line.high[i]);
  }
  return text + " " + plot.y_label;
}

void draw_line(const LinePlot& plot, const PlotLine& line, PlotFrame& frame) {
  Svg& svg = frame.svg();
  svg.begin_colour(line.colour);
  std::string steps, band;
  for (size_t i = 0; i < line.x.size(); ++i) {
    steps += (i == 0 ? "M" : "L") + frame.place(line.x[i], line.y[i]);
    if (has_band(line)) band += (i == 0 ? "M" : "L") + frame.place(line.x[i], line.high[i]);
  }
  for (size_t i = band.empty() ? 0 : line.low.size(); i-- > 0;) {
    band += "L" + frame.place(line.x[i], line.low[i]);
  }
  if (!band.empty() && line.x.size() > 1) svg.path("band", band + "Z");
  if (line.x.size() > 1) svg.path(line.dashed ? "line dashed" : "line", steps);
  for (size_t i = 0; i < line.x.size(); ++i) {
    svg.marker(line.colour, line.dashed, frame.x(line.x[i]), frame.y(line.y[i]),
               title_of(plot, line, i));
  }
  svg.end_colour();
}

}  // namespace

DrawnPlot draw(const LinePlot& plot) {
  PlotFrame frame(x_axis_of(plot), y_axis_of(plot), kLineHeight,
                  fmt::format("{} over {}: {}", plot.y_label, plot.x_label,
                              counted(plot.lines.size(), "line")));
  DrawnPlot drawn;
  LabelPlaces places({frame.left(), frame.top() - kTextHeight, frame.right(), frame.bottom()});
  for (const PlotLevel& level : plot.levels) {
    const double y = frame.y(level.value);
    frame.svg().path("level", fmt::format("M{}H{:.1f}", svg_place(frame.left(), y), frame.right()));
    places.avoid_line(frame.left(), y, frame.right(), y);
  }
  for (const PlotLine& line : plot.lines) {
    draw_line(plot, line, frame);
    drawn.keys.push_back(
        {key_sample(line.colour, line.dashed, line.dashed ? "line dashed" : "line"), line.label});
    for (size_t i = 0; i < line.x.size(); ++i) {
      const double x = frame.x(line.x[i]), y = frame.y(line.y[i]);
      places.avoid_marker(x, y);
      if (i > 0) places.avoid_line(frame.x(line.x[i - 1]), frame.y(line.y[i - 1]), x, y);
    }
  }
  for (const PlotLevel& level : plot.levels) {
    const double y = frame.y(level.value), width = text_width(level.label);
    const auto place = places.take({{frame.left() + width / 2 + 4, y},
                                    {(frame.left() + frame.right()) / 2, y},
                                    {frame.right() - width / 2, y}},
                                   width, kTextHeight + 2);
    if (place) {
      frame.svg().text(place->box.left, place->box.bottom - 3, Anchor::start, level.label, "halo");
    }
  }
  drawn.svg = frame.svg().take();
  return drawn;
}

}  // namespace warpmark
