// Draws where counted operations and bytes put a kernel under the roofs of a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/figure_text.hpp"
#include "report/pictures/pictures.hpp"

namespace warpmark {

namespace {

constexpr double kPlotLeft = 40, kPlotRight = kPictureWidth - 12, kPlotTop = 14, kPlotBottom = 168;
constexpr double kLeastIntensity = -7, kMostIntensity = 9;  // of log2 of the intensity
constexpr double kLowRate = 4, kHighRate = 17.5;            // of log2 of GFLOP/s

double x_of(double intensity) {
  const double at = (std::log2(intensity) - kLeastIntensity) / (kMostIntensity - kLeastIntensity);
  return kPlotLeft + std::clamp(at, 0.0, 1.0) * (kPlotRight - kPlotLeft);
}
double y_of(double rate) {
  const double at = (std::log2(rate) - kLowRate) / (kHighRate - kLowRate);
  return kPlotBottom - std::clamp(at, 0.0, 1.0) * (kPlotBottom - kPlotTop);
}

int64_t summed(const CounterSums& counters, std::string_view prefix, std::string_view suffix) {
  int64_t sum = 0;
  for (const auto& [name, value] : counters) {
    if (name.starts_with(prefix) && name.ends_with(suffix) && !name.ends_with("ideal_sectors"))
      sum += value;
  }
  return sum;
}

void draw_axes(Svg& svg) {
  svg.path("empty", fmt::format("M{} {}V{}H{}", kPlotLeft, kPlotTop - 6, kPlotBottom, kPlotRight));
  for (const double value : {1.0 / 64, 1.0 / 8, 1.0, 8.0, 64.0}) {
    svg.path("empty", fmt::format("M{:.1f} {}v4", x_of(value), kPlotBottom));
    svg.text(x_of(value), kPlotBottom + 15, Anchor::middle,
             value < 1 ? fmt::format("1/{:g}", 1 / value) : fmt::format("{:g}", value), "small");
  }
  svg.text(kPlotRight, kPlotBottom + 29, Anchor::end, "operations for each byte", "small");
  for (const double value : {100.0, 1000.0, 10000.0, 100000.0}) {
    svg.path("empty", fmt::format("M{} {:.1f}h-4", kPlotLeft, y_of(value)));
    svg.text(kPlotLeft - 6, y_of(value) + 4, Anchor::end,
             value < 1000 ? "0.1" : fmt::format("{:g}", value / 1000), "small");
  }
  svg.text(2, 10, Anchor::start, "TFLOP/s", "small");
}

}  // namespace

std::optional<Roofs> measured_roofs(const ReportJson& run) {
  const auto ceilings = run.find("bench") == run.end() || !run["bench"].is_object()
                            ? ReportJson()
                            : run["bench"].value("ceilings", ReportJson());
  if (!ceilings.is_object()) return std::nullopt;
  Roofs roofs;
  const auto set = [&](double& roof, const char* name) {
    const double rate = ceilings.value(name, 0.0);
    if (rate > 0) roof = rate / 1e9;
  };
  set(roofs.memory, "read_bytes_per_s");
  set(roofs.float32, "float32_flops_per_s");
  set(roofs.float64, "float64_flops_per_s");
  const ReportJson device = run.value("device", ReportJson::object());
  roofs.device = device.value("name", "a GPU") + ", as measured";
  return roofs;
}

std::optional<Picture> count_roofline(const CounterSums& counters, const Roofs& roofs) {
  const auto flops = static_cast<double>(counter_value(counters, "ptx_flops"));
  const auto moved = 32 * static_cast<double>(summed(counters, "global_", "_sectors") +
                                              summed(counters, "async_global_", "_sectors") +
                                              summed(counters, "texture_", "_sectors") +
                                              summed(counters, "surface_", "_sectors"));
  if (!(flops > 0) || !(moved > 0)) return std::nullopt;
  const bool is_double = counter_value(counters, "ptx_double_thread_instructions") >
                         counter_value(counters, "ptx_single_thread_instructions");
  const double peak = is_double ? roofs.float64 : roofs.float32, ridge = peak / roofs.memory;
  const double intensity = flops / moved, reach = std::min(peak, intensity * roofs.memory);
  Svg svg(kPictureWidth, kPlotBottom + 34, "roofline by counts", "picture");
  const std::string limit = intensity < ridge ? "memory" : "arithmetic";
  svg.describe("Roofline by counts",
               fmt::format("{:.3g} operations for each byte; the ridge is at {:.3g}: {} is the "
                           "limit.",
                           intensity, ridge, limit));
  draw_axes(svg);
  const double least = std::exp2(kLeastIntensity);
  svg.path("roof", fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}H{:.1f}", x_of(least),
                               y_of(least * roofs.memory), x_of(ridge), y_of(peak), kPlotRight));
  svg.text(kPlotRight, y_of(peak) - 5, Anchor::end,
           fmt::format("{:.3g} TFLOP/s, {}", peak / 1000, is_double ? "float64" : "float32"),
           "small");
  svg.text(x_of(0.09) - 6, y_of(0.09 * roofs.memory) - 6, Anchor::end,
           fmt::format("{:.3g} TB/s", roofs.memory / 1000), "small halo");
  const double x = x_of(intensity), y = y_of(reach);
  svg.path("time", fmt::format("M{:.1f} {:.1f}V{}", x, y, kPlotBottom));
  svg.path("write", fmt::format("M{:.1f} {:.1f}m0-5l5 5l-5 5l-5-5z", x, y));
  const bool to_the_left = x > kPictureWidth / 2;
  svg.text(x + (to_the_left ? -9 : 9), y + 18, to_the_left ? Anchor::end : Anchor::start,
           fmt::format("{:.3g}", intensity), "strong halo");
  Picture picture;
  picture.caption = "Roofline by counts, on " + roofs.device;
  picture.svg = svg.take();
  picture.remark = fmt::format(
      "{} operations and {} bytes moved, counted before all caches: {:.3g} operations for each "
      "byte. With that at most {:.3g} TFLOP/s of {:.3g} can be reached: {} is the limit.",
      whole_text(static_cast<int64_t>(flops)), whole_text(static_cast<int64_t>(moved)), intensity,
      reach / 1000, peak / 1000, limit);
  return picture;
}

}  // namespace warpmark
