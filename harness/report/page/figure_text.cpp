#include "report/page/figure_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace warpmark {
namespace {

// Digits behind the point, so that four digits count; at most `most`.
int decimals(double value, int most) {
  // 9.9996 has four digits only as 10.00.
  const double rounded = std::abs(value) * (1 + 5e-5);
  int digits = 3;
  for (double limit = 10; digits > 0 && rounded >= limit; limit *= 10) --digits;
  return std::min(digits, most);
}

}  // namespace

std::string time_text(double seconds) {
  struct TimeUnit {
    double seconds;
    const char* name;
  };
  static constexpr std::array<TimeUnit, 4> kUnits = {
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds == 0) return "0 ns";
  for (const TimeUnit& unit : kUnits) {
    const double value = seconds / unit.seconds;
    // 0.99996 ms would be written as 1000 µs.
    if (value < 0.99995 && unit.seconds > 1e-9) continue;
    return fmt::format("{:.{}f} {}", value, decimals(value, 3), unit.name);
  }
  return "?";
}

std::string half_width_text(double half_width) {
  if (!std::isfinite(half_width)) return "";
  const double percent = half_width * 100;
  return fmt::format("±{:.{}f} %", percent, percent < 9.95 ? 2 : 0);
}

std::string rate_text(double rate) {
  if (!std::isfinite(rate)) return "?";
  return fmt::format("{:.{}f}", rate, decimals(rate, 3));
}

std::string share_text(double share) {
  if (!std::isfinite(share)) return "?";
  const double percent = share * 100;
  return fmt::format("{:.{}f} %", percent, percent < 0.9995 ? 2 : percent < 99.95 ? 1 : 0);
}

std::string whole_text(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string cuda_version_text(int64_t version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string change_percent(double ratio, int decimals) {
  const double percent = (ratio - 1) * 100;
  const double step = std::pow(10, -decimals);
  const double rounded = std::round(percent / step) * step;
  return rounded == 0 ? fmt::format("{:.{}f}", 0.0, decimals)
                      : fmt::format("{:+.{}f}", rounded, decimals);
}

std::string change_of_time(double ratio) {
  return change_percent(ratio, 1) + " %";
}

std::string change_of_count(double ratio) {
  if (!std::isfinite(ratio)) return "from 0";
  const double size = std::abs(ratio - 1) * 100;
  const int decimals = size >= 99.5 ? 0 : size >= 0.995 ? 1 : size >= 0.0995 ? 2 : 3;
  return size < 0.0005 ? (ratio > 1 ? "+0.001 %" : "-0.001 %")
                       : change_percent(ratio, decimals) + " %";
}

namespace {

std::string text_of(const RelativeTime& time, const std::string& against) {
  return fmt::format("{:.3g} of {}'s {} ({:.3g} to {:.3g})", time.ratio, against,
                     time_text(time.baseline_s), time.low, time.high);
}

}  // namespace

std::string relative_text(const CaseMeasurement& one) {
  std::vector<std::string> texts;
  for (const BenchSeries& series : one.series) {
    if (!series.relative) continue;
    const std::string mode = texts.empty() ? "" : std::string(to_text(series.mode)) + " ";
    texts.push_back(mode + text_of(*series.relative, one.against));
  }
  return join(texts, ", ");
}

std::string slower_text(const CaseMeasurement& one, double most) {
  const RelativeTime& time = one.series.front().relative.value();
  return fmt::format("it takes {}, in {} rounds by turns; at most {:.4g} is allowed",
                     text_of(time, one.against), time.rounds, most);
}

std::string untested_text(const std::string& why) {
  return "may answer from earlier runs: " + why;
}

}  // namespace warpmark
