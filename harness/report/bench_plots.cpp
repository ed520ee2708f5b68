#include "report/bench_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "report/figure_text.hpp"

namespace warpmark {

namespace {

constexpr size_t kLines = 8;
constexpr size_t kRows = 24;
constexpr size_t kSamples = 150;

// One point of a suite: a series of one result.
struct PlotPoint {
  size_t result = 0;
  const BenchCase* one = nullptr;
  const BenchSeries* series = nullptr;
};

// What is drawn upwards.
enum class Quantity : uint8_t { rate, time, instructions };

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> value_of(const BenchCase& one, const std::string& axis) {
  for (const auto& [name, value] : one.point) {
    if (name == axis) return value;
  }
  return std::nullopt;
}

std::vector<PlotPoint> entries_of(const std::vector<NamedResult>& results,
                                  const std::string& suite) {
  std::vector<PlotPoint> entries;
  for (size_t i = 0; i < results.size(); ++i) {
    for (const BenchCase& one : results[i].result.cases) {
      if (one.suite != suite) continue;
      for (const BenchSeries& series : one.series) entries.push_back({i, &one, &series});
    }
  }
  return entries;
}

// `n` before the axis with the most values; nothing if no axis is of two numbers or more.
std::optional<std::string> x_axis(const std::vector<PlotPoint>& entries) {
  std::map<std::string, std::set<double>> numbers;
  std::map<std::string, size_t> seen;
  for (const PlotPoint& entry : entries) {
    for (const auto& [name, value] : entry.one->point) {
      const auto number = number_of(value);
      if (!number) continue;
      numbers[name].insert(*number);
      ++seen[name];
    }
  }
  std::optional<std::string> best;
  size_t most = 1;
  for (const auto& [name, values] : numbers) {
    if (seen[name] != entries.size() || values.size() < 2) continue;
    if (name == "n") return name;
    if (values.size() > most) {
      most = values.size();
      best = name;
    }
  }
  return best;
}

Quantity quantity_of(const std::vector<PlotPoint>& entries) {
  const auto all = [&](const auto& has) {
    return std::all_of(entries.begin(), entries.end(), has);
  };
  if (all([](const PlotPoint& entry) {
        return entry.one->counter("ptx_thread_instructions").value_or(0) > 0;
      })) {
    return Quantity::instructions;
  }
  if (all([](const PlotPoint& entry) { return entry.series->bytes_per_s.has_value(); })) {
    return Quantity::rate;
  }
  return Quantity::time;
}

// A value and the ends of its interval.
struct Height {
  double value = 0, low = 0, high = 0;
};

Height height_of(const PlotPoint& entry, Quantity quantity) {
  const Summary& summary = entry.series->summary;
  switch (quantity) {
    case Quantity::instructions: {
      const auto count =
          static_cast<double>(entry.one->counter("ptx_thread_instructions").value_or(0));
      return {count, count, count};
    }
    case Quantity::rate: {
      const double rate = *entry.series->bytes_per_s / 1e9;
      return {rate, rate * summary.median / summary.interval.high,
              summary.interval.low > 0 ? rate * summary.median / summary.interval.low : rate};
    }
    case Quantity::time:
      break;
  }
  return {summary.median * 1e6, summary.interval.low * 1e6, summary.interval.high * 1e6};
}

class LineMaker {
 public:
  LineMaker(const std::vector<NamedResult>& results, std::vector<PlotPoint> entries,
            std::string x_axis)
      : results_(results),
        entries_(std::move(entries)),
        x_axis_(std::move(x_axis)),
        quantity_(quantity_of(entries_)) {
    std::set<TimingMode> modes;
    for (const PlotPoint& entry : entries_) modes.insert(entry.series->mode);
    several_modes_ = modes.size() > 1;
  }

  std::vector<CaptionedLines> make() {
    std::vector<std::string> dtypes;
    for (const PlotPoint& entry : entries_) {
      const std::string dtype = value_of(*entry.one, "dtype").value_or("");
      if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) dtypes.push_back(dtype);
    }
    std::vector<CaptionedLines> plots;
    for (const std::string& dtype : dtypes) {
      std::vector<PlotLine> lines = lines_of(dtype);
      for (size_t first = 0; first < lines.size(); first += kLines) {
        const size_t last = std::min(first + kLines, lines.size());
        LinePlot plot = empty_plot();
        plot.lines.assign(lines.begin() + static_cast<std::ptrdiff_t>(first),
                          lines.begin() + static_cast<std::ptrdiff_t>(last));
        plots.push_back({dtype, std::move(plot)});
      }
    }
    return plots;
  }

 private:
  // All that distinguishes a line from others, except cold and hot.
  std::string label_of(const PlotPoint& entry) const {
    std::vector<std::string> parts;
    for (const auto& [name, value] : entry.one->point) {
      if (name != x_axis_ && name != "dtype") parts.push_back(fmt::format("{}={}", name, value));
    }
    if (results_.size() > 1) parts.push_back(results_[entry.result].name);
    return join(parts, ", ");
  }

