// binary16 and bfloat16 in every form, against roundings done in 64-bit significands.
#include <cfenv>
#include <cmath>

#include "device/support/operation.hpp"

namespace warpmark::cpu {
namespace {

struct Format {
  int fraction, bias;
};
constexpr Format kHalf = {10, 15}, kBrain = {7, 127};
enum class Mode { nearest, zero, down, up };

double decode(U pattern, Format format) {
  const int exponent = static_cast<int>(pattern >> format.fraction) & (2 * format.bias + 1);
  const U fraction = pattern & ((U{1} << format.fraction) - 1);
  const double sign = (pattern & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 2 * format.bias + 1)
    return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  const auto value =
      static_cast<double>(exponent == 0 ? fraction : fraction | U{1} << format.fraction);
  return sign * std::ldexp(value, std::max(exponent, 1) - format.bias - format.fraction);
}

U encode(long double value, Format format, Mode mode = Mode::nearest) {
  if (std::isnan(value)) return 0x7fff;
  const U sign = std::signbit(value) ? 0x8000 : 0;
  const U infinity = static_cast<U>(2 * format.bias + 1) << format.fraction;
  if (std::isinf(value)) return sign | infinity;
  const long double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  const long double units = std::ldexp(magnitude, format.fraction - exponent);
  long double whole = std::floor(units);
  const long double rest = units - whole;
  const bool odd = std::fmod(whole, 2.0L) != 0;
  if (mode == Mode::nearest ? rest > 0.5L || (rest == 0.5L && odd)
                            : rest != 0 && mode == (sign != 0 ? Mode::down : Mode::up))
    whole += 1;
  const U biased = static_cast<U>(exponent + format.bias - 1);
  const U pattern = (biased << format.fraction) + static_cast<U>(whole);
  if (pattern < infinity) return sign | pattern;
  const bool away = mode == Mode::nearest || mode == (sign != 0 ? Mode::down : Mode::up);
  return sign | (away ? infinity : infinity - 1);
}

// a·b + c, rounded to odd in binary64: the sum towards zero, its last bit set if it is not exact.
long double fused(double a, double b, double c) {
  std::feclearexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_TOWARDZERO);
  volatile double x = a, y = b, z = c;
  volatile double sum = std::fma(x, y, z);
  const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  std::fesetround(FE_TONEAREST);
  double result = sum;
  if (result == 0 && !inexact) result = a * b + c;  // the sign of an exact zero is nearest's
  return inexact && std::isfinite(result) ? f64(std::bit_cast<U>(result) | 1) : result;
}

struct Small : ::testing::TestWithParam<std::pair<const char*, Format>> {
  std::string type = GetParam().first;
  Format format = GetParam().second;
  [[nodiscard]] double of(U pattern) const { return decode(pattern & 0xffff, format); }
  [[nodiscard]] U to(long double value, Mode mode = Mode::nearest) const {
    return encode(value, format, mode);
  }
  // The scalar form, and the packed one on two halves.
  void both(const std::string& stem, int operands, const Reference& reference) const {
    const std::string kinds = std::string(static_cast<std::size_t>(operands) + 1, 'h');
    check(stem + "." + type, kinds, reference);
    check(stem + "." + type + "x2", std::string(kinds.size(), 'r'), [&](U a, U b, U c) {
      return reference(a & 0xffff, b & 0xffff, c & 0xffff) | reference(a >> 16, b >> 16, c >> 16)
                                                                 << 16;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Formats, Small,
                         ::testing::Values(std::pair("f16", kHalf), std::pair("bf16", kBrain)),
                         [](const auto& formats) { return std::string(formats.param.first); });

TEST_P(Small, ArithmeticRoundsOnce) {
  both("add", 2, [&](U a, U b, U) { return to(static_cast<long double>(of(a)) + of(b)); });
  both("sub.rn", 2, [&](U a, U b, U) { return to(static_cast<long double>(of(a)) - of(b)); });
  both("mul", 2, [&](U a, U b, U) { return to(static_cast<long double>(of(a)) * of(b)); });
  both("fma.rn", 3, [&](U a, U b, U c) { return to(fused(of(a), of(b), of(c))); });
  both("fma.rn.relu", 3, [&](U a, U b, U c) {
    const U result = to(fused(of(a), of(b), of(c)));
    return result == 0x7fff ? result : (result & 0x8000) != 0 ? 0 : result;
  });
  both("neg", 1, [&](U a, U, U) { return std::isnan(of(a)) ? 0x7fff : a ^ 0x8000; });
  both("abs", 1, [&](U a, U, U) { return std::isnan(of(a)) ? 0x7fff : a & 0x7fff; });
}

TEST_P(Small, MinimaAndComparisons) {
  const auto smaller = [&](U a, U b, bool greatest, bool keep_nan) -> U {
    const double x = of(a), y = of(b);
    if (std::isnan(x) || std::isnan(y)) {
      if (keep_nan || (std::isnan(x) && std::isnan(y))) return 0x7fff;
      return std::isnan(x) ? b : a;
    }
    if (x == y) return greatest ? a & b : a | b;  // −0 is less than +0
    return (x < y) != greatest ? a : b;
  };
  both("min", 2, [&](U a, U b, U) { return smaller(a, b, false, false); });
  both("max", 2, [&](U a, U b, U) { return smaller(a, b, true, false); });
  both("min.NaN", 2, [&](U a, U b, U) { return smaller(a, b, false, true); });
  both("max.NaN", 2, [&](U a, U b, U) { return smaller(a, b, true, true); });
  const U one = to(1.0L);
  check("set.lt." + type + "." + type, "hhh", [&](U a, U b, U) { return of(a) < of(b) ? one : 0; });
  check("set.neu.u32." + type, "rhh", [&](U a, U b, U) { return of(a) != of(b) ? 0xffffffff : 0; });
  check("set.gtu.u32." + type + "x2", "rrr", [&](U a, U b, U) {
    return (!(of(a) <= of(b)) ? 0xffff : 0) | (!(of(a >> 16) <= of(b >> 16)) ? 0xffff0000 : 0);
  });
  check("set.eq." + type + "x2." + type + "x2", "rrr", [&](U a, U b, U) {
    return (of(a) == of(b) ? one : 0) | (of(a >> 16) == of(b >> 16) ? one << 16 : 0);
  });
}

TEST_P(Small, ConversionsInEveryRounding) {
  for (const auto& [name, mode] : {std::pair("rn", Mode::nearest), std::pair("rz", Mode::zero),
                                   std::pair("rm", Mode::down), std::pair("rp", Mode::up)}) {
    const std::string stem = std::string("cvt.") + name + "." + type;
    check(stem + ".f32", "hf", [&, mode = mode](U a, U, U) { return to(f32(a), mode); });
    check(stem + ".f64", "hF", [&, mode = mode](U a, U, U) -> U {
      // To binary16 a NaN keeps its sign and the top of its payload (measured on an H200).
      if (type == "f16" && std::isnan(f64(a)))
        return ((a >> 48) & 0x8000) | 0x7e00 | ((a >> 42) & 0x3ff);
      return to(f64(a), mode);
    });
    check(stem + ".s32", "hr",
          [&, mode = mode](U a, U, U) { return to(static_cast<std::int32_t>(a), mode); });
    check(stem + ".u64", "hR", [&, mode = mode](U a, U, U) { return to(a, mode); });
    check(stem + ".s64", "hR",
          [&, mode = mode](U a, U, U) { return to(static_cast<std::int64_t>(a), mode); });
    check(stem + ".u16", "hh", [&, mode = mode](U a, U, U) { return to(a, mode); });
  }
  check("cvt.f32." + type, "fh", [&](U a, U, U) -> U {
    if (type == "bf16") return a << 16;  // a NaN keeps its payload, only the exponent's place moves
    return canonical(static_cast<float>(of(a)));
  });
  check("cvt.f64." + type, "Fh", [&](U a, U, U) -> U {
    const U sign = (a & 0x8000) << 48, payload = (a & 0x3ff) << 42;
    if (type == "f16" && std::isnan(of(a))) return sign | 0x7ff8000000000000 | payload;
    if (std::isnan(of(a))) return sign | 0x7ff8000000000000 | (a & 0x7f) << 45;
    return std::bit_cast<U>(of(a));
  });
  check("cvt.rn." + type + "x2.f32", "rff",
        [&](U a, U b, U) { return to(f32(b)) | to(f32(a)) << 16; });
  check("cvt.rni." + type + "." + type, "hh", [&](U a, U, U) { return to(std::nearbyint(of(a))); });
  check("cvt.rpi." + type + "." + type, "hh", [&](U a, U, U) { return to(std::ceil(of(a))); });
  check("cvt.rzi.s32." + type, "rh", [&](U a, U, U) {
    const double value = std::trunc(of(a));
    if (std::isnan(value)) return U{0};
    return U(static_cast<std::int64_t>(std::clamp(value, -2147483648.0, 2147483647.0)));
  });
}

TEST(SmallFloats, SaturationAndFlushingOfBinary16) {
  const auto of = [](U a) { return decode(a & 0xffff, kHalf); };
  const auto unit = [](long double x) { return encode(x > 0 ? std::min(x, 1.0L) : 0, kHalf); };
  check("add.sat.f16", "hhh", [&](U a, U b, U) { return unit(of(a) + of(b)); });
  check("fma.rn.sat.f16", "hhhh", [&](U a, U b, U c) { return unit(fused(of(a), of(b), of(c))); });
  // A result that rounds to 2^-14 with 11 bits is 2^-14; one that does so only with the fewer bits
  // of a subnormal number is 0 (measured on an H200: the two products below).
  const auto flush = [](U a) { return (a & 0x7c00) == 0 ? a & 0x8000 : a; };
  const auto finish = [&](long double exact) {
    const bool below = std::fabs(exact) < 0x1p-14L - 0x1p-26L;
    return below ? (std::signbit(exact) ? U{0x8000} : U{0}) : encode(exact, kHalf);
  };
  const auto product = [&](U a, U b) {
    return finish(static_cast<long double>(of(flush(a))) * of(flush(b)));
  };
  check("mul.ftz.f16", "hhh", Reference4([&](U a, U b, U, U) { return product(a, b); }),
        {{0xa259, 0x9d0a, 0, 0}, {0x0400, 0x3bff, 0, 0}, {0x0401, 0x3bfe, 0, 0}});
  EXPECT_EQ(product(0xa259, 0x9d0a), 0u);
  EXPECT_EQ(product(0x0401, 0x3bfe), 0x0400u);
  check("fma.rn.ftz.f16", "hhhh", Reference4([&](U a, U b, U c, U) {
          return finish(fused(of(flush(a)), of(flush(b)), of(flush(c))));
        }),
        {{0xa259, 0x9d0a, 0x8000, 0}, {0x0401, 0x3bfe, 0, 0}});
}

}  // namespace
}  // namespace warpmark::cpu
