// The approximate operations of the PTX ISA, what it promises of each, and exact references.
#pragma once

#include <quadmath.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "device/machine/direct.hpp"

namespace warpmark::cpu {

__extension__ using Quad = __float128;

/// How the ISA measures an operation's error.
enum class Measure { relative, absolute, ulps };

/// An operation of one operand.
struct Approximation {
  const char* operation;
  const char* kinds;  ///< as DirectOperation's: h is binary16, b bfloat16 (both in h registers)
  double (*quick)(double);  ///< the function within 1 ulp of binary64
  Quad (*exact)(Quad);
  Measure measure;
  double bound;  ///< the ISA's
  const char* bound_text;
  double least, most;    ///< |inputs| that the bound is for
  bool flushes = false;  ///< .ftz: subnormal inputs and results are 0
};

inline double rcp_quick(double x) {
  return 1.0 / x;
}
inline double rsqrt_quick(double x) {
  return 1.0 / std::sqrt(x);
}
inline Quad rcp_exact(Quad x) {
  return 1 / x;
}
inline Quad rsqrt_exact(Quad x) {
  return 1 / sqrtq(x);
}
/// The part of an operand that rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read (PTX ISA, "ignore
/// the least significant 32 bits"); they promise an approximation for this part.
inline double high_word(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) >> 32 << 32);
}
inline double coarse_rcp_quick(double x) {
  return 1.0 / high_word(x);
}
inline double coarse_rsqrt_quick(double x) {
  return 1.0 / std::sqrt(high_word(x));
}
inline Quad coarse_rcp_exact(Quad x) {
  return 1 / static_cast<Quad>(high_word(static_cast<double>(x)));
}
inline Quad coarse_rsqrt_exact(Quad x) {
  return 1 / sqrtq(high_word(static_cast<double>(x)));
}

constexpr double kAll = 1e300;
constexpr double kTwoPi = 6.283185307179586, kHundredPi = 314.1592653589793;

/// Flushed forms give the same numbers (approximate_test.cpp), so only those with another bound
/// have rows of their own. PTX ISA 9.0, "Floating Point Instructions" and "Half Precision Floating
/// Point Instructions".
inline const std::vector<Approximation>& approximations() {
  using M = Measure;
  static const std::vector<Approximation> table = {
      {"rcp.approx.f32", "ff", rcp_quick, rcp_exact, M::relative, 0x1p-23, "2^-23 relative", 0,
       kAll},
      {"sqrt.approx.f32", "ff", std::sqrt, sqrtq, M::relative, 0x1p-23, "2^-23 relative", 0, kAll},
      {"rsqrt.approx.f32", "ff", rsqrt_quick, rsqrt_exact, M::relative, 0x1.125fbep-23,
       "2^-22.9 relative", 0, kAll},
      {"sin.approx.f32", "ff", std::sin, sinq, M::absolute, 0x1.6a09e6p-21,
       "2^-20.5 absolute on [-2π, 2π]", 0, kTwoPi, true},
      {"cos.approx.f32", "ff", std::cos, cosq, M::absolute, 0x1.6a09e6p-21,
       "2^-20.5 absolute on [-2π, 2π]", 0, kTwoPi},
      {"sin.approx.ftz.f32", "ff", std::sin, sinq, M::absolute, 0x1.3b2c47p-15,
       "2^-14.7 absolute on [-100π, 100π]", 0, kHundredPi, true},
      {"cos.approx.ftz.f32", "ff", std::cos, cosq, M::absolute, 0x1.3b2c47p-15,
       "2^-14.7 absolute on [-100π, 100π]", 0, kHundredPi, true},
      {"lg2.approx.f32", "ff", std::log2, log2q, M::relative, 0x1p-22,
       "2^-22 relative, absolute on (0.5, 2)", 0, kAll},
      {"ex2.approx.f32", "ff", std::exp2, exp2q, M::relative, 0x1.6a09e6p-23, "2^-22.5 relative", 0,
       kAll},
      {"tanh.approx.f32", "ff", std::tanh, tanhq, M::relative, 0x1p-11, "2^-11 relative", 0, kAll},
      {"tanh.approx.f16", "hh", std::tanh, tanhq, M::absolute, 0x1.0249p-11, "2^-10.987 absolute",
       0, kAll},
      {"ex2.approx.f16", "hh", std::exp2, exp2q, M::relative, 0x1.125fbep-10, "2^-9.9 relative", 0,
       kAll},
      {"tanh.approx.bf16", "bb", std::tanh, tanhq, M::absolute, 0x1p-8, "2^-8 absolute", 0, kAll},
      {"ex2.approx.ftz.bf16", "bb", std::exp2, exp2q, M::relative, 0x1p-7, "2^-7 relative", 0, kAll,
       true},
      {"rcp.approx.ftz.f64", "FF", coarse_rcp_quick, coarse_rcp_exact, M::relative, 0x1p-20,
       "2^-20 relative", 0, kAll, true},
      {"rsqrt.approx.f64", "FF", rsqrt_quick, rsqrt_exact, M::relative, 0x1p-20, "2^-20 relative",
       0, kAll},
      {"rsqrt.approx.ftz.f64", "FF", coarse_rsqrt_quick, coarse_rsqrt_exact, M::relative, 0x1p-20,
       "2^-20 relative", 0, kAll, true},
  };
  return table;
}

