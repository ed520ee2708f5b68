#include "worker/host_timing.hpp"

#include "base/clock.hpp"

namespace warpmark {

TimedSeries series_by_host(uint64_t most, double budget_s, const std::function<void()>& prepare,
                           const std::function<void()>& run) {
  TimedSeries series;
  series.mode = TimingMode::hot;
  series.stop = StopReason::samples;
  const auto start = Clock::now();
  while (series.seconds.size() < most) {
    prepare();
    const auto begin = Clock::now();
    run();
    series.seconds.push_back(seconds_since(begin));
    if (seconds_since(start) < budget_s) continue;
    series.stop = StopReason::budget;
    break;
  }
  return series;
}

}  // namespace warpmark
