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

/// The distribution of Student's t with `freedom` degrees of freedom, more than 0: how likely a value
/// at least as far from 0 as `t` is, either way. (DLMF 8.17, the regularised incomplete beta function
/// by its continued fraction 8.17.22.)
double student_tail(double t, double freedom);
/// The value whose student_tail() is `tail`, between 0 and 1.
double student_quantile(double tail, double freedom);

/// The distribution of F with two degrees of freedom, each more than 0: how likely a ratio of variances
/// of at least `f` is.
double f_tail(double f, double above, double below);

/// A mean of independent values and how well it is known.
struct Mean {
  double value = 0;
  double error = 0;    ///< its standard error; infinite for one value
  double freedom = 0;  ///< degrees of freedom of that
  Interval interval(double confidence = 0.95) const;
};
/// Throws an internal error for no values.
Mean mean_of(std::span<const double> values);

/// The mean without the fifth of the values at either end, with the standard error of Tukey and
/// McLaughlin (Sankhya A 25, 1963). Throws an internal error for no values.
Mean trimmed_mean(std::vector<double> values);

/// The levels of two series of which each sample was taken beside the other's of the same index: their
/// difference is that of neighbours, so that what slows both for a while is not in it. Exchanging
/// the series exchanges the levels.
struct PairedLevels {
  double first = 0, second = 0;
  double error = 0;  ///< standard error of the difference
};
/// Throws an internal error for no samples, or not as many of both.
PairedLevels paired_levels(std::span<const double> first, std::span<const double> second);

/// Adjusts the p-values of several tests so that together they reject a true hypothesis no more
/// often than one would (Holm, Scandinavian Journal of Statistics 6, 1979). In the order of `tails`.
std::vector<double> holm(std::span<const double> tails);

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
