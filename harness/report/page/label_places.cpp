#include "report/page/label_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpmark {

namespace {

// From the point to the label, in both directions.
constexpr std::array<double, 7> kLabelDistances = {6, 11, 18, 28, 42, 60, 85};
// Right, left, above, below, then between them; in the order in which readers expect labels.
constexpr std::array<std::array<int, 2>, 8> kLabelSides = {
    {{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}}};
// The cost of covering a marker or a line, in pixels of distance.
constexpr double kCostOfMarker = 90, kCostOfLine = 30;

// The begin of a label that is beyond, before or around a place on one axis.
double label_begin(double at, double size, int side, double distance) {
  if (side > 0) return at + distance;
  return side < 0 ? at - distance - size : at - size / 2;
}

}  // namespace

void LabelPlaces::avoid_marker(double x, double y) {
  constexpr double kHalf = 5;
  markers_.push_back({x - kHalf, y - kHalf, x + kHalf, y + kHalf});
}

void LabelPlaces::avoid_line(double x1, double y1, double x2, double y2) {
  constexpr double kStep = 5;
  const double steps = std::ceil(std::hypot(x2 - x1, y2 - y1) / kStep) + 1;
  for (double i = 0; i <= steps; ++i) {
    const double x = x1 + (x2 - x1) * i / steps, y = y1 + (y2 - y1) * i / steps;
    lines_.push_back({x - 1, y - 1, x + 1, y + 1});
  }
}

bool LabelPlaces::is_free(const LabelBox& box) const {
  const bool inside = box.left >= room_.left && box.right <= room_.right && box.top >= room_.top &&
                      box.bottom <= room_.bottom;
  return inside &&
         std::ranges::none_of(taken_, [&](const LabelBox& other) { return box.meets(other); });
}

double LabelPlaces::cost_of_covering(const LabelBox& box) const {
  const auto meets = [&](const LabelBox& other) { return box.meets(other); };
  const auto markers = std::ranges::count_if(markers_, meets);
  const bool line = std::ranges::any_of(lines_, meets);
  return kCostOfMarker * static_cast<double>(markers) + (line ? kCostOfLine : 0);
}

std::optional<LabelPlace> LabelPlaces::take(const std::vector<LabelPoint>& points, double width,
                                            double height) {
  std::optional<LabelPlace> best;
  double least = 0;
  for (const LabelPoint& point : points) {
    for (const double distance : kLabelDistances) {
      for (size_t side = 0; side < kLabelSides.size(); ++side) {
        const auto [right, down] = kLabelSides[side];
        const double left = label_begin(point.x, width, right, distance);
        const double top = label_begin(point.y, height, down, distance);
        const LabelBox box{left, top, left + width, top + height};
        if (!is_free(box)) continue;
        const double cost = distance + 0.1 * static_cast<double>(side) + cost_of_covering(box);
        if (best && cost >= least) continue;
        best = LabelPlace{box, point};
        least = cost;
      }
    }
  }
  if (best) taken_.push_back(best->box);
  return best;
}

}  // namespace warpmark
