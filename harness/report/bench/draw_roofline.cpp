// Draws plots of points under roofs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/bench/draw_plots.hpp"
#include "report/page/figure_text.hpp"
#include "report/page/label_places.hpp"
#include "report/page/plot_frame.hpp"

namespace warpmark {

namespace {

constexpr double kRooflineHeight = 360;
constexpr double kNameHeight = kTextHeight + 2;
// Points have their names if there are so few that they can be read.
constexpr size_t kMostNames = 12;
constexpr double kLongestName = 260;
// Markers that are nearer share a number.
constexpr double kSamePlace = 9;
// How far peaks go beyond their ridges, for their labels.
constexpr double kRoomForPeaks = 8;
// A label that is farther from its point has a line to it.
constexpr double kNearLabel = 12;

struct DrawnPoint {
  const RooflinePlot::Point* point;
  double x, y;
};

double highest_peak(const RooflinePlot::Roof& roof) {
  double highest = 0;
  for (const PlotLevel& peak : roof.peaks) highest = std::max(highest, peak.value);
  return highest;
}

// All points and ridges, with room around them.
struct RooflineExtent {
  double left = INFINITY, right = 0, low = INFINITY, high = 0;

  explicit RooflineExtent(const RooflinePlot& plot) {
    for (const RooflinePlot::Group& group : plot.groups) {
      for (const RooflinePlot::Point& point : group.points) add(point.x, point.y);
    }
    const double last = right;
    for (const RooflinePlot::Roof& roof : plot.roofs) {
      for (const PlotLevel& peak : roof.peaks) {
        add(peak.value / roof.memory.value, peak.value);
        right = std::max(right, kRoomForPeaks * peak.value / roof.memory.value);
      }
      // A slope that ends nowhere is above all points.
      if (roof.peaks.empty()) add(last, last * roof.memory.value);
    }
    left /= 4;
    right *= 4;
    low /= 2.5;
    high *= 2.5;
  }

 private:
  void add(double x, double y) {
    left = std::min(left, x);
    right = std::max(right, x);
    low = std::min(low, y);
    high = std::max(high, y);
  }
};

class RooflineDrawing {
 public:
  explicit RooflineDrawing(const RooflinePlot& plot)
      : plot_(plot),
        extent_(plot),
        frame_(axis("arithmetic intensity, flop/byte", extent_.left, extent_.right),
               axis("performance, GFLOP/s", extent_.low, extent_.high), kRooflineHeight,
               "roofline: performance over arithmetic intensity"),
        places_({frame_.left(), frame_.top(), frame_.right(), frame_.bottom()}) {
    for (const RooflinePlot::Group& group : plot.groups) {
      for (const RooflinePlot::Point& point : group.points) {
        points_.push_back({&point, frame_.x(point.x), frame_.y(point.y)});
        const DrawnPoint& drawn = points_.back();
        places_.avoid_marker(drawn.x, drawn.y);
      }
    }
  }

  // Points have few places for their labels, and roofs many.
  DrawnPlot draw() {
    DrawnPlot drawn;
    for (const RooflinePlot::Roof& roof : plot_.roofs) draw_roof(roof);
    draw_traces();
    draw_points(drawn);
    if (!label_by_names(names_of_points())) label_by_numbers(drawn);
    for (const RooflinePlot::Roof& roof : plot_.roofs) {
      label_roof(roof);
      if (roof.peaks.empty())
        drawn.remark = "No compute roof: the run knows no peak of operations.";
    }
    drawn.svg = frame_.svg().take();
    return drawn;
  }

 private:
  static DrawnAxis axis(const char* title, double low, double high) {
    return {title, {low, high, true}, decade_ticks(low, high)};
  }

  // A line that labels do not cover.
  void line(double x1, double y1, double x2, double y2) {
    frame_.svg().path("roof", "M" + frame_.place(x1, y1) + "L" + frame_.place(x2, y2));
    places_.avoid_line(frame_.x(x1), frame_.y(y1), frame_.x(x2), frame_.y(y2));
  }

  // The part of the memory's roof within the picture, from its left or lower edge up to the highest
  // ridge.
  std::pair<double, double> slope_of(const RooflinePlot::Roof& roof) const {
    const double rate = roof.memory.value, peak = highest_peak(roof);
    return {std::max(extent_.left, extent_.low / rate),
            std::min(extent_.right, (peak > 0 ? peak : extent_.high) / rate)};
  }

  void draw_roof(const RooflinePlot::Roof& roof) {
    const double rate = roof.memory.value;
    const auto [begin, end] = slope_of(roof);
    line(begin, begin * rate, end, end * rate);
    for (const PlotLevel& level : roof.peaks) {
      const double ridge = level.value / rate;
      line(ridge, level.value, extent_.right, level.value);
      frame_.svg().path("ridge", "M" + frame_.place(ridge, level.value) +
                                     "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z");
      places_.avoid_marker(frame_.x(ridge), frame_.y(level.value));
    }
  }

  // Names of roofs of several devices may be the same.
  void label(const std::string& text, const std::vector<LabelPoint>& points) {
    if (!labels_.insert(text).second) return;
    const auto place = places_.take(points, text_width(text), kNameHeight);
    if (place) write(*place, text);
  }

  void write(const LabelPlace& place, const std::string& text) {
    const auto [box, at] = place;
    const double x = std::clamp(at.x, box.left, box.right);
    const double y = std::clamp(at.y, box.top, box.bottom);
    if (std::hypot(x - at.x, y - at.y) > kNearLabel) {
      frame_.svg().path("leader", "M" + svg_place(at.x, at.y) + "L" + svg_place(x, y));
    }
    frame_.svg().text(box.left, box.bottom - 3, Anchor::start, text, "halo");
  }

