// Bit fields, bytes, carries, saturation and directed roundings, against independent references.
#include <cfenv>
#include <cmath>

#include "device/support/operation.hpp"

namespace warpmark::cpu {
namespace {

using S32 = std::int32_t;
using S64 = std::int64_t;
__extension__ using Wide = unsigned __int128;

// bfe as the PTX ISA's pseudo-code has it, one bit after the other; but an H200 was measured to
// take all 32 bits of a position and a length in 64-bit fields, not 8.
U extract(U a, U position, U length, int width, bool sign) {
  const U range = width == 64 ? 0xffffffff : 0xff;
  position &= range;
  length &= range;
  const int msb = width - 1;
  const U last = std::min<U>(position + length - 1, static_cast<U>(msb));
  const bool fill = sign && length != 0 && (a >> last & 1) != 0;
  U result = 0;
  for (int i = 0; i <= msb; ++i) {
    const bool inside =
        static_cast<U>(i) < length && position + static_cast<U>(i) <= static_cast<U>(msb);
    const bool bit = inside ? (a >> (position + static_cast<U>(i)) & 1) != 0 : fill;
    result |= static_cast<U>(bit) << i;
  }
  return result;
}
U insert(U a, U b, U position, U length, int width) {
  const U range = width == 64 ? 0xffffffff : 0xff;
  for (U i = 0; i < (length & range) && (position & range) + i < static_cast<U>(width); ++i) {
    const U at = (position & range) + i;
    b = (b & ~(U{1} << at)) | (a >> i & 1) << at;
  }
  return b;
}

TEST(Forms, BitFields) {
  check("bfe.u32", "rrrr", [](U a, U b, U c) { return extract(a, b, c, 32, false); });
  check("bfe.s32", "rrrr", [](U a, U b, U c) { return extract(a, b, c, 32, true); });
  check("bfe.u64", "RRrr", [](U a, U b, U c) { return extract(a, b, c, 64, false); });
  check("bfe.s64", "RRrr", [](U a, U b, U c) { return extract(a, b, c, 64, true); });
  std::vector<std::array<U, 4>> small;
  for (U i = 0; i < 4096; ++i) small.push_back({i * 0x9e3779b97f4a7c15, ~i * 77, i % 70, i % 67});
  for (U i = 0; i < 512; ++i)  // beyond 8 bits
    small.push_back({i * 0x9e3779b97f4a7c15, ~i * 77, i % 5 << 8 | i % 64, i % 3 << 8 | i % 67});
  check(
      "bfi.b32", "rrrrr", [](U a, U b, U c, U e) { return insert(a, b, c, e, 32); }, small);
  check(
      "bfi.b64", "RRRrr", [](U a, U b, U c, U e) { return insert(a, b, c, e, 64); }, small);
  const auto leading = [](U a) {
    U at = 0xffffffff;
    for (U i = 0; i < 64; ++i) at = (a >> i & 1) != 0 ? i : at;
    return at;
  };
  check("bfind.u32", "rr", [&](U a, U, U) { return leading(a); });
  check("bfind.s64", "rR", [&](U a, U, U) { return leading(S64(a) < 0 ? ~a : a); });
  check("bfind.shiftamt.u32", "rr",
        [&](U a, U, U) { return a == 0 ? 0xffffffff : 31 - leading(a); });
  check("bmsk.clamp.b32", "rrr",
        [](U a, U b, U) { return a > 31 ? 0 : (b > 31 ? 0xffffffff : (U{1} << b) - 1) << a; });
  check("szext.clamp.s32", "rrr", [](U a, U b, U) {
    return b == 0 ? 0 : b > 31 ? a : U(S32(a << (32 - b)) >> (32 - b));
  });
  check("fns.b32", "rrrr", [](U mask, U base, U offset) {
    const auto wanted = std::int64_t(S32(offset));
    if (base > 31) return U{0xffffffff};
    if (wanted == 0) return (mask >> base & 1) != 0 ? base : U{0xffffffff};
    std::int64_t count = 0;
    for (auto i = std::int64_t(base); i >= 0 && i<32; i += wanted> 0 ? 1 : -1) {
      if ((mask >> i & 1) != 0 && ++count == std::abs(wanted)) return U(i);
    }
    return U{0xffffffff};
  });
}

TEST(Forms, BytesAndLogic) {
  check("prmt.b32", "rrrr", [](U a, U b, U c) {
    const U both = b << 32 | a;
    U result = 0;
    for (int i = 0; i < 4; ++i) {
      const U pick = c >> (4 * i) & 15;
      const U byte = both >> (8 * (pick & 7)) & 0xff;
      result |= ((pick & 8) != 0 ? (byte >> 7) * 0xff : byte) << (8 * i);
    }
    return result;
  });
  check("prmt.b32.rc16", "rrrr",
        [](U a, U, U c) { return (a >> (16 * (c & 1)) & 0xffff) * 0x10001; });
  check("prmt.b32.ecl", "rrrr", [](U a, U, U c) {
    U result = 0;
    for (U i = 0; i < 4; ++i) result |= (a >> (8 * std::max(i, c & 3)) & 0xff) << (8 * i);
    return result;
  });
  for (U table = 1; table < 256; table += 23) {
    check("lop3.b32 $0, $1, $2, $3, " + std::to_string(table), "rrrr", [&](U a, U b, U c) {
      U result = 0;
      for (int i = 0; i < 32; ++i) {
        const U row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        result |= (table >> row & 1) << i;
      }
      return result;
    });
  }
  check("dp4a.s32.u32", "rrrr", [](U a, U b, U c) {
    for (int i = 0; i < 4; ++i) c += U(S64(std::int8_t(a >> 8 * i)) * S64(b >> 8 * i & 0xff));
    return c;
  });
  check("dp2a.hi.u32.s32", "rrrr", [](U a, U b, U c) {
    for (int i = 0; i < 2; ++i)
      c += U(S64(a >> 16 * i & 0xffff) * S64(std::int8_t(b >> (16 + 8 * i))));
    return c;
  });
  check("mul24.hi.s32", "rrr",
        [](U a, U b, U) { return U(S64(S32(a << 8) >> 8) * (S32(b << 8) >> 8) >> 16); });
  check("mad24.lo.u32", "rrrr", [](U a, U b, U c) { return (a & 0xffffff) * (b & 0xffffff) + c; });
  // Differences of each 8 or 16 bits, as __vabsdiffu4 and __vsadu4 have them.
  for (const int lanes : {2, 4}) {
    for (const bool sign : {false, true}) {
      const std::string name = "vabsdiff" + std::to_string(lanes) +
                               (sign ? std::string(".u32.s32.s32") : std::string(".u32.u32.u32"));
      const int bits = 32 / lanes;
      const auto difference = [=](U a, U b, int lane) {
        const S64 range = S64{1} << bits;
        const auto value = [&](U of) {
          const S64 low = S64(of >> bits * lane) % range;
          return sign && low >= range / 2 ? low - range : low;
        };
        return U(std::abs(value(a) - value(b)));
      };
      check(name, "rrrr", [=](U a, U b, U) {
        U result = 0;
        for (int i = 0; i < lanes; ++i)
          result |= (difference(a, b, i) & ((U{1} << bits) - 1)) << bits * i;
        return result;
      });
      check(name + ".add", "rrrr", [=](U a, U b, U c) {
        for (int i = 0; i < lanes; ++i) c += difference(a, b, i);
        return c;
      });
    }
  }
  check("slct.u64.f32", "RRRf", [](U a, U b, U c) { return f32(c) >= 0 ? a : b; });
  check("add.sat.s32", "rrr", [](U a, U b, U) {
    return U(std::clamp<S64>(S64(S32(a)) + S32(b), -2147483648ll, 2147483647ll));
  });
  check("cvt.sat.s8.u32", "hr", [](U a, U, U) { return std::min<U>(a, 127); });
  check("cvt.sat.u16.s64", "hR", [](U a, U, U) { return U(std::clamp<S64>(S64(a), 0, 65535)); });
  check("cvt.sat.s32.s64", "rR",
        [](U a, U, U) { return U(std::clamp<S64>(S64(a), -2147483648ll, 2147483647ll)); });
  check("cvt.s64.s8", "RR", [](U a, U, U) { return U(S64(std::int8_t(a))); });
}

// Sequences, so that the flag is made and used: the last instruction's result is d.
TEST(Forms, CarriesCrossInstructions) {
  check("add.cc.u32 %r5, %r1, %r2; addc.u32", "rrr",
        [](U a, U b, U) { return a + b + ((a + b) >> 32); });
  check("sub.cc.u32 %r5, %r1, %r2; subc.u32", "rrr",
        [](U a, U b, U) { return a - b - (a < b ? 1 : 0); });
  // The flag of a subtraction is set where nothing is borrowed, as ptxas folds it.
  check("sub.cc.u32 %r5, %r1, %r2; addc.u32", "rrr",
        [](U a, U b, U) { return a + b + (a >= b ? 1 : 0); });
  check("sub.cc.u64 %rd5, %rd1, %rd2; subc.cc.u64 %rd5, %rd5, %rd1; addc.u64", "RRR",
        [](U a, U b, U) {
          const U first = a - b, borrow = a < b ? 1 : 0;
          return a + b + (Wide(first) >= Wide(a) + borrow ? 1 : 0);
        });
  check("add.cc.u32 %r5, %r1, %r2; subc.u32", "rrr",
        [](U a, U b, U) { return a - b - ((a + b) >> 32 != 0 ? 0 : 1); });
  check("mad.lo.cc.u32 %r5, %r1, %r2, %r3; madc.hi.u32", "rrrr",
        [](U a, U b, U c) { return (a * b >> 32) + c + (((a * b & 0xffffffff) + c) >> 32); });
  check("add.cc.u64 %rd5, %rd1, %rd2; addc.cc.u64 %rd5, %rd5, %rd1; addc.u64", "RRR",
        [](U a, U b, U) {
          const U first = a + b;
          const Wide second = Wide(first) + a + (first < a ? 1 : 0);
          return a + b + U(second >> 64);
        });
  check("mad.hi.cc.s64 %rd5, %rd1, %rd2, %rd1; addc.u64", "RRR", [](U a, U b, U) {
    __extension__ using Signed = __int128;
    const U high = U(Wide(Signed(S64(a)) * S64(b)) >> 64);
    return a + b + (high + a < a ? 1 : 0);
  });
}

template <typename Real, typename Op>
Real in_mode(int mode, Op op) {
  std::fesetround(mode);
  volatile Real result = op();
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(Forms, DirectedRoundings) {
  for (const auto& [name, mode] :
       {std::pair("rz", FE_TOWARDZERO), std::pair("rm", FE_DOWNWARD), std::pair("rp", FE_UPWARD)}) {
    const std::string r = name;
    const int m = mode;
    check("add." + r + ".f32", "fff", [m](U a, U b, U) {
      volatile float x = f32(a), y = f32(b);
      return canonical(in_mode<float>(m, [&] { return x + y; }));
    });
    check("mul." + r + ".f32", "fff", [m](U a, U b, U) {
      volatile float x = f32(a), y = f32(b);
      return canonical(in_mode<float>(m, [&] { return x * y; }));
    });
    check("fma." + r + ".f32", "ffff", [m](U a, U b, U c) {
      volatile float x = f32(a), y = f32(b), z = f32(c);
      return canonical(in_mode<float>(m, [&] { return std::fma(x, y, z); }));
    });
    check("div." + r + ".f32", "fff", [m](U a, U b, U) {
      volatile float x = f32(a), y = f32(b);
      return canonical(in_mode<float>(m, [&] { return x / y; }));
    });
    check("sqrt." + r + ".f32", "ff", [m](U a, U, U) {
      volatile float x = f32(a);
      return canonical(in_mode<float>(m, [&] { return std::sqrt(x); }));
    });
    check("sub." + r + ".f64", "FFF", [m](U a, U b, U) {
      volatile double x = f64(a), y = f64(b);
      return with_payload(in_mode<double>(m, [&] { return x - y; }), {b, a});
    });
    check("fma." + r + ".f64", "FFFF", [m](U a, U b, U c) {
      volatile double x = f64(a), y = f64(b), z = f64(c);
      return with_payload(in_mode<double>(m, [&] { return std::fma(x, y, z); }), {b, c, a});
    });
    check("rcp." + r + ".f64", "FF", [m](U a, U, U) {
      volatile double x = f64(a);
      return with_payload(in_mode<double>(m, [&] { return 1.0 / x; }), {a});
    });
    check("cvt." + r + ".f32.s64", "fR", [m](U a, U, U) {
      volatile S64 x = S64(a);
      return canonical(in_mode<float>(m, [&] { return static_cast<float>(x); }));
    });
    check("cvt." + r + ".f64.u64", "FR", [m](U a, U, U) {
      volatile U x = a;
      return canonical(in_mode<double>(m, [&] { return static_cast<double>(x); }));
    });
    check("cvt." + r + ".f32.u32", "fr", [m](U a, U, U) {
      volatile std::uint32_t x = static_cast<std::uint32_t>(a);
      return canonical(in_mode<float>(m, [&] { return static_cast<float>(x); }));
    });
    check("add." + r + ".sat.f32", "fff", [m](U a, U b, U) {
      volatile float x = f32(a), y = f32(b);
      const float sum = in_mode<float>(m, [&] { return x + y; });
      return canonical(sum > 0 ? std::min(sum, 1.0f) : 0.0f);
    });
  }
}

// The greatest error of an approximation in units of the reference's last place, or relative to
// `absolute` where that is larger; every level must give the same bits.
void approximate(const std::string& op, float low, float high, double ulps, double absolute,
                 long double (*reference)(long double)) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<std::array<U, 4>> table;
  for (int i = 0; i < 100000; ++i) {
    const float value = i % 2 == 0 ? uniform(random) : std::ldexp(uniform(random), -(i % 40));
    table.push_back({std::bit_cast<std::uint32_t>(value), 0, 0, 0});
  }
  while (table.size() % 32 != 0) table.push_back({0x3f800000, 0, 0, 0});
  const std::vector<U> values = run_op(2, op, "ff", table);
  for (const int level : {3, 4}) {
    if (handlers_of_level(level, Watch::bounds) == nullptr) continue;
    ASSERT_EQ(run_op(level, op, "ff", table), values) << op << " differs at level " << level;
  }
  double greatest = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const float x = f32(table[i][0]);
    if (x < low || x > high) continue;
    const long double exact = reference(x);
    if (std::fabs(exact) > 3e38L || std::fabs(exact) < 2e-38L) continue;
    const long double place = std::ldexp(1.0L, std::ilogb(exact) - 23);
    const long double error = std::fabs(f32(values[i]) - exact);
    if (error <= absolute) continue;
    greatest = std::max(greatest, static_cast<double>(error / place));
  }
  ::testing::Test::RecordProperty(op + " ulp", std::to_string(greatest));
  EXPECT_LE(greatest, ulps) << op;
}

TEST(Forms, ApproximationsKeepTheirBounds) {
  approximate("ex2.approx.f32", -126, 128, 0.501, 0, [](long double x) { return std::exp2(x); });
  approximate("lg2.approx.f32", 1e-37f, 3e38f, 0.501, 0,
              [](long double x) { return std::log2(x); });
  approximate("lg2.approx.f32", 0.9f, 1.1f, 0.501, 0, [](long double x) { return std::log2(x); });
  approximate("sin.approx.f32", -6.2831855f, 6.2831855f, 0.501, 0,
              [](long double x) { return std::sin(x); });
  approximate("cos.approx.f32", -314.0f, 314.0f, 0.501, 0,
              [](long double x) { return std::cos(x); });
  approximate("sin.approx.f32", -1e6f, 1e6f, 0.501, 0x1p-60,
              [](long double x) { return std::sin(x); });
  approximate("tanh.approx.f32", -12, 12, 0.501, 0, [](long double x) { return std::tanh(x); });
}

TEST(Forms, ApproximationsOfSpecialValues) {
  const auto values = [](const std::string& op) {
    std::vector<std::array<U, 4>> table;
    for (const U bits : {U{0}, U{0x80000000}, U{0x7f800000}, U{0xff800000}, U{0x7fc12345}, U{1},
                         U{0xbf800000}, U{0x3f800000}})
      table.push_back({bits, 0, 0, 0});
    while (table.size() < 32) table.push_back({0, 0, 0, 0});
    std::vector<U> results = run_op(2, op, "ff", table);
    results.resize(8);
    return results;
  };
  const U nan = 0x7fffffff, inf = 0x7f800000, one = 0x3f800000, minus = 0x80000000;
  EXPECT_EQ(values("ex2.approx.f32"),
            (std::vector<U>{one, one, inf, 0, nan, one, 0x3f000000, 0x40000000}));
  EXPECT_EQ(values("lg2.approx.f32"),
            (std::vector<U>{inf | minus, inf | minus, inf, nan, nan, 0xc3150000, nan, 0}));
  EXPECT_EQ(values("lg2.approx.ftz.f32")[5], inf | minus);
  EXPECT_EQ(values("sin.approx.f32")[1], minus);
  EXPECT_EQ(values("sin.approx.f32")[2], nan);
  EXPECT_EQ(values("cos.approx.f32")[0], one);
  EXPECT_EQ(values("tanh.approx.f32"),
            (std::vector<U>{0, minus, one, one | minus, nan, 1, 0xbf42f7d6, 0x3f42f7d6}));
}

}  // namespace
}  // namespace warpmark::cpu
