#include "report/bench/roofline_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "base/text.hpp"
#include "report/page/figure_text.hpp"

namespace warpmark {

namespace {

// Rates of one kind of device differ by a percent from run to run: one roof for all of them.
void add_roof(std::vector<PlotLevel>& roofs, const std::string& name, double rate) {
  const bool known = std::any_of(roofs.begin(), roofs.end(), [&](const PlotLevel& roof) {
    return std::abs(roof.value / rate - 1) < 0.02;
  });
  if (!known) roofs.push_back({name, rate});
}

void add_roofs(const NamedResult& named, bool several, const std::vector<const BenchCase*>& cases,
               RooflinePlot& plot) {
  const std::string of = several ? " of " + named.name : "";
  const double read = named.result.ceilings->read_bytes_per_s / 1e9;
  if (read > 0) add_roof(plot.memory, fmt::format("read{}: {} GB/s", of, rate_text(read)), read);
  for (const BenchCase* one : cases) {
    if (!one->peak_flops_per_s) continue;
    const double peak = *one->peak_flops_per_s / 1e9;
    const std::string name = one->peak_dtype.empty() ? "given peak" : one->peak_dtype;
    add_roof(plot.peaks, fmt::format("{}{}: {} GFLOP/s", name, of, rate_text(peak)), peak);
  }
}

std::string label_of(const std::vector<NamedResult>& results, const PlotPoint& point) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : point.one->point) {
    if (name == "dtype") parts.push_back(value);
  }
  if (results.size() > 1) parts.push_back(results[point.result].name);
  parts.emplace_back(to_text(point.series->mode));
  return join(parts, ", ");
}

}  // namespace

std::optional<RooflinePlot> roofline_plot(const std::vector<NamedResult>& results,
                                          const std::vector<PlotPoint>& points) {
  RooflinePlot plot;
  std::vector<std::vector<const BenchCase*>> seen(results.size());
  for (const PlotPoint& point : points) {
    const BenchCase& one = *point.one;
    const BenchSeries& series = *point.series;
    std::vector<const BenchCase*>& known = seen[point.result];
    if (is_transfer(series.mode) || !results[point.result].result.ceilings) continue;
    if (!one.bytes || !one.flops || !(*one.bytes > 0) || !(*one.flops > 0)) continue;
    if (std::find(known.begin(), known.end(), &one) != known.end()) continue;
    known.push_back(&one);
    const std::string label = label_of(results, point);
    auto group =
        std::find_if(plot.groups.begin(), plot.groups.end(),
                     [&](const RooflinePlot::Group& other) { return other.label == label; });
    if (group == plot.groups.end()) group = plot.groups.insert(plot.groups.end(), {label, {}, {}});
    group->x.push_back(*one.flops / *one.bytes);
    group->y.push_back(*one.flops / series.summary.median / 1e9);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!seen[i].empty()) add_roofs(results[i], results.size() > 1, seen[i], plot);
  }
  if (plot.groups.empty() || plot.memory.empty()) return std::nullopt;
  return plot;
}

}  // namespace warpmark
