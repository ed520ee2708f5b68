// Exact product and sum in 128-bit integers, rounded once.
#include "machine/soft_fma.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace warpmark::cpu {
namespace {

__extension__ using Wide = unsigned __int128;

struct Binary32 {
  using Real = float;
  using Bits = std::uint32_t;
  static constexpr int fraction = 23, exponent_mask = 0xff, bias = 127;
};
struct Binary64 {
  using Real = double;
  using Bits = std::uint64_t;
  static constexpr int fraction = 52, exponent_mask = 0x7ff, bias = 1023;
};

// sign × significand × 2^exponent, significand an integer.
struct Parts {
  bool negative;
  std::uint64_t significand;
  int exponent;
};

template <typename F>
Parts split(typename F::Bits bits) {
  const auto exponent = static_cast<int>(bits >> F::fraction) & F::exponent_mask;
  const std::uint64_t fraction = bits & ((typename F::Bits{1} << F::fraction) - 1);
  const bool negative = (bits >> (sizeof(bits) * 8 - 1)) != 0;
  if (exponent == 0) return {negative, fraction, 1 - F::bias - F::fraction};
  return {negative, fraction | std::uint64_t{1} << F::fraction, exponent - F::bias - F::fraction};
}

// As the processor's control register has it, so that the caller's mode holds here, too.
enum class Rounding : unsigned { nearest, down, up, zero };
Rounding current_rounding() {
  return static_cast<Rounding>(_mm_getcsr() >> 13 & 3);
}

int width(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 128 - std::countl_zero(high)
                   : 64 - std::countl_zero(static_cast<std::uint64_t>(value));
}

// Shifts right and keeps whether anything was lost in the lowest bit, which is all that rounding
// needs to know of the bits beyond the first two.
Wide shift_sticky(Wide value, int by) {
  if (by <= 0) return value;
  if (by > 127) return value != 0 ? 1 : 0;
  const Wide lost = value & ((Wide{1} << by) - 1);
  return value >> by | (lost != 0 ? 1 : 0);
}

template <typename F>
typename F::Real assemble(bool negative, Wide value, int exponent) {
  using Bits = typename F::Bits;
  const Bits sign = negative ? Bits{1} << (sizeof(Bits) * 8 - 1) : Bits{0};
  // The exponent of the result's last place: of a normal number from its width, at least that of
  // subnormals.
  const int least = 1 - F::bias - F::fraction;
  int last = std::max(exponent + width(value) - (F::fraction + 1), least);
  // Two bits below the last place: the half and the sticky bit.
  Wide scaled = last - 2 >= exponent ? shift_sticky(value, last - 2 - exponent)
                                     : value << (exponent - (last - 2));
  auto kept = static_cast<std::uint64_t>(scaled >> 2);
  const auto rest = static_cast<unsigned>(scaled & 3);
  const Rounding rounding = current_rounding();
  const bool away = rounding == (negative ? Rounding::down : Rounding::up);
  if (rounding == Rounding::nearest ? rest > 2 || (rest == 2 && (kept & 1) != 0)
                                    : away && rest != 0)
    ++kept;
  if (kept >> (F::fraction + 1) != 0) {
    kept >>= 1;
    ++last;
  }
  if (kept >> F::fraction == 0)
    return std::bit_cast<typename F::Real>(static_cast<Bits>(sign | kept));
  const int biased = last - least + 1;
  if (biased >= F::exponent_mask) {
    // Overflow: the greatest finite number where the mode does not round away from zero.
    const Bits infinity = static_cast<Bits>(F::exponent_mask) << F::fraction;
    if (rounding != Rounding::nearest && !away)
      return std::bit_cast<typename F::Real>(static_cast<Bits>(sign | (infinity - 1)));
    return std::bit_cast<typename F::Real>(
        static_cast<Bits>(sign | static_cast<Bits>(F::exponent_mask) << F::fraction));
  }
  const Bits fraction = static_cast<Bits>(kept) & ((Bits{1} << F::fraction) - 1);
  return std::bit_cast<typename F::Real>(
      static_cast<Bits>(sign | static_cast<Bits>(biased) << F::fraction | fraction));
}

template <typename F>
typename F::Real fused(typename F::Real a, typename F::Real b, typename F::Real c) {
  using Bits = typename F::Bits;
  const auto finite = [](typename F::Real x) {
    return (static_cast<int>(std::bit_cast<Bits>(x) >> F::fraction) & F::exponent_mask) !=
           F::exponent_mask;
  };
  // Infinities and NaNs: the product of infinite factors is exact, and a finite product cannot turn
  // an infinite or NaN addend into anything else (it may overflow here, but then only to infinity
  // of its own sign, so the addend is taken alone).
  if (!finite(a) || !finite(b)) return a * b + c;
  if (!finite(c)) return c + c;
  Parts x = split<F>(std::bit_cast<Bits>(a)), y = split<F>(std::bit_cast<Bits>(b)),
        z = split<F>(std::bit_cast<Bits>(c));
  const bool negative = x.negative != y.negative;
  Wide product = static_cast<Wide>(x.significand) * y.significand;
  int exponent = x.exponent + y.exponent;
  if (product == 0) return z.significand == 0 ? a * b + c : c;
  if (z.significand == 0) return assemble<F>(negative, product, exponent);
  // Both go to the top of 126 bits, one is shifted down to the other's exponent. The larger keeps
  // at least 20 bits below its own last bit, so a sticky bit for the smaller is enough: when the
  // leading bits cancel, the exponents are so close that nothing was lost.
  Wide addend = z.significand;
  int addend_exponent = z.exponent;
  const int product_shift = 126 - width(product), addend_shift = 126 - width(addend);
  product <<= product_shift;
  exponent -= product_shift;
  addend <<= addend_shift;
  addend_exponent -= addend_shift;
  if (exponent >= addend_exponent) {
    addend = shift_sticky(addend, exponent - addend_exponent);
  } else {
    product = shift_sticky(product, addend_exponent - exponent);
    exponent = addend_exponent;
  }
  if (negative == z.negative) return assemble<F>(negative, product + addend, exponent);
  if (product == addend) return current_rounding() == Rounding::down ? -0.0f : 0.0f;
  return product > addend ? assemble<F>(negative, product - addend, exponent)
                          : assemble<F>(z.negative, addend - product, exponent);
}

}  // namespace

float soft_fma(float a, float b, float c) {
  return fused<Binary32>(a, b, c);
}
double soft_fma(double a, double b, double c) {
  return fused<Binary64>(a, b, c);
}

}  // namespace warpmark::cpu
