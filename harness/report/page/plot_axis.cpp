#include "report/page/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpmark {

namespace {

constexpr double kNearlyWhole = 1e-9;

std::string power_of(int base, int exponent) {
  return fmt::format("{}^{}", base, exponent);
}

// True if the logarithm is that of a whole power, whose exponent is put there.
bool is_whole(double logarithm, int& exponent) {
  exponent = static_cast<int>(std::lround(logarithm));
  return std::abs(logarithm - exponent) < kNearlyWhole;
}

}  // namespace

PlotScale::PlotScale(double low, double high, bool logarithmic)
    : low_(low), high_(high), logarithmic_(logarithmic) {}

void PlotScale::set_places(double of_low, double of_high) {
  of_low_ = of_low;
  of_high_ = of_high;
}

double PlotScale::share_of(double value) const {
  if (!logarithmic_) return (value - low_) / (high_ - low_);
  return std::log(std::max(value, low_ * 1e-3) / low_) / std::log(high_ / low_);
}

double PlotScale::place_of(double value) const {
  return of_low_ + share_of(value) * (of_high_ - of_low_);
}

std::string tick_text(double value) {
  if (value == 0) return "0";
  int exponent = 0;
  const double size = std::abs(value);
  if (value >= 1024 && is_whole(std::log2(size), exponent)) return power_of(2, exponent);
  const bool is_far = size >= 1e6 || size < 1e-3;
  if (value > 0 && is_far && is_whole(std::log10(size), exponent)) return power_of(10, exponent);
  if (size < 1e6 && size >= 1e-4) return fmt::format("{:.6g}", value);
  exponent = static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.3g}·{}", value / std::pow(10, exponent), power_of(10, exponent));
}

std::vector<PlotTick> linear_ticks(double low, double high) {
  const double rough = (high - low) / 5;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  double step = decade;
  for (const double times : {1.0, 2.0, 5.0, 10.0}) {
    step = times * decade;
    if (step >= rough * (1 - kNearlyWhole)) break;
  }
  std::vector<PlotTick> ticks;
  for (double i = std::ceil(low / step - kNearlyWhole); i * step <= high * (1 + kNearlyWhole);
       ++i) {
    ticks.push_back({i * step, tick_text(i * step)});
  }
  return ticks;
}

std::vector<PlotTick> decade_ticks(double low, double high) {
  constexpr int kMostDecades = 7;
  constexpr double kEnd = 1e300;  // beyond it powers of ten are no numbers
  low = std::clamp(low, 1 / kEnd, kEnd);
  high = std::clamp(high, low, kEnd);
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const auto ticks_of = [&](const std::vector<double>& times, int step) {
    std::vector<PlotTick> ticks;
    for (int decade = first; decade <= last; decade += step) {
      for (const double one : times) {
        const double value = one * std::pow(10, decade);
        if (value >= low && value <= high) ticks.push_back({value, tick_text(value)});
      }
    }
    return ticks;
  };
  std::vector<PlotTick> ticks = ticks_of({1}, 1 + (last - first - 1) / (kMostDecades + 1));
  if (ticks.size() < 3) ticks = ticks_of({1, 2, 5}, 1);
  return ticks.size() < 3 ? linear_ticks(low, high) : ticks;
}

std::vector<PlotTick> value_ticks(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<PlotTick> ticks;
  for (const double value : values) ticks.push_back({value, tick_text(value)});
  return ticks;
}

}  // namespace warpmark
