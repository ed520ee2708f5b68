#include "report/page/plot_frame.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpmark {

namespace {

constexpr double kFrameEdge = 14;      // around all
constexpr double kTickHeight = 18;     // of a line of labels
constexpr double kLabelDistance = 10;  // the least distance of two labels in a line

}  // namespace

PlotFrame::PlotFrame(DrawnAxis x, DrawnAxis y, double height, const std::string& about)
    : x_(std::move(x)),
      y_(std::move(y)),
      left_(kFrameEdge / 2),
      right_(kPlotWidth - kFrameEdge),
      top_(y_.title.empty() ? kFrameEdge / 2 : kTickHeight + 8),
      bottom_(height - kTickHeight - (x_.title.empty() ? 4 : kTickHeight + 4)),
      svg_(kPlotWidth, height, about) {
  double widest = 0;
  for (const PlotTick& tick : y_.ticks) widest = std::max(widest, text_width(tick.text));
  left_ += widest + 6;
  x_.scale.set_places(left_, right_);
  y_.scale.set_places(bottom_, top_);
  draw_y_ticks();
  draw_x_ticks();
  svg_.path("axis", fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}", left_, top_, bottom_, right_));
  if (!y_.title.empty()) svg_.text(kFrameEdge / 2, kTextHeight, Anchor::start, y_.title, "title");
  if (!x_.title.empty()) {
    svg_.text((left_ + right_) / 2, height - 5, Anchor::middle, x_.title, "title");
  }
}

void PlotFrame::draw_x_ticks() {
  double free_from = 0;
  for (const PlotTick& tick : x_.ticks) {
    const double at = x(tick.value);
    svg_.path("grid", fmt::format("M{:.1f} {:.1f}V{:.1f}", at, top_, bottom_));
    const double half = text_width(tick.text) / 2;
    const double middle = std::min(at, kPlotWidth - half);
    if (middle - half < free_from) continue;
    if (tick.is_name) {
      svg_.text(middle, bottom_ + kTickHeight - 3, Anchor::middle, tick.text);
    } else {
      svg_.number(middle, bottom_ + kTickHeight - 3, Anchor::middle, tick.text);
    }
    free_from = middle + half + kLabelDistance;
  }
}

void PlotFrame::draw_y_ticks() {
  for (const PlotTick& tick : y_.ticks) {
    const double at = y(tick.value);
    svg_.path("grid", fmt::format("M{:.1f} {:.1f}H{:.1f}", left_, at, right_));
    svg_.number(left_ - 6, at + kTextHeight / 3, Anchor::end, tick.text);
  }
}

}  // namespace warpmark
