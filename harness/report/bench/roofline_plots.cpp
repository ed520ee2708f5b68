#include "report/bench/roofline_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.hpp"
#include "report/page/figure_text.hpp"

namespace warpmark {

namespace {

using Roof = RooflinePlot::Roof;

// Rates of one kind of device differ by a percent from run to run: one roof for all of them.
bool is_same(double a, double b) {
  return std::abs(a / b - 1) < 0.02;
}

// True for what has a place on a logarithmic scale, with room around it.
bool is_drawable(double value) {
  return value > 1e-100 && value < 1e100;
}

void add_peak(Roof& roof, const std::string& name, double peak) {
  if (!is_drawable(peak)) return;
  const bool known = std::ranges::any_of(
      roof.peaks, [&](const PlotLevel& level) { return is_same(level.value, peak); });
  if (!known) roof.peaks.push_back({fmt::format("{}: {} GFLOP/s", name, rate_text(peak)), peak});
}

void add_roofs(const NamedResult& named, bool several, const std::vector<const BenchCase*>& cases,
               std::vector<Roof>& roofs) {
  const Ceilings& ceilings = *named.result.ceilings;
  const double read = ceilings.read_bytes_per_s / 1e9;
  if (!is_drawable(read)) return;
  const std::string of = several ? " of " + named.name : "";
  auto roof =
      std::ranges::find_if(roofs, [&](const Roof& one) { return is_same(one.memory.value, read); });
  if (roof == roofs.end()) {
    const PlotLevel memory{fmt::format("read{}: {} GB/s", of, rate_text(read)), read};
    roof = roofs.insert(roof, Roof{memory, {}});
  }
  for (const BenchCase* one : cases) {
    if (!one->peak_flops_per_s) continue;
    add_peak(*roof, (one->peak_dtype.empty() ? "given peak" : one->peak_dtype) + of,
             *one->peak_flops_per_s / 1e9);
  }
  if (!roof->peaks.empty()) return;
  for (const char* dtype : {"float64", "float32", "float16"}) {
    const std::optional<double> peak = ceilings.flops_per_s(dtype);
    if (peak) add_peak(*roof, dtype + of, *peak / 1e9);
  }
}

// Returns the GFLOP/s that the roofs allow at that intensity.
double roof_at(const BenchResult& result, const BenchCase& one, double intensity) {
  const double memory = result.ceilings->read_bytes_per_s / 1e9 * intensity;
  return one.peak_flops_per_s ? std::min(memory, *one.peak_flops_per_s / 1e9) : memory;
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
    if (std::ranges::find(known, &one) != known.end()) continue;
    known.push_back(&one);
    const double intensity = *one.flops / *one.bytes;
    const double rate = *one.flops / series.summary.median / 1e9;
    if (!is_drawable(intensity) || !is_drawable(rate)) continue;
    const std::string label = label_of(results, point);
    auto group = std::ranges::find(plot.groups, label, &RooflinePlot::Group::label);
    if (group == plot.groups.end())
      group = plot.groups.insert(group, RooflinePlot::Group{label, {}});
    group->points.push_back(
        {one.point_text(), intensity, rate, roof_at(results[point.result].result, one, intensity)});
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!seen[i].empty()) add_roofs(results[i], results.size() > 1, seen[i], plot.roofs);
  }
  if (plot.groups.empty() || plot.roofs.empty()) return std::nullopt;
  return plot;
}

}  // namespace warpmark
