#include "report/bench/bench_plots.hpp"

#include "report/bench/roofline_plots.hpp"

namespace warpmark {

namespace {

constexpr size_t kRows = 24;
constexpr size_t kSamples = 150;

std::vector<double> chosen_samples(const std::vector<double>& samples) {
  if (samples.size() <= kSamples) return samples;
  std::vector<double> chosen;
  for (size_t i = 0; i < kSamples; ++i) chosen.push_back(samples[i * samples.size() / kSamples]);
  return chosen;
}

std::vector<StripPlot> strips_of(const std::vector<NamedResult>& results,
                                 const std::vector<PlotPoint>& points) {
  std::vector<StripPlot> plots;
  size_t rows = 0;
  for (const PlotPoint& point : points) {
    if (!point.one->counters.empty()) continue;
    if (rows++ % kRows == 0) plots.push_back({"% off the median", {}});
    const Summary& summary = point.series->summary;
    const auto deviation = [&](double seconds) { return (seconds / summary.median - 1) * 100; };
    StripRow row;
    row.label = point.one->point_text() + " " + std::string(to_text(point.series->mode));
    if (results.size() > 1) row.label += ", " + results[point.result].name;
    for (const double sample : chosen_samples(point.series->samples)) {
      row.values.push_back(deviation(sample));
    }
    row.q1 = deviation(summary.q1);
    row.q3 = deviation(summary.q3);
    plots.back().rows.push_back(std::move(row));
  }
  return plots;
}

}  // namespace

std::vector<SuitePlots> suite_plots(const std::vector<NamedResult>& results,
                                    const std::string& x_axis) {
  std::vector<SuitePlots> all;
  for (const ReportTable& table : report_tables(results)) {
    const std::vector<PlotPoint> points = plot_points(results, table.suite);
    SuitePlots plots;
    plots.suite = table.suite;
    plots.lines = line_plots(results, points, x_axis);
    plots.roofline = roofline_plot(results, points);
    plots.strips = strips_of(results, points);
    all.push_back(std::move(plots));
  }
  return all;
}

}  // namespace warpmark
