// Arithmetic at its edge values, against references that share nothing with the device, and the
// same bits from every level of the processor's instruction set.
//
// NaNs, divisions by zero and conversions of NaN, which the PTX ISA leaves open in part, are
// expected as an H200 was seen to give them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "device/support/operation.hpp"
#include "machine/soft_fma.hpp"

namespace warpmark::cpu {
namespace {

TEST(Numerics, FloatArithmetic) {
  check("add.f32", "fff", [](U a, U b, U) { return canonical(f32(a) + f32(b)); });
  check("sub.f32", "fff", [](U a, U b, U) { return canonical(f32(a) - f32(b)); });
  check("mul.rn.f32", "fff", [](U a, U b, U) { return canonical(f32(a) * f32(b)); });
  check("div.rn.f32", "fff", [](U a, U b, U) { return canonical(f32(a) / f32(b)); });
  check("fma.rn.f32", "ffff",
        [](U a, U b, U c) { return canonical(std::fma(f32(a), f32(b), f32(c))); });
  check("sqrt.rn.f32", "ff", [](U a, U, U) { return canonical(std::sqrt(f32(a))); });
  check("rcp.rn.f32", "ff", [](U a, U, U) { return canonical(1.0f / f32(a)); });
  check("add.f64", "FFF", [](U a, U b, U) { return with_payload(f64(a) + f64(b), {b, a}); });
  check("mul.f64", "FFF", [](U a, U b, U) { return with_payload(f64(a) * f64(b), {b, a}); });
  check("div.rn.f64", "FFF", [](U a, U b, U) { return with_payload(f64(a) / f64(b), {a, b}); });
  check("fma.rn.f64", "FFFF", [](U a, U b, U c) {
    return with_payload(std::fma(f64(a), f64(b), f64(c)), {b, c, a});
  });
  check("sqrt.rn.f64", "FF", [](U a, U, U) { return with_payload(std::sqrt(f64(a)), {a}); });
  check("neg.f32", "ff", [](U a, U, U) { return canonical(-f32(a)); });
  // A binary64 NaN keeps its sign and becomes quiet (measured on an H200).
  const U quiet = U{1} << 51, sign = U{1} << 63;
  check("abs.f64", "FF", [&](U a, U, U) { return std::isnan(f64(a)) ? a | quiet : a & ~sign; });
  check("neg.f64", "FF", [&](U a, U, U) { return std::isnan(f64(a)) ? a | quiet : a ^ sign; });
  check("cvt.ftz.f64.f32", "Ff", [](U a, U, U) -> U {  // canonical, as of binary32, then widened
    if (std::isnan(f32(a))) return 0x7fffffffe0000000;
    return (a & 0x7f800000) == 0 ? (a & 0x80000000) << 32 : std::bit_cast<U>(double{f32(a)});
  });
}

template <typename T>
T smaller(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

TEST(Numerics, MinimumAndMaximumPreferNumbersAndOrderZeros) {
  check("min.f32", "fff", [](U a, U b, U) { return canonical(smaller(f32(a), f32(b))); });
  check("max.f32", "fff", [](U a, U b, U) { return canonical(-smaller(-f32(a), -f32(b))); });
  check("min.f64", "FFF", [](U a, U b, U) {
    return with_payload(smaller(f64(a), f64(b)), {b, a});
  });
  check("min.s32", "rrr",
        [](U a, U b, U) { return U(std::min(std::int32_t(a), std::int32_t(b))); });
  check("max.u64", "RRR", [](U a, U b, U) { return std::max(a, b); });
}

TEST(Numerics, FlushingToZeroKeepsSigns) {
  const auto flush = [](double x) { return std::fabs(x) < 0x1p-126 ? std::copysign(0.0, x) : x; };
  // Products are exact in binary64. What rounds to 2^-126 with 24 bits is that, what needs the
  // fewer bits of a subnormal number for it is 0.
  const auto product = [&](U a, U b) {
    const double exact = flush(f32(a)) * flush(f32(b));
    const bool below = std::fabs(exact) < 0x1p-126 - 0x1p-151;
    return canonical(static_cast<float>(below ? std::copysign(0.0, exact) : exact));
  };
  check("mul.ftz.f32", "fff", Reference4([&](U a, U b, U, U) { return product(a, b); }),
        {{0x00800000, 0x3f7fffff, 0, 0},    // 2^-126 (1 - 2^-24), which is 0
         {0x80800001, 0x3f7ffffe, 0, 0}});  // -2^-126 (1 - 2^-46), which is -2^-126
  EXPECT_EQ(product(0x00800000, 0x3f7fffff), 0u);
  EXPECT_EQ(product(0x80800001, 0x3f7ffffe), 0x80800000u);
}

TEST(Numerics, IntegerDivisionNeverTraps) {
  check("div.s32", "rrr", [](U a, U b, U) {
    const auto x = std::int64_t(std::int32_t(a)), y = std::int64_t(std::int32_t(b));
    return y == 0 ? ~U{0} : U(x / y);
  });
  check("rem.s32", "rrr", [](U a, U b, U) {
    const auto x = std::int64_t(std::int32_t(a)), y = std::int64_t(std::int32_t(b));
    return y == 0 ? ~U{0} : U(x % y);
  });
  check("div.u64", "RRR", [](U a, U b, U) { return b == 0 ? ~U{0} : a / b; });
  check("rem.s64", "RRR", [](U a, U b, U) {
    return b == 0 ? ~U{0} : b == ~U{0} ? 0 : U(std::int64_t(a) % std::int64_t(b));
  });
}

TEST(Numerics, ShiftsClampAtTheWidth) {
  check("shl.b32", "rrr", [](U a, U b, U) { return b > 31 ? 0 : a << b; });
  check("shr.u32", "rrr", [](U a, U b, U) { return b > 31 ? 0 : a >> b; });
  check("shr.s32", "rrr",
        [](U a, U b, U) { return U(std::int64_t(std::int32_t(a)) >> std::min<U>(b, 63)); });
  check("shl.b64", "RRr", [](U a, U b, U) { return b > 63 ? 0 : a << b; });
  check("shr.s64", "RRr", [](U a, U b, U) { return U(std::int64_t(a) >> std::min<U>(b, 63)); });
  check("shr.s16", "hhr",
        [](U a, U b, U) { return U(std::int64_t(std::int16_t(a)) >> std::min<U>(b, 63)); });
  check("shf.l.wrap.b32", "rrrr",
        [](U a, U b, U c) { return (c & 31) == 0 ? b : b << (c & 31) | a >> (32 - (c & 31)); });
}

TEST(Numerics, ProductsOfEveryWidth) {
  check("mul.wide.s32", "Rrr",
        [](U a, U b, U) { return U(std::int64_t(std::int32_t(a)) * std::int32_t(b)); });
  check("mul.hi.s32", "rrr",
        [](U a, U b, U) { return U(std::int64_t(std::int32_t(a)) * std::int32_t(b) >> 32); });
  check("mul.hi.u64", "RRR", [](U a, U b, U) {
    const U ah = a >> 32, al = a & 0xffffffff, bh = b >> 32, bl = b & 0xffffffff;
    const U middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & 0xffffffff);
    return ah * bh + (middle >> 32) + (other >> 32);
  });
  check("mad.lo.s32", "rrrr", [](U a, U b, U c) { return a * b + c; });
  check("mul.lo.u16", "hhh", [](U a, U b, U) { return a * b; });
}

template <typename D, typename A>
U saturated(A value) {
  if (std::isnan(value)) return sizeof(A) == 4 && sizeof(D) <= 4 ? 0 : U{1} << (sizeof(D) * 8 - 1);
  const long double x = value;  // 64-bit mantissas hold every operand exactly
  if (x >= static_cast<long double>(std::numeric_limits<D>::max()))
    return U(std::numeric_limits<D>::max());
  if (x <= static_cast<long double>(std::numeric_limits<D>::min()))
    return U(std::numeric_limits<D>::min());
  return U(static_cast<D>(x));
}

TEST(Numerics, ConversionsSaturate) {
  check("cvt.rzi.s32.f32", "rf",
        [](U a, U, U) { return saturated<std::int32_t>(std::trunc(f32(a))); });
  check("cvt.rni.s32.f32", "rf",
        [](U a, U, U) { return saturated<std::int32_t>(std::nearbyint(f32(a))); });
  check("cvt.rzi.u32.f32", "rf",
        [](U a, U, U) { return saturated<std::uint32_t>(std::trunc(f32(a))); });
  check("cvt.rmi.s64.f32", "Rf",
        [](U a, U, U) { return saturated<std::int64_t>(std::floor(f32(a))); });
  check("cvt.rpi.u64.f64", "RF",
        [](U a, U, U) { return saturated<std::uint64_t>(std::ceil(f64(a))); });
  check("cvt.rzi.s32.f64", "rF",
        [](U a, U, U) { return saturated<std::int32_t>(std::trunc(f64(a))); });
  check("cvt.rni.f32.f32", "ff", [](U a, U, U) { return canonical(std::nearbyint(f32(a))); });
  check("cvt.rn.f32.f64", "fF", [](U a, U, U) {
    return std::isnan(f64(a)) ? (a >> 32 & 0x80000000) | 0x7fc00000 | (a >> 29 & 0x3fffff)
                              : canonical(static_cast<float>(f64(a)));
  });
  check("cvt.f64.f32", "Ff", [](U a, U, U) {
    return std::isnan(f32(a)) ? (a & 0x80000000) << 32 | 0x7ff8000000000000 | (a & 0x3fffff) << 29
                              : canonical(static_cast<double>(f32(a)));
  });
  check("cvt.rn.f32.u64", "fR", [](U a, U, U) { return canonical(static_cast<float>(a)); });
  check("cvt.rn.f64.s64", "FR",
        [](U a, U, U) { return canonical(static_cast<double>(std::int64_t(a))); });
  check("cvt.rn.f32.s32", "fr",
        [](U a, U, U) { return canonical(static_cast<float>(std::int32_t(a))); });
  check("cvt.s64.s32", "Rr", [](U a, U, U) { return U(std::int64_t(std::int32_t(a))); });
  check("cvt.s32.s8", "rr", [](U a, U, U) { return U(std::int64_t(std::int8_t(a))); });
  check("cvt.sat.f32.f32", "ff",
        [](U a, U, U) { return f32(a) > 0 ? canonical(std::min(f32(a), 1.0f)) : 0; });
}

TEST(Numerics, SoftFmaIsTheHardwares) {
  // std::fma is exact in glibc, whether by instruction or not.
  std::mt19937_64 random(5);
  const auto edges = edges64();
  for (int i = 0; i < 300000; ++i) {
    U a = random(), b = random(), c = random();
    if (i % 3 == 0) {  // exponents such that the sum nearly cancels
      a = (a & 0x800fffffffffffff) | U{0x3ff} << 52;
      b = (b & 0x800fffffffffffff) | U{0x3ff} << 52;
      c = canonical(-(f64(a) * f64(b))) + (random() % 3) - 1;
    } else if (i % 3 == 1) {
      a = edges[random() % edges.size()];
      b = edges[random() % edges.size()];
      c = random() % 2 ? edges[random() % edges.size()] : random();
    }
    ASSERT_EQ(canonical(soft_fma(f64(a), f64(b), f64(c))),
              canonical(std::fma(f64(a), f64(b), f64(c))))
        << std::hex << a << " " << b << " " << c;
    const U x = a >> 32, y = b >> 32,
            z = i % 3 == 0 ? canonical(-(f32(x) * f32(y))) + random() % 3 - 1 : c >> 32;
    ASSERT_EQ(canonical(soft_fma(f32(x), f32(y), f32(z))),
              canonical(std::fma(f32(x), f32(y), f32(z))))
        << std::hex << x << " " << y << " " << z;
  }
}

}  // namespace
}  // namespace warpmark::cpu
