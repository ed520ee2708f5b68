#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace warpmark {

namespace {

// P(B(n, 1/2) <= k) for all k from 0 on, while it is at most `most`; the last one is the largest
// such k. Sums of logarithms: 2^-n is no double from n = 1075 on.
std::vector<double> lower_tail(size_t n, double most) {
  std::vector<double> tail;
  const double log_half_n = -static_cast<double>(n) * std::log(2.0);
  double log_choose = 0;
  double sum = std::exp(log_half_n);
  for (size_t k = 0; sum <= most; ++k) {
    tail.push_back(sum);
    log_choose += std::log(static_cast<double>(n - k)) - std::log(static_cast<double>(k + 1));
    sum += std::exp(log_choose + log_half_n);
  }
  return tail;
}

}  // namespace

double quantile(std::span<const double> sorted, double q) {
  if (sorted.empty()) throw internal_error("a quantile of no samples");
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  if (below + 1 == sorted.size()) return sorted[below];  // nothing lies above
  const double share = place - static_cast<double>(below);
  return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

Interval median_interval(std::span<const double> sorted, double confidence) {
  if (sorted.empty()) throw internal_error("an interval for the median of no samples");
  const size_t n = sorted.size();
  const std::vector<double> tail = lower_tail(n, (1 - confidence) / 2);
  // The k-th and the k-th last sample miss the median with P(B <= k - 1), twice.
  if (!tail.empty()) {
    const size_t k = tail.size();
    return {sorted[k - 1], sorted[n - k], 1 - 2 * tail.back()};
  }
  return {sorted.front(), sorted.back(), 1 - std::exp2(1 - static_cast<double>(n))};
}

double Summary::half_width() const {
  if (count < 2) return std::numeric_limits<double>::infinity();
  const double width = (interval.high - interval.low) / 2;
  if (width == 0) return 0;
  return width / std::abs(median);
}

Summary summarize(std::vector<double> samples) {
  if (samples.empty()) throw internal_error("a summary of no samples");
  std::sort(samples.begin(), samples.end());
  Summary summary;
  summary.count = samples.size();
  summary.median = quantile(samples, 0.5);
  summary.interval = median_interval(samples);
  summary.q1 = quantile(samples, 0.25);
  summary.q3 = quantile(samples, 0.75);
  summary.min = samples.front();
  summary.max = samples.back();
  return summary;
}

}  // namespace warpmark
