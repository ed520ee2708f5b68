#include "report/bench/impossible_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "report/page/figure_text.hpp"

namespace warpmark {

namespace {

std::string rate_of(const ImpossibleTime& time) {
  return whole_text(std::llround(time.rate / 1e9));
}

std::string work_text(const ImpossibleTime& time) {
  const std::string flops = rate_text(time.amount / 1e9);
  switch (time.limit) {
    case ImpossibleTime::Limit::memory:
      return fmt::format("moving {} takes at {} GB/s, if the cache holds {} of it",
                         format_bytes(static_cast<uint64_t>(time.amount)), rate_of(time),
                         format_bytes(static_cast<uint64_t>(time.cached)));
    case ImpossibleTime::Limit::given_peak:
      return fmt::format("{} Gflop take at bench.peak_flops_per_s, {} GFLOP/s", flops,
                         rate_of(time));
    case ImpossibleTime::Limit::measured_peak:
      break;
  }
  return fmt::format("{} Gflop take at {} GFLOP/s, the most that fused multiply-adds do", flops,
                     rate_of(time));
}

}  // namespace

std::string impossible_text(const ImpossibleTime& time, const std::string& point) {
  const char* wrong = time.limit == ImpossibleTime::Limit::memory ? "bench.bytes is wrong"
                      : time.limit == ImpossibleTime::Limit::given_peak
                          ? "bench.flops or bench.peak_flops_per_s is wrong"
                          : "bench.flops is wrong";
  return fmt::format("{}{}: {} is less than the {} that {}: {}, or the kernel does not do the work",
                     point.empty() ? "" : point + " ", to_text(time.mode), time_text(time.seconds),
                     time_text(time.least_s), work_text(time), wrong);
}

}  // namespace warpmark
