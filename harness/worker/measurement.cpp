#include "worker/measurement.hpp"

#include <algorithm>
#include <cmath>

namespace warpmark {

bool is_cold(TimingMode mode) {
  return mode == TimingMode::cold || mode == TimingMode::cold_graph;
}

bool is_graph(TimingMode mode) {
  return mode == TimingMode::cold_graph || mode == TimingMode::hot_graph;
}

bool is_transfer(TimingMode mode) {
  return mode >= TimingMode::upload;
}

TimingOptions share_of(const TimingOptions& options, uint64_t processes) {
  const auto share = static_cast<double>(processes);
  const auto part = [&](uint64_t samples) {
    return std::max<uint64_t>(1, (samples + processes - 1) / processes);
  };
  TimingOptions one = options;
  one.processes = 1;
  one.budget_s /= share;
  one.min_seconds /= share;
  one.min_samples = part(options.min_samples);
  one.max_samples = part(options.max_samples);
  one.precision *= std::sqrt(share);  // errors of independent medians partly cancel in their mean
  return one;
}

std::optional<double> Ceilings::flops_per_s(std::string_view dtype) const {
  const double rate = dtype == "float64"   ? float64_flops_per_s
                      : dtype == "float32" ? float32_flops_per_s
                      : dtype == "float16" ? float16_flops_per_s
                                           : 0;
  return rate > 0 ? std::optional(rate) : std::nullopt;
}

}  // namespace warpmark
