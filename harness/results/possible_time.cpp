#include "results/possible_time.hpp"

#include <algorithm>

namespace warpmark {

namespace {

using Limit = ImpossibleTime::Limit;

constexpr double kMargin = 1.05;
// The margin over the measured rates of reads and copies, for drivers that do not report the
// memory's.
constexpr double kOverMeasured = 1.1;

// Between two steps the cache saves at most one write of its contents and one read of them.
double cached_bytes(uint64_t cache_bytes, size_t steps) {
  const auto between = static_cast<double>(steps > 0 ? steps - 1 : 0);
  return static_cast<double>(cache_bytes) * (1 + 2 * between);
}

std::optional<ImpossibleTime> memory_limit(const Measurement& measurement, const Ceilings& ceilings,
                                           uint64_t cache_bytes, size_t steps) {
  if (!measurement.bytes || cache_bytes == 0) return std::nullopt;
  ImpossibleTime limit;
  limit.limit = Limit::memory;
  limit.amount = *measurement.bytes;
  limit.cached = cached_bytes(cache_bytes, steps);
  const double measured = std::max(ceilings.copy_bytes_per_s, ceilings.read_bytes_per_s);
  limit.rate = std::max(ceilings.memory_bytes_per_s, kOverMeasured * measured);
  if (!(limit.rate > 0) || !(limit.amount > limit.cached)) return std::nullopt;
  limit.least_s = (limit.amount - limit.cached) / limit.rate;
  return limit;
}

std::optional<ImpossibleTime> flops_limit(const Measurement& measurement,
                                          const Ceilings& ceilings) {
  if (!measurement.flops) return std::nullopt;
  ImpossibleTime limit;
  limit.amount = *measurement.flops;
  limit.limit = measurement.given_peak ? Limit::given_peak : Limit::measured_peak;
  if (measurement.given_peak) {
    limit.rate = *measurement.given_peak;
  } else if (!measurement.peak_dtype.empty() && ceilings.clock_headroom > 0) {
    // A float32 kernel may compute in half precision.
    limit.rate = ceilings.clock_headroom *
                 std::max({ceilings.float64_flops_per_s, ceilings.float32_flops_per_s,
                           ceilings.float16_flops_per_s});
  }
  if (!(limit.rate > 0)) return std::nullopt;
  limit.least_s = limit.amount / limit.rate;
  return limit;
}

// True if the whole interval lies below the least possible time.
bool is_below(const Summary& summary, double least_s) {
  return kMargin * std::max(summary.median, summary.interval.high) < least_s;
}

}  // namespace

std::optional<ImpossibleTime> impossible_time(const TimedCase& timed,
                                              const std::optional<Ceilings>& ceilings,
                                              uint64_t cache_bytes, size_t steps) {
  if (!ceilings || !timed.measurement.counters.empty()) return std::nullopt;
  const auto memory = memory_limit(timed.measurement, *ceilings, cache_bytes, steps);
  const auto flops = flops_limit(timed.measurement, *ceilings);
  for (const BenchSeries& series : timed.series) {
    if (is_transfer(series.mode)) continue;
    for (const auto& limit : {is_cold(series.mode) ? memory : std::nullopt, flops}) {
      if (!limit || !is_below(series.summary, limit->least_s)) continue;
      ImpossibleTime found = *limit;
      found.mode = series.mode;
      found.seconds = series.summary.median;
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace warpmark
