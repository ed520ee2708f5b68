// Correctly rounded results, from sums and products in binary128 that lose nothing.
#pragma once

#include <quadmath.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace warpmark::cpu {

__extension__ using Quad = __float128;

enum class Direction { nearest, zero, down, up };

/// A number, and on which side of it the true result lies if it is not exactly that.
struct Exact {
  Quad value = 0;
  int beyond = 0;  ///< −1, 0 or 1
};

inline int sign_of(Quad value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/// a + b; what the addition loses is itself a number (Knuth's TwoSum), of which the sign is enough.
inline Exact sum_of(Quad a, Quad b) {
  const Quad sum = a + b, part = sum - a;
  return {sum, sign_of((a - (sum - part)) + (b - part))};
}
/// a × b + c for numbers of at most 56 bits, whose product binary128 holds exactly.
inline Exact fused_of(Quad a, Quad b, Quad c) {
  return sum_of(a * b, c);
}
/// Quotients and roots of numbers of at most 53 bits lie no nearer than 2^-109 (relative) to a
/// number of 54 bits that they are not equal to, so one rounding to 113 bits cannot mislead a
/// second one.
inline Exact quotient_of(Quad a, Quad b) {
  return {a / b, 0};
}
inline Exact root_of(Quad a) {
  return {sqrtq(a), 0};
}

/// A binary format: bits of the fraction, of the exponent.
struct Binary {
  int fraction, exponent;
  [[nodiscard]] int bias() const { return (1 << (exponent - 1)) - 1; }
  [[nodiscard]] std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent) - 1) << fraction;
  }
  [[nodiscard]] std::uint64_t sign_bit() const { return std::uint64_t{1} << (fraction + exponent); }
};
constexpr Binary kBinary16{10, 5}, kBfloat16{7, 8}, kBinary32{23, 8}, kBinary64{52, 11};

/// The value of a finite pattern.
inline Quad value_in(const Binary& format, std::uint64_t pattern) {
  const std::uint64_t fraction = pattern & ((std::uint64_t{1} << format.fraction) - 1);
  const auto exponent =
      static_cast<int>(pattern >> format.fraction & ((1u << format.exponent) - 1));
  const auto whole =
      static_cast<Quad>(exponent == 0 ? fraction : fraction | std::uint64_t{1} << format.fraction);
  const Quad magnitude =
      ldexpq(whole, (exponent == 0 ? 1 : exponent) - format.bias() - format.fraction);
  return (pattern & format.sign_bit()) != 0 ? -magnitude : magnitude;
}

/// The pattern that a number rounds to. An exact zero has the sign of `negative_zero`.
inline std::uint64_t rounded(const Binary& format, Exact exact, Direction direction,
                             bool negative_zero = false) {
  Quad value = exact.value;
  if (value == 0 && exact.beyond == 0) return negative_zero ? format.sign_bit() : 0;
  const bool negative = value < 0 || (value == 0 && exact.beyond < 0);
  int beyond = negative ? -exact.beyond : exact.beyond;  // of the magnitude
  value = fabsq(value);
  int exponent = 0;
  frexpq(value, &exponent);  // value = m × 2^exponent, m in [1/2, 1)
  const int least = 1 - format.bias();
  const int last = (exponent - 1 > least ? exponent - 1 : least) - format.fraction;
  const Quad units = ldexpq(value, -last);
  Quad whole = floorq(units);
  Quad rest = units - whole;
  if (rest == 0 && beyond < 0 && whole > 0) {  // just below a number of the format
    whole -= 1;
    rest = 1;
  }
  const bool any = rest != 0 || beyond != 0;
  const Quad half = 0.5;
  const int to_half = rest != half ? sign_of(rest - half) : beyond;
  bool away = false;
  switch (direction) {
    case Direction::nearest:
      away = to_half > 0 || (to_half == 0 && fmodq(whole, 2) != 0);
      break;
    case Direction::zero:
      break;
    case Direction::down:
      away = any && negative;
      break;
    case Direction::up:
      away = any && !negative;
      break;
  }
  if (away) whole += 1;
  // Patterns of one sign count on from subnormal through normal numbers to infinity.
  const auto pattern =
      static_cast<std::uint64_t>(whole) +
      (static_cast<std::uint64_t>(last + format.fraction - least) << format.fraction);
  const std::uint64_t sign = negative ? format.sign_bit() : 0;
  if (last + format.fraction > format.bias() || pattern >= format.infinity()) {
    const bool to_infinity = direction == Direction::nearest ||
                             direction == (negative ? Direction::down : Direction::up);
    return sign | (to_infinity ? format.infinity() : format.infinity() - 1);
  }
  return sign | pattern;
}

}  // namespace warpmark::cpu