/// A binary format's fraction bits and least exponent of a normal number.
struct RealFormat {
  int fraction, least;
};
inline RealFormat format_of(char kind) {
  return kind == 'F'   ? RealFormat{52, -1022}
         : kind == 'h' ? RealFormat{10, -14}
         : kind == 'b' ? RealFormat{7, -126}
                       : RealFormat{23, -126};
}
inline double value_of(char kind, std::uint64_t bits) {
  switch (kind) {
    case 'F':
      return std::bit_cast<double>(bits);
    case 'f':
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case 'b':
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    default: {
      const int exponent = static_cast<int>(bits >> 10 & 31);
      const auto fraction = static_cast<double>(bits & 1023);
      const double magnitude = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                               : exponent == 0 ? std::ldexp(fraction, -24)
                                               : std::ldexp(fraction + 1024, exponent - 25);
      return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
  }
}

/// The errors of one result.
struct Errors {
  double ulps = 0;      ///< of the exact result, in its format
  double measured = 0;  ///< as the ISA measures; subnormal results aside, whose precision is less
};

/// 2^exponent, for exponents of normal numbers.
inline double power(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Numbers derived from an operation's formats and domain, once for a whole sweep.
struct Domain {
  explicit Domain(const Approximation& operation)
      : format(format_of(operation.kinds[0])),
        tiny(power(format.least)),
        overflow(operation.kinds[0] == 'F' ? kAll * 1e8
                                           : std::ldexp(1.0 - power(-format.fraction - 2),
                                                        operation.kinds[0] == 'h' ? 16 : 128)),
        most(operation.most),
        flushes(operation.flushes),
        absolute(operation.measure == Measure::absolute),
        logarithm(operation.operation[0] == 'l') {}

  /// Returns whether the bound covers this input: finite, with a finite result in its format.
  [[nodiscard]] bool counts(double x, double want) const {
    const double size = std::fabs(want);
    if (!(std::fabs(x) <= most) || !(size < overflow)) return false;
    return !flushes ||
           ((x == 0 || std::fabs(x) >= tiny) && (want == 0 || size >= tiny * 1.0000001));
  }

  template <typename Real>
  [[nodiscard]] Errors errors(double x, double got, Real want) const {
    const Real difference = static_cast<Real>(got) - want;
    const auto distance = static_cast<double>(difference < 0 ? -difference : difference);
    const auto size = std::fabs(static_cast<double>(want));
    const int logarithm_of_size = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52) - 1023;
    const int last = std::max(logarithm_of_size, format.least) - format.fraction;
    Errors errors;
    // In two steps, since 2^-last may be beyond binary64.
    errors.ulps = distance * power(-last / 2) * power(-last - -last / 2);
    if (absolute || (logarithm && x > 0.5 && x < 2))
      errors.measured = distance;
    else if (size >= tiny)
      errors.measured = distance / size;
    return errors;
  }

  RealFormat format;
  double tiny, overflow, most;
  bool flushes, absolute, logarithm;
};

/// The greatest errors over many inputs.
struct Worst {
  double ulps = 0, measured = 0;
  std::uint64_t at_ulps = 0, at_measured = 0, inputs = 0;

  void merge(const Worst& other) {
    if (other.ulps > ulps) {
      ulps = other.ulps;
      at_ulps = other.at_ulps;
    }
    if (other.measured > measured) {
      measured = other.measured;
      at_measured = other.at_measured;
    }
    inputs += other.inputs;
  }
};

/// Runs the operation on inputs first, first + step, … (count of them; the low bits of each are the
/// operand) and compares with `quick`, which is exact to 2^-28 ulp of binary32.
inline Worst sweep(const Approximation& operation, std::uint64_t first, std::uint64_t step,
                   std::uint64_t count, int level) {
  std::string kinds = operation.kinds;
  for (char& kind : kinds) kind = kind == 'b' ? 'h' : kind;
  DirectOperation direct(operation.operation, kinds, level);
  const char kind = operation.kinds[1];
  const std::uint64_t mask = kind == 'F' ? ~std::uint64_t{0} : kind == 'f' ? 0xffffffff : 0xffff;
  const Domain domain(operation);
  Worst worst;
  for (std::uint64_t done = 0; done < count; done += 32) {
    std::uint64_t inputs[32];
    bool any = false;
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      inputs[lane] = (first + (done + lane) * step) & mask;
      direct.set(1, lane, inputs[lane]);
      any = any || std::fabs(value_of(kind, inputs[lane])) <= operation.most;
    }
    if (!any) continue;  // references of huge operands are slow
    direct.run();
    for (std::uint64_t lane = 0; lane < 32 && done + lane < count; ++lane) {
      const double x = value_of(kind, inputs[lane]);
      const double quick = operation.quick(x);
      if (!domain.counts(x, quick)) continue;
      const double got = value_of(operation.kinds[0], direct.get(lane));
      // binary64 has no quicker reference than the exact one.
      const Errors errors = kind == 'F' ? domain.errors<Quad>(x, got, operation.exact(x))
                                        : domain.errors<double>(x, got, quick);
      ++worst.inputs;
      if (!(errors.ulps <= worst.ulps)) {
        worst.ulps = errors.ulps;
        worst.at_ulps = inputs[lane];
      }
      if (!(errors.measured <= worst.measured)) {
        worst.measured = errors.measured;
        worst.at_measured = inputs[lane];
      }
    }
  }
  return worst;
}

/// The exact errors of one input.
inline Errors exactly(const Approximation& operation, std::uint64_t input, int level) {
  std::string kinds = operation.kinds;
  for (char& kind : kinds) kind = kind == 'b' ? 'h' : kind;
  DirectOperation direct(operation.operation, kinds, level);
  direct.set(1, 0, input);
  direct.run();
  const double x = value_of(operation.kinds[1], input);
  return Domain(operation).errors<Quad>(x, value_of(operation.kinds[0], direct.get(0)),
                                        operation.exact(x));
}

}  // namespace warpmark::cpu
