#include "report/page/line_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "report/page/figure_text.hpp"

namespace warpmark {

namespace {

constexpr size_t kLines = 8;
constexpr size_t kPictures = 24;  // of one suite over one axis

// The quantity of the vertical axis.
enum class Quantity : uint8_t { rate, time, instructions };

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string value_of(const PlotPoint& point, const std::string& axis) {
  for (const auto& [name, value] : point.one->point) {
    if (name == axis) return value;
  }
  return "";
}

template <typename T>
void add_new(std::vector<T>& list, const T& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

// An axis of the suite, as far as the points show it.
struct PlotAxis {
  std::string name;
  std::vector<std::string> values;  ///< in the order of the points
  bool numeric = true;
};

// The axes that every point has, and in which some points differ.
std::vector<PlotAxis> varying_axes(const std::vector<PlotPoint>& points) {
  std::vector<PlotAxis> axes;
  std::map<std::string, size_t> seen;
  for (const PlotPoint& point : points) {
    for (const auto& [name, value] : point.one->point) {
      ++seen[name];
      auto axis = std::ranges::find(axes, name, &PlotAxis::name);
      if (axis == axes.end()) axis = axes.insert(axes.end(), {name, {}, true});
      add_new(axis->values, value);
      axis->numeric = axis->numeric && number_of(value);
    }
  }
  std::erase_if(axes, [&](const PlotAxis& axis) {
    return seen[axis.name] != points.size() || axis.values.size() < 2;
  });
  return axes;
}

// Pictures are of runs, of graphs or of copies: their times have no common height. The second of a
// pair has dashed lines.
using ModePair = std::pair<TimingMode, TimingMode>;
constexpr ModePair kPairs[] = {{TimingMode::cold, TimingMode::hot},
                               {TimingMode::cold_graph, TimingMode::hot_graph},
                               {TimingMode::upload, TimingMode::pageable_upload},
                               {TimingMode::download, TimingMode::pageable_download}};
constexpr const char* kPairNames[] = {"", "graphs", "uploads", "downloads"};

// A value and the ends of its interval.
struct Height {
  double value = 0, low = 0, high = 0;
};

Height height_of(const PlotPoint& point, Quantity quantity) {
  const Summary& summary = point.series->summary;
  switch (quantity) {
    case Quantity::instructions: {
      const auto count =
          static_cast<double>(point.one->counter("ptx_thread_instructions").value_or(0));
      return {count, count, count};
    }
    case Quantity::rate: {
      const double rate = *point.series->bytes_per_s / 1e9;
      return {rate, rate * summary.median / summary.interval.high,
              summary.interval.low > 0 ? rate * summary.median / summary.interval.low : rate};
    }
    case Quantity::time:
      break;
  }
  return {summary.median * 1e6, summary.interval.low * 1e6, summary.interval.high * 1e6};
}

Quantity quantity_of(const std::vector<PlotPoint>& points) {
  const auto all = [&](const auto& has) { return std::ranges::all_of(points, has); };
  if (all([](const PlotPoint& point) {
        return point.one->counter("ptx_thread_instructions").value_or(0) > 0;
      })) {
    return Quantity::instructions;
  }
  if (all([](const PlotPoint& point) { return point.series->bytes_per_s.has_value(); })) {
    return Quantity::rate;
  }
  return Quantity::time;
}

// True if all points with one value of `x` have one value of the axis: then it tells no lines
// apart.
bool follows(const std::vector<PlotPoint>& points, const std::string& axis, const std::string& x) {
  std::map<std::string, std::string> known;
  return std::ranges::all_of(points, [&](const PlotPoint& point) {
    const std::string value = value_of(point, axis);
    return known.emplace(value_of(point, x), value).first->second == value;
  });
}

// The pictures over one axis, of the modes of one pair.
class LineMaker {
 public:
  LineMaker(const std::vector<NamedResult>& results, std::vector<PlotPoint> points,
            const std::vector<PlotAxis>& axes, const PlotAxis& x, size_t pair)
      : results_(results),
        points_(std::move(points)),
        x_(x),
        pair_(pair),
        quantity_(quantity_of(points_)) {
    std::set<TimingMode> modes;
    for (const PlotPoint& point : points_) modes.insert(point.series->mode);
    several_modes_ = modes.size() > 1;
    std::vector<PlotAxis> others;
    for (const PlotAxis& axis : axes) {
      if (axis.name == x.name || follows(points_, axis.name, x.name)) continue;
      if (axis.name == "dtype") {
        caption_axes_.push_back(axis.name);
      } else {
        others.push_back(axis);
      }
    }
    choose_lines(others);
  }

  std::vector<CaptionedLines> make() const {
    std::vector<std::string> captions;
    for (const PlotPoint& point : points_) add_new(captions, caption_of(point));
    std::vector<CaptionedLines> plots;
    for (const std::string& caption : captions) {
      std::vector<PlotLine> lines = lines_of(caption);
      for (size_t first = 0; first < lines.size(); first += kLines) {
        const size_t last = std::min(first + kLines, lines.size());
        LinePlot plot = empty_plot();
        plot.lines.assign(lines.begin() + static_cast<std::ptrdiff_t>(first),
                          lines.begin() + static_cast<std::ptrdiff_t>(last));
        drop_far_levels(plot);
        plots.push_back({caption, std::move(plot)});
      }
    }
    return plots;
  }

 private:
  // One axis tells the lines apart, with those that go along with it; the captions have the rest.
  void choose_lines(const std::vector<PlotAxis>& others) {
    if (others.empty()) return;
    const SweepSettings& sweep = points_.front().one->sweep;
    const auto rank = [&](const PlotAxis& axis) {
      for (const auto& [name, label] : sweep.relative_to) {
        if (name == axis.name) return size_t{0};
      }
      const auto& swept = sweep.axes;
      if (std::ranges::find(swept, axis.name) != swept.end()) return size_t{1};
      // The more values, the better the lines use the picture; but eight are told apart.
      return axis.values.size() > kLines ? size_t{100} : 2 + kLines - axis.values.size();
    };
    const PlotAxis* best = &others.front();
    for (const PlotAxis& axis : others) {
      if (rank(axis) < rank(*best)) best = &axis;
    }
    for (const PlotAxis& axis : others) {
      const bool line = axis.name == best->name || follows(points_, axis.name, best->name);
      (line ? line_axes_ : caption_axes_).push_back(axis.name);
    }
  }

  // "float32, block=128, graphs".
  std::string caption_of(const PlotPoint& point) const {
    std::vector<std::string> parts;
    for (const std::string& axis : caption_axes_) {
      const std::string value = value_of(point, axis);
      parts.push_back(axis == "dtype" ? value : fmt::format("{}={}", axis, value));
    }
    if (*kPairNames[pair_] != '\0') parts.emplace_back(kPairNames[pair_]);
    return join(parts, ", ");
  }

  // All that distinguishes a line from others of the picture, except its mode.
  std::string label_of(const PlotPoint& point) const {
    std::vector<std::string> parts;
    for (const std::string& axis : line_axes_) {
      parts.push_back(fmt::format("{}={}", axis, value_of(point, axis)));
    }
    if (results_.size() > 1) parts.push_back(results_[point.result].name);
    return join(parts, ", ");
  }

  std::vector<PlotLine> lines_of(const std::string& caption) const {
    // By label and mode, in the order of the result.
    std::vector<std::string> labels;
    std::vector<std::pair<PlotLine, std::vector<std::pair<double, Height>>>> lines;
    for (const PlotPoint& point : points_) {
      const Height height = height_of(point, quantity_);
      // Journals are what others wrote: a rate over a time of 0 is no number.
      if (caption_of(point) != caption || !std::isfinite(height.value)) continue;
      PlotLine line;
      line.label = label_of(point);
      add_new(labels, line.label);
      line.colour = static_cast<size_t>(std::ranges::find(labels, line.label) - labels.begin());
      line.dashed = several_modes_ && point.series->mode == kPairs[pair_].second;
      if (several_modes_ || line.label.empty()) {
        line.label += (line.label.empty() ? "" : ", ") + std::string(to_text(point.series->mode));
      }
      auto same = std::ranges::find_if(
          lines, [&](const auto& other) { return other.first.label == line.label; });
      if (same == lines.end()) same = lines.insert(lines.end(), {line, {}});
      same->second.emplace_back(place_of(point), height);
    }
    std::vector<PlotLine> made;
    for (auto& [line, points] : lines) {
      std::ranges::stable_sort(points, {}, [](const auto& one) { return one.first; });
      for (const auto& [x, height] : points) {
        line.x.push_back(x);
        line.y.push_back(height.value);
        line.low.push_back(height.low);
        line.high.push_back(height.high);
      }
      made.push_back(std::move(line));
    }
    return made;
  }

  // A number of the axis; of other values their place among them.
  double place_of(const PlotPoint& point) const {
    const std::string value = value_of(point, x_.name);
    if (x_.numeric) return *number_of(value);
    const auto found = std::ranges::find(x_.values, value);
    return static_cast<double>(found - x_.values.begin());
  }

  LinePlot empty_plot() const {
    LinePlot plot;
    plot.x_label = x_.name;
    plot.y_label = quantity_ == Quantity::rate           ? "GB/s"
                   : quantity_ == Quantity::instructions ? "thread instructions"
                                                         : "µs";
    plot.log_y = quantity_ != Quantity::rate;
    if (!x_.numeric) plot.x_names = x_.values;
    plot.log_x = x_.numeric && std::ranges::all_of(x_.values, [](const auto& text) {
                   return *number_of(text) > 0;
                 });
    // A copy between devices is no bound of one to the host.
    const bool moved = pair_ < 2;
    if (quantity_ == Quantity::rate && moved) add_levels(plot);
    return plot;
  }

  // Copies of one kind of device differ by a percent from run to run: one line for all of them.
  void add_levels(LinePlot& plot) const {
    for (const NamedResult& named : results_) {
      if (!named.result.ceilings) continue;
      const double rate = named.result.ceilings->copy_bytes_per_s / 1e9;
      const bool known = std::ranges::any_of(plot.levels, [&](const PlotLevel& level) {
        return std::abs(level.value / rate - 1) < 0.02;
      });
      if (known) continue;
      const std::string of = plot.levels.empty() ? "" : " of " + named.name;
      plot.levels.push_back({fmt::format("copy{}: {} GB/s", of, rate_text(rate)), rate});
    }
  }

  // Under a level far above them all lines would be flat.
  static void drop_far_levels(LinePlot& plot) {
    constexpr double kFar = 4;
    double highest = 0;
    for (const PlotLine& line : plot.lines) {
      for (const double y : line.y) highest = std::max(highest, y);
    }
    std::erase_if(plot.levels,
                  [&](const PlotLevel& level) { return level.value > kFar * highest; });
  }

  const std::vector<NamedResult>& results_;
  std::vector<PlotPoint> points_;
  PlotAxis x_;
  size_t pair_;
  Quantity quantity_;
  bool several_modes_ = false;
  std::vector<std::string> line_axes_, caption_axes_;
};

// The axes to draw over: what was asked for, or those that tell most.
std::vector<PlotAxis> chosen_axes(const std::vector<PlotPoint>& points,
                                  const std::vector<PlotAxis>& axes, const std::string& wanted) {
  std::vector<PlotAxis> chosen;
  if (!wanted.empty()) {
    for (const PlotAxis& axis : axes) {
      if (axis.name == wanted) chosen.push_back(axis);
    }
    return chosen;
  }
  std::vector<std::string> swept;
  for (const PlotPoint& point : points) swept = point.one->sweep.axes;
  const auto is_swept = [&](const PlotAxis& axis) {
    return std::ranges::find(swept, axis.name) != swept.end();
  };
  const PlotAxis* most = nullptr;
  for (const PlotAxis& axis : axes) {
    if (!axis.numeric || is_swept(axis)) continue;
    const bool better = most == nullptr || axis.name == "n" ||
                        (most->name != "n" && axis.values.size() > most->values.size());
    if (better) most = &axis;
  }
  if (most != nullptr) chosen.push_back(*most);
  const auto first_swept = std::ranges::find_if(axes, is_swept);
  if (first_swept != axes.end()) chosen.push_back(*first_swept);
  return chosen;
}

}  // namespace

std::vector<PlotPoint> plot_points(const std::vector<NamedResult>& results,
                                   const std::string& suite) {
  std::vector<PlotPoint> points;
  for (size_t i = 0; i < results.size(); ++i) {
    for (const BenchCase& one : results[i].result.cases) {
      if (one.suite != suite) continue;
      for (const BenchSeries& series : one.series) points.push_back({i, &one, &series});
    }
  }
  return points;
}

LinePlots line_plots(const std::vector<NamedResult>& results, const std::vector<PlotPoint>& points,
                     const std::string& x_axis) {
  LinePlots all;
  const std::vector<PlotAxis> axes = varying_axes(points);
  for (const PlotAxis& x : chosen_axes(points, axes, x_axis)) {
    std::vector<CaptionedLines> plots;
    for (size_t pair = 0; pair < std::size(kPairs); ++pair) {
      std::vector<PlotPoint> own;
      for (const PlotPoint& point : points) {
        const TimingMode mode = point.series->mode;
        if (mode == kPairs[pair].first || mode == kPairs[pair].second) own.push_back(point);
      }
      if (own.empty()) continue;
      for (CaptionedLines& plot : LineMaker(results, std::move(own), axes, x, pair).make()) {
        plots.push_back(std::move(plot));
      }
    }
    if (plots.size() > kPictures) {
      all.left_out += plots.size() - kPictures;
      plots.resize(kPictures);
    }
    for (CaptionedLines& plot : plots) all.plots.push_back(std::move(plot));
  }
  return all;
}

}  // namespace warpmark
