#include "worker/measurement.hpp"

#include <algorithm>
#include <cmath>

namespace warpmark {

std::string_view to_text(CacheState state) {
  return state == CacheState::cold ? "cold" : "hot";
}

std::string_view to_text(StopReason reason) {
  switch (reason) {
    case StopReason::precise:
      return "precise";
    case StopReason::budget:
      return "budget";
    case StopReason::samples:
      break;
  }
  return "samples";
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

}  // namespace warpmark
