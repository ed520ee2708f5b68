#include "runtime/error_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/element.hpp"
#include "runtime/element_text.hpp"

namespace warpmark {
namespace {

constexpr double kMostUlps = 1024;
constexpr double kNearZero = 1.0 / 1024;             // as a part of the greatest magnitude
constexpr int kMostExponent = 1000;                  // power of two: errors beyond it count as this
                                                     // one
constexpr int kGreatestRtol = -3, kLeastRtol = -16;  // as powers of ten

// The distance between two finite floats.
struct Distance {
  size_t index = 0;
  long double error = 0;      ///< from the reference itself for close, else from the reference
                              ///< rounded to the output's dtype
  long double magnitude = 0;  ///< magnitude of that reference
  long double ulps = 0;
};

template <typename Output, typename Reference, typename Action>
void each_distance_of(const TypedBytes& actual, const TypedBytes& expected, ToleranceKind kind,
                      const Action& action) {
  const size_t step = expected.count() == 1 ? 0 : 1;
  for (size_t i = 0; i < actual.count(); ++i) {
    const long double x = number(load_element<Output>(actual.bytes.data(), i));
    const auto e = load_element<Reference>(expected.bytes.data(), i * step);
    long double rounded = 0;
    if constexpr (std::is_integral_v<Reference>) {
      rounded = rounded_to<Output>(e);
    } else {
      rounded = rounded_to<Output>(number(e));
    }
    const long double wide = number(e);
    if (!std::isfinite(x) || !std::isfinite(rounded) || !std::isfinite(wide)) continue;
    const long double by = kind == ToleranceKind::close ? wide : rounded;
    const long double ulp = spacing<Output>(static_cast<double>(rounded));
    action(Distance{i, std::fabs(x - by), std::fabs(by), std::fabs(x - rounded) / ulp});
  }
}

// Calls `action` with the distance of each pair of finite floats.
template <typename Action>
void each_distance(const TypedBytes& actual, const TypedBytes& expected, ToleranceKind kind,
                   const Action& action) {
  if (actual.dtype.kind != DTypeKind::floating) return;
  with_element_type(actual.dtype, [&](auto output) {
    using Output = decltype(output);
    with_element_type(expected.dtype, [&](auto reference) {
      using Reference = decltype(reference);
      if constexpr (kIsReal<Output> && (kIsReal<Reference> || std::is_integral_v<Reference>)) {
        each_distance_of<Output, Reference>(actual, expected, kind, action);
      }
    });
  });
}

double value_at(std::span<const double> bounds, size_t index) {
  return bounds.empty() ? 0 : bounds[bounds.size() == 1 ? 0 : index];
}

// The double of a suite's "1e-7", which std::pow need not give.
double power_of_ten(int power) {
  return std::stod(fmt::format("1e{}", power));
}

std::string text_of(const ComparisonRule& rule, const std::string& bounds) {
  return "{" + bounds + (rule.nan == NanPolicy::forbid ? ", nan: forbid}" : "}");
}

bool passes(const TypedBytes& actual, const TypedBytes& expected, const ComparisonRule& rule) {
  return compare(actual, expected, rule, std::nullopt).passed();
}

std::string sufficient_ulp(const TypedBytes& actual, const TypedBytes& expected,
                           const ComparisonRule& rule) {
  const double given = value_at(rule.atol, 0);
  long double greatest = 0;  // greatest magnitude of all
  long double ulps = std::max(value_at(rule.ulp, 0), 1.0);
  long double beyond = 0, beyond_magnitude = 0;  // the elements that are further off than any ulp
                                                 // allows
  each_distance(actual, expected, rule.kind, [&](const Distance& one) {
    greatest = std::max(greatest, one.magnitude);
    if (one.error <= given) return;
    if (one.ulps <= kMostUlps) {
      ulps = std::max(ulps, one.ulps);
    } else {
      beyond = std::max(beyond, one.error);
      beyond_magnitude = std::max(beyond_magnitude, one.magnitude);
    }
  });
  const auto ulp = static_cast<double>(std::ceil(ulps));
  if (beyond_magnitude > greatest * kNearZero || ulp > kMostUlps) return "";
  double atol = given;
  if (beyond > 0) {
    if (beyond > greatest * kNearZero) return "";
    const int power = static_cast<int>(std::floor(std::log10(beyond)));
    for (int i = power; i <= power + 1 && !(beyond <= atol); ++i) atol = power_of_ten(i);
    if (!(atol <= greatest * kNearZero)) return "";
  }
  const ComparisonRule wider{ToleranceKind::ulp, rule.nan, {&ulp, 1}, {}, {&atol, 1}};
  if (!passes(actual, expected, wider)) return "";
  return text_of(rule, atol > 0 ? fmt::format("ulp: {}, atol: {}", ulp, real_text(atol))
                                : fmt::format("ulp: {}", ulp));
}

std::string sufficient_rtol(const TypedBytes& actual, const TypedBytes& expected,
                            const ComparisonRule& rule) {
  const double atol = value_at(rule.atol, 0);
  long double needed = 0;
  each_distance(actual, expected, rule.kind, [&](const Distance& one) {
    if (one.error > atol) needed = std::max(needed, (one.error - atol) / one.magnitude);
  });
  if (!(needed > 0 && needed <= 1)) return "";  // it is infinite if a zero is wrong
  const int least = std::max(static_cast<int>(std::floor(std::log10(needed))), kLeastRtol);
  for (int power = least; power <= std::min(least + 1, kGreatestRtol); ++power) {
    const double rtol = power_of_ten(power);
    const ComparisonRule wider{rule.kind, rule.nan, {}, {&rtol, 1}, {&atol, 1}};
    if (!passes(actual, expected, wider)) continue;
    return text_of(rule, atol > 0 ? fmt::format("rtol: 1e{}, atol: {}", power, real_text(atol))
                                  : fmt::format("rtol: 1e{}", power));
  }
  return "";
}

}  // namespace

ErrorHistogram error_histogram(const TypedBytes& actual, const TypedBytes& expected,
                               const ComparisonRule& rule) {
  const bool close = rule.kind == ToleranceKind::close;
  ErrorHistogram histogram{close ? "bound" : "ulp", {}};
  std::vector<size_t> counts(2 * kMostExponent + 1);  // by the exponent of the error
  size_t unbounded = 0;
  each_distance(actual, expected, rule.kind, [&](const Distance& one) {
    if (one.error == 0) return;
    long double error = one.ulps;
    if (close) {
      error = one.error /
              (value_at(rule.atol, one.index) + value_at(rule.rtol, one.index) * one.magnitude);
    }
    if (std::isfinite(error) && error > 0) {
      const int exponent = std::clamp(std::ilogb(error), -kMostExponent, kMostExponent);
      ++counts[static_cast<size_t>(exponent + kMostExponent)];
    } else {
      ++unbounded;
    }
  });
  const auto is_any = [](size_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_any);
  if (first != counts.end()) {
    const auto last = std::find_if(counts.rbegin(), counts.rend(), is_any).base();  // one past it
    const auto most = static_cast<std::ptrdiff_t>(kMostBuckets) - (unbounded > 0 ? 1 : 0);
    const std::ptrdiff_t width = (last - first - 1) / most + 1;  // powers of two to a bucket
    for (auto begin = first; begin < last; begin += std::min(width, last - begin)) {
      const auto low = static_cast<int>(begin - counts.begin()) - kMostExponent;
      const auto end = begin + std::min(width, last - begin);
      histogram.buckets.push_back({std::ldexp(1.0, low),
                                   std::ldexp(1.0, low + static_cast<int>(width)),
                                   std::accumulate(begin, end, size_t{0})});
    }
  }
  if (unbounded > 0) {
    const double low = histogram.buckets.empty() ? 0 : histogram.buckets.back().high;
    histogram.buckets.push_back({low, std::numeric_limits<double>::infinity(), unbounded});
  }
  return histogram;
}

std::string sufficient_tolerance(const TypedBytes& actual, const TypedBytes& expected,
                                 const ComparisonRule& rule, const Comparison& result) {
  const bool varies = rule.ulp.size() > 1 || rule.rtol.size() > 1 || rule.atol.size() > 1;
  const bool of_values = result.by_value == result.wrong;
  if (result.passed() || varies || !of_values || actual.dtype.kind != DTypeKind::floating) {
    return "";
  }
  return rule.kind == ToleranceKind::close ? sufficient_rtol(actual, expected, rule)
                                           : sufficient_ulp(actual, expected, rule);
}

}  // namespace warpmark
