// The frame of a plot: both axes with ticks and titles, and a grid.
#pragma once

#include <string>

#include "report/page/plot_axis.hpp"
#include "report/page/svg.hpp"

namespace warpmark {

constexpr double kPlotWidth = 520;

class PlotFrame {
 public:
  /// Draws it. Labels of ticks that have no room to the right of the one before are left out.
  PlotFrame(DrawnAxis x, DrawnAxis y, double height, const std::string& about);

  double x(double value) const { return x_.scale.place_of(value); }
  double y(double value) const { return y_.scale.place_of(value); }
  std::string place(double value_x, double value_y) const {
    return svg_place(x(value_x), y(value_y));
  }
  double left() const { return left_; }
  double right() const { return right_; }
  double top() const { return top_; }
  double bottom() const { return bottom_; }

  Svg& svg() { return svg_; }

 private:
  void draw_x_ticks();
  void draw_y_ticks();

  DrawnAxis x_, y_;
  double left_, right_, top_, bottom_;
  Svg svg_;
};

}  // namespace warpmark
