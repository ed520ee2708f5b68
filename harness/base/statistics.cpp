#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

namespace {

// The continued fraction of the incomplete beta function, by the method of Lentz as Thompson and
// Barnett changed it (Journal of Computational Physics 64, 1986).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kEnough = 1e-15;
  constexpr int kMostSteps = 500;
  const auto away_from_0 = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_0(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m <= kMostSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_0(1 + even * d);
    c = away_from_0(1 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_0(1 + odd * d);
    c = away_from_0(1 + odd / c);
    result *= c * d;
    if (std::abs(c * d - 1) < kEnough) break;
  }
  return result;
}

// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on one side of the mean only.
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double student_tail(double t, double freedom) {
  if (std::isinf(t)) return 0;
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double f_tail(double f, double above, double below) {
  if (std::isinf(f)) return 0;
  return incomplete_beta(below / 2, above / 2, below / (below + above * f));
}

double student_quantile(double tail, double freedom) {
  double low = 0, high = 1;
  while (student_tail(high, freedom) > tail && high < 1e300) high *= 2;
  // Bisects until no number lies between the two.
  for (double middle = high / 2; low < middle && middle < high; middle = low + (high - low) / 2)
    (student_tail(middle, freedom) > tail ? low : high) = middle;
  return high;
}

Interval Mean::interval(double confidence) const {
  if (!std::isfinite(error)) return {value, value, 0};
  const double half = error == 0 ? 0 : student_quantile(1 - confidence, freedom) * error;
  return {value - half, value + half, confidence};
}

Mean mean_of(std::span<const double> values) {
  if (values.empty()) throw internal_error("a mean of no values");
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  if (values.size() == 1) return {mean, std::numeric_limits<double>::infinity(), 0};
  return {mean, std::sqrt(squares / (n - 1) / n), n - 1};
}

Mean trimmed_mean(std::vector<double> values) {
  if (values.empty()) throw internal_error("a mean of no values");
  constexpr size_t kShare = 5;  // one of so many goes at either end
  std::ranges::sort(values);
  const size_t cut = values.size() / kShare;
  const std::span<const double> kept = std::span(values).subspan(cut, values.size() - 2 * cut);
  Mean mean = mean_of(kept);
  std::fill_n(values.begin(), cut, kept.front());
  std::fill_n(values.end() - static_cast<std::ptrdiff_t>(cut), cut, kept.back());
  const double share = static_cast<double>(kept.size()) / static_cast<double>(values.size());
  mean.error = mean_of(values).error / share;
  return mean;
}

PairedLevels paired_levels(std::span<const double> first, std::span<const double> second) {
  if (first.size() != second.size()) throw internal_error("turns that do not pair");
  std::vector<double> differences, middles;
  for (size_t i = 0; i < first.size(); ++i) {
    differences.push_back(first[i] - second[i]);
    middles.push_back((first[i] + second[i]) / 2);
  }
  const Mean difference = trimmed_mean(std::move(differences));
  const double middle = trimmed_mean(std::move(middles)).value;
  return {middle + difference.value / 2, middle - difference.value / 2, difference.error};
}

std::vector<double> holm(std::span<const double> tails) {
  std::vector<size_t> order(tails.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return tails[a] < tails[b]; });
  std::vector<double> adjusted(tails.size());
  double least = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    least = std::max(least, std::min(1.0, left * tails[order[rank]]));
    adjusted[order[rank]] = least;
  }
  return adjusted;
}

double Summary::half_width() const {
  if (count < 2) return std::numeric_limits<double>::infinity();
  const double width = (interval.high - interval.low) / 2;
  if (width == 0) return 0;
  return width / std::abs(median);
}

Summary summarize(std::vector<double> samples) {
  if (samples.empty()) throw internal_error("a summary of no samples");
  std::ranges::sort(samples);
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
