// Order statistics of samples: what is said of times, which are not normally distributed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warpmark {

/// The value below which a share `q` (0 to 1) of the sorted samples lies, linear between neighbours
/// as numpy.quantile does it (method 7 of Hyndman and Fan, The American Statistician 50, 1996).
/// There must be at least one sample.
double quantile(std::span<const double> sorted, double q);

struct Interval {
  double low = 0, high = 0;
  double confidence = 0;  ///< how often such an interval holds the true median; 0 for one sample
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// An interval for the median that holds for every distribution of independent samples: between
/// the sorted samples that the binomial distribution of B(n, 1/2) gives (Conover, Practical
/// Nonparametric Statistics, 3.2). It has at least `confidence`, or is [min, max] with what that
/// has, where there are too few samples (five or less for 95 %).
Interval median_interval(std::span<const double> sorted, double confidence = 0.95);

/// The usual numbers of a series.
struct Summary {
  size_t count = 0;
  double median = 0;
  Interval interval;  ///< of the median
  double q1 = 0, q3 = 0, min = 0, max = 0;

  /// Half of the interval's width over the median: 0.01 means "± 1 %". Infinite for fewer than two
  /// samples, and for a median of 0 with a width.
  double half_width() const;
};
/// Throws an internal error for no samples.
Summary summarize(std::vector<double> samples);

}  // namespace warpmark
