// The errors of a failing output as a whole: a histogram, and a tolerance that would let it pass.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "runtime/comparison.hpp"

namespace warpmark {

/// Errors of at least `low` and less than `high`, both powers of two; `high` is infinite for the
/// errors of elements whose bound is 0.
struct ErrorBucket {
  double low = 0, high = std::numeric_limits<double>::infinity();
  size_t count = 0;
  friend bool operator==(const ErrorBucket&, const ErrorBucket&) = default;
};

/// The histogram of elements that are finite on both sides and differ.
struct ErrorHistogram {
  std::string unit;  ///< "ulp"; "bound" for `close`, whose errors are divided by their bounds
  std::vector<ErrorBucket> buckets;  ///< ascending, at most kMostBuckets, including empty ones
  friend bool operator==(const ErrorHistogram&, const ErrorHistogram&) = default;
};
inline constexpr size_t kMostBuckets = 12;

/// The histogram of floats; without buckets for other dtypes.
ErrorHistogram error_histogram(const TypedBytes& actual, const TypedBytes& expected,
                               const ComparisonRule& rule);

/// The tolerance that is nearest to the rule and lets the output pass, as a suite writes it:
///   exact, ulp   "{ulp: 3}", the smallest whole number up to 1024; or, where only elements near
///                zero are further away (of at most 1/1024 of the greatest magnitude), also
///                "{ulp: 3, atol: 1e-07}", the smallest power of ten up to 1/1024 of that magnitude
///   close        "{rtol: 1e-05, atol: 0.25}", the smallest power of ten up to 1e-3
/// "" if there is none, for dtypes other than floats, bounds that vary, and where elements are
/// unwritten or differ in their class: no tolerance helps there. `result` is `compare`'s.
std::string sufficient_tolerance(const TypedBytes& actual, const TypedBytes& expected,
                                 const ComparisonRule& rule, const Comparison& result);

}  // namespace warpmark