  // Ridges come last, since they are where lines meet and their labels have more sides.
  void label_roof(const RooflinePlot::Roof& roof) {
    const double rate = roof.memory.value;
    for (const PlotLevel& level : roof.peaks) {
      const double ridge = frame_.x(level.value / rate), y = frame_.y(level.value);
      const double half = text_width(level.label) / 2;
      const double last = frame_.right() - half - 2, first = std::min(ridge + half + 8, last);
      std::vector<LabelPoint> along;
      for (const double share : {0.0, 0.3, 0.5, 0.7, 1.0}) {
        along.push_back({last + share * (first - last), y});
      }
      label(level.label, along);
    }
    const auto [begin, end] = slope_of(roof);
    std::vector<LabelPoint> along;
    for (const double share : {0.5, 0.65, 0.35, 0.8, 0.2}) {
      const double at = begin * std::pow(end / begin, share);
      along.push_back({frame_.x(at), frame_.y(at * rate)});
    }
    label(roof.memory.label, along);
    for (const PlotLevel& level : roof.peaks) {
      const double ridge = level.value / rate;
      label(fmt::format("ridge {:.3g}", ridge), {{frame_.x(ridge), frame_.y(level.value)}});
    }
  }

  // The names, each once, in the order of the points; no more than one too many for the picture.
  std::vector<std::string> names_of_points() const {
    std::vector<std::string> names;
    for (const DrawnPoint& drawn : points_) {
      if (names.size() > kMostNames) break;
      const std::string& name = drawn.point->name;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
  }

  // True if each name found a place, at the last of its points.
  bool label_by_names(const std::vector<std::string>& names) {
    if (names.size() > kMostNames) return false;
    LabelPlaces places = places_;
    std::vector<LabelPlace> found;
    for (const std::string& name : names) {
      LabelPoint at;
      for (const DrawnPoint& drawn : points_) {
        if (drawn.point->name == name) at = {drawn.x, drawn.y};
      }
      const double width = text_width(name);
      if (width > kLongestName) return false;
      const auto place = places.take({at}, width, kNameHeight);
      if (!place) return false;
      found.push_back(*place);
    }
    places_ = std::move(places);
    for (size_t i = 0; i < names.size(); ++i) write(found[i], names[i]);
    return true;
  }

  // Lines between the points of one case in several runs.
  void draw_traces() {
    std::map<std::string, std::string> steps;
    for (const DrawnPoint& drawn : points_) {
      std::string& text = steps[drawn.point->name];
      text += (text.empty() ? "M" : "L") + svg_place(drawn.x, drawn.y);
    }
    for (const auto& [name, text] : steps) {
      if (text.find('L') != std::string::npos) frame_.svg().path("leader", text);
    }
  }

  static std::string figures_of(const RooflinePlot::Point& point) {
    std::string text =
        fmt::format("{} flop/byte, {} GFLOP/s", rate_text(point.x), rate_text(point.y));
    if (point.roof > 0) text += ", " + share_text(point.y / point.roof) + " of its roof";
    return text;
  }

  void draw_points(DrawnPlot& drawn) {
    size_t at = 0;
    for (size_t i = 0; i < plot_.groups.size(); ++i) {
      const RooflinePlot::Group& group = plot_.groups[i];
      frame_.svg().begin_colour(i);
      for (const RooflinePlot::Point& point : group.points) {
        frame_.svg().marker(i, false, points_[at].x, points_[at].y,
                            fmt::format("{}, {}: {}", point.name, group.label, figures_of(point)));
        ++at;
      }
      frame_.svg().end_colour();
      drawn.keys.push_back({key_sample(i, false, ""), group.label});
    }
  }

  // From left to right, and down from the highest.
  void label_by_numbers(DrawnPlot& drawn) {
    std::vector<std::pair<DrawnPoint, std::string>> sorted;
    size_t at = 0;
    for (const RooflinePlot::Group& group : plot_.groups) {
      for (size_t i = 0; i < group.points.size(); ++i)
        sorted.emplace_back(points_[at++], group.label);
    }
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
      return std::abs(a.first.x - b.first.x) >= 1 ? a.first.x < b.first.x : a.first.y < b.first.y;
    });
    for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
      for (end = begin + 1; end < sorted.size(); ++end) {
        const DrawnPoint &before = sorted[end - 1].first, &next = sorted[end].first;
        if (std::hypot(next.x - before.x, next.y - before.y) > kSamePlace) break;
      }
      const std::string text =
          end - begin == 1 ? std::to_string(end) : fmt::format("{}–{}", begin + 1, end);
      const DrawnPoint& middle = sorted[(begin + end - 1) / 2].first;
      const auto place = places_.take({{middle.x, middle.y}}, text_width(text), kNameHeight);
      if (place) write(*place, text);
    }
    for (const auto& [point, label] : sorted) {
      drawn.points.push_back(
          fmt::format("{}, {}: {}", point.point->name, label, figures_of(*point.point)));
    }
  }

  const RooflinePlot& plot_;
  RooflineExtent extent_;
  PlotFrame frame_;
  LabelPlaces places_;
  std::vector<DrawnPoint> points_;
  std::set<std::string> labels_;
};

}  // namespace

DrawnPlot draw(const RooflinePlot& plot) {
  return RooflineDrawing(plot).draw();
}

}  // namespace warpmark