  std::vector<PlotLine> lines_of(const std::string& dtype) const {
    // By label and mode, in the order of the result.
    std::vector<std::string> labels;
    std::vector<std::pair<PlotLine, std::vector<std::pair<double, Height>>>> lines;
    for (const PlotPoint& entry : entries_) {
      if (value_of(*entry.one, "dtype").value_or("") != dtype) continue;
      const std::string label = label_of(entry);
      auto known = std::find(labels.begin(), labels.end(), label);
      if (known == labels.end()) known = labels.insert(labels.end(), label);
      PlotLine line;
      line.colour = static_cast<size_t>(known - labels.begin());
      line.dashed = several_modes_ && entry.series->mode == TimingMode::hot;
      line.label = label;
      if (several_modes_ || label.empty()) {
        line.label += (label.empty() ? "" : ", ") + std::string(to_text(entry.series->mode));
      }
      auto same = std::find_if(lines.begin(), lines.end(),
                               [&](const auto& other) { return other.first.label == line.label; });
      if (same == lines.end()) same = lines.insert(lines.end(), {line, {}});
      same->second.emplace_back(*number_of(*value_of(*entry.one, x_axis_)),
                                height_of(entry, quantity_));
    }
    std::vector<PlotLine> made;
    for (auto& [line, points] : lines) {
      std::stable_sort(points.begin(), points.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
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

  LinePlot empty_plot() const {
    LinePlot plot;
    plot.x_label = x_axis_;
    plot.y_label = quantity_ == Quantity::rate           ? "GB/s"
                   : quantity_ == Quantity::instructions ? "thread instructions"
                                                         : "µs";
    plot.log_y = quantity_ != Quantity::rate;
    plot.log_x = std::all_of(entries_.begin(), entries_.end(), [&](const PlotPoint& entry) {
      return *number_of(*value_of(*entry.one, x_axis_)) > 0;
    });
    if (quantity_ != Quantity::rate) return plot;
    add_levels(plot);
    return plot;
  }

  // Copies of one kind of device differ by a percent from run to run: one line for all of them.
  void add_levels(LinePlot& plot) const {
    for (const NamedResult& named : results_) {
      if (!named.result.ceilings) continue;
      const double rate = named.result.ceilings->copy_bytes_per_s / 1e9;
      const bool known = std::any_of(
          plot.levels.begin(), plot.levels.end(),
          [&](const PlotLevel& level) { return std::abs(level.value / rate - 1) < 0.02; });
      if (known) continue;
      const std::string of = plot.levels.empty() ? "" : " of " + named.name;
      plot.levels.push_back({fmt::format("copy{}: {} GB/s", of, rate_text(rate)), rate});
    }
  }

  const std::vector<NamedResult>& results_;
  std::vector<PlotPoint> entries_;
  std::string x_axis_;
  Quantity quantity_;
  bool several_modes_ = false;
};

std::vector<double> chosen_samples(const std::vector<double>& samples) {
  if (samples.size() <= kSamples) return samples;
  std::vector<double> chosen;
  for (size_t i = 0; i < kSamples; ++i) chosen.push_back(samples[i * samples.size() / kSamples]);
  return chosen;
}

std::vector<StripPlot> strips_of(const std::vector<NamedResult>& results,
                                 const std::vector<PlotPoint>& entries) {
  std::vector<StripPlot> plots;
  size_t rows = 0;
  for (const PlotPoint& entry : entries) {
    if (!entry.one->counters.empty()) continue;
    if (rows++ % kRows == 0) plots.push_back({"% off the median", {}});
    const Summary& summary = entry.series->summary;
    const auto deviation = [&](double seconds) { return (seconds / summary.median - 1) * 100; };
    StripRow row;
    row.label = entry.one->point_text() + " " + std::string(to_text(entry.series->mode));
    if (results.size() > 1) row.label += ", " + results[entry.result].name;
    for (const double sample : chosen_samples(entry.series->samples)) {
      row.values.push_back(deviation(sample));
    }
    row.q1 = deviation(summary.q1);
    row.q3 = deviation(summary.q3);
    plots.back().rows.push_back(std::move(row));
  }
  return plots;
}

}  // namespace

std::vector<SuitePlots> suite_plots(const std::vector<NamedResult>& results) {
  std::vector<SuitePlots> all;
  for (const ReportTable& table : report_tables(results)) {
    const std::vector<PlotPoint> entries = entries_of(results, table.suite);
    SuitePlots plots;
    plots.suite = table.suite;
    if (const auto axis = x_axis(entries)) plots.lines = LineMaker(results, entries, *axis).make();
    plots.strips = strips_of(results, entries);
    all.push_back(std::move(plots));
  }
  return all;
}

}  // namespace warpmark
