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

#include "machine/arena.hpp"
#include "machine/grid.hpp"
#include "machine/lanes.hpp"
#include "machine/soft_fma.hpp"
#include "program/program.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

using U = std::uint64_t;

// Runs `d = op(a, b, c)` for all operands at once at one instruction-set level. `kinds` gives the
// register types of d, a, b, c: f F (32 and 64 bits), r R (integers), h (16 bits).
std::vector<U> run_op(int level, const std::string& op, const std::string& kinds,
                      const std::vector<std::array<U, 3>>& operands) {
  const auto name = [](char kind, int index) {
    const std::string prefix = kind == 'f'   ? "%f"
                               : kind == 'F' ? "%fd"
                               : kind == 'r' ? "%r"
                               : kind == 'R' ? "%rd"
                                             : "%rs";
    return prefix + std::to_string(index);
  };
  const auto type = [](char kind) {
    return std::string(kind == 'f'   ? "f32"
                       : kind == 'F' ? "f64"
                       : kind == 'r' ? "u32"
                       : kind == 'R' ? "u64"
                                     : "u16");
  };
  std::string body =
      "ld.param.u64 %rd10, [in]; ld.param.u64 %rd11, [out]; mov.u32 %r10, %tid.x; mov.u32 %r11, "
      "%ctaid.x; "
      "mov.u32 %r12, %ntid.x; mad.lo.s32 %r10, %r11, %r12, %r10; mul.wide.u32 %rd12, %r10, 24; "
      "add.s64 %rd10, %rd10, %rd12; "
      "mul.wide.u32 %rd12, %r10, 8; add.s64 %rd11, %rd11, %rd12;\n";
  std::string line = op + " " + name(kinds[0], 0);
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    body += "ld.global." + type(kinds[i]) + " " + name(kinds[i], static_cast<int>(i)) +
            ", [%rd10+" + std::to_string((i - 1) * 8) + "];\n";
    line += ", " + name(kinds[i], static_cast<int>(i));
  }
  body += line + ";\nst.global." + type(kinds[0]) + " [%rd11], " + name(kinds[0], 0) + ";\nret;\n";
  const Module module = parse_ptx(
      ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out)\n{ "
      ".reg .b16 %rs<20>; .reg .b32 %r<20>; "
      ".reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .f64 %fd<20>;\n" +
      body + "}\n");
  Program program = decode(module, module.functions[0], Placement{});
  bind(program, *handlers_of_level(level, true));
  Arena arena(std::uint64_t{1} << 30, std::uint64_t{256} << 20);
  const U in = arena.allocate(operands.size() * 24), out = arena.allocate(operands.size() * 8);
  std::memcpy(arena.host(in), operands.data(), operands.size() * 24);
  LaunchShape shape;
  shape.block = {32, 1, 1};
  shape.grid = {static_cast<std::uint32_t>(operands.size() / 32), 1, 1};
  shape.parameters.resize(16);
  std::memcpy(shape.parameters.data(), &in, 8);
  std::memcpy(shape.parameters.data() + 8, &out, 8);
  const LaunchResult result = run_grid(program, shape, arena);
  EXPECT_EQ(result.faults.size(), 0u) << op;
  std::vector<U> values(operands.size());
  std::memcpy(values.data(), arena.host(out), values.size() * 8);
  return values;
}

float f32(U bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
double f64(U bits) {
  return std::bit_cast<double>(bits);
}
U canonical(float value) {
  return std::isnan(value) ? 0x7fffffff : std::bit_cast<std::uint32_t>(value);
}
// A binary64 result: a NaN is the first NaN of `sources`, made quiet.
U with_payload(double value, std::initializer_list<U> sources) {
  if (!std::isnan(value)) return std::bit_cast<U>(value);
  for (const U source : sources) {
    if (std::isnan(f64(source))) return source | U{1} << 51;
  }
  return 0xfff8000000000000;
}
U canonical(double value) {
  return with_payload(value, {});
}

std::vector<U> edges32() {
  return {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
          0xbf800000, 0x3f800001, 0x40490fdb, 0x4b800000, 0x4b7fffff, 0x4f000000, 0x4effffff,
          0xcf000000, 0x4f800000, 0x5f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
          0x7fc00000, 0x7f800001, 0xffc12345, 0x3f000000, 0x3fc00000, 0xbf000000, 0x40200000,
          0x42fe0000, 0x437f0000, 0x7fffffff, 0xffffffff};
}
std::vector<U> edges64() {
  std::vector<U> edges = {0,
                          U{1} << 63,
                          1,
                          0x000fffffffffffff,
                          0x0010000000000000,
                          0x3ff0000000000001,
                          0x7fefffffffffffff,
                          0x7ff0000000000000,
                          0xfff0000000000000,
                          0x7ff8000000000001,
                          0xfff0000000000001,
                          0x43e0000000000000,
                          0xc3e0000000000000,
                          0x43f0000000000000,
                          0x36a0000000000000,
                          0x3690000000000000,
                          0x47efffffe0000000,
                          0x47effffff0000000,
                          0x380fffffffffffff,
                          0x7fffffffffffffff};
  for (const double value : {1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 2147483648.0, -2147483649.0,
                             4294967296.0, 255.0, 0.1, 1e300}) {
    edges.push_back(std::bit_cast<U>(value));
  }
  return edges;
}
std::vector<U> edges_int(int bits) {
  const U top = U{1} << (bits - 1);
  std::vector<U> edges = {0,     1,       2,
                          3,     5,       7,
                          31,    32,      33,
                          63,    64,      65,
                          255,   256,     top - 1,
                          top,   top + 1, ~U{0},
                          ~U{1}, top / 2, top | top / 2,
                          10,    100,     0x5555555555555555};
  std::mt19937_64 random(99);
  while (edges.size() < 32) edges.push_back(random());
  for (U& edge : edges) edge &= bits == 64 ? ~U{0} : (U{1} << bits) - 1;
  return edges;
}
std::vector<U> edges_of(char kind) {
  return kind == 'f'   ? edges32()
         : kind == 'F' ? edges64()
                       : edges_int(kind == 'r'   ? 32
                                   : kind == 'R' ? 64
                                                 : 16);
}

// All triples (or pairs, or single values) of edges, and random bits; a multiple of 32.
std::vector<std::array<U, 3>> operand_table(const std::string& kinds) {
  std::vector<std::array<U, 3>> table;
  std::mt19937_64 random(20240301);
  const auto& a = edges_of(kinds[1]);
  const auto& b = kinds.size() > 2 ? edges_of(kinds[2]) : std::vector<U>{0};
  const auto& c = kinds.size() > 3 ? edges_of(kinds[3]) : std::vector<U>{0};
  for (const U x : a)
    for (const U y : b)
      for (const U z : c) table.push_back({x, y, z});
  for (int i = 0; i < 2000; ++i) table.push_back({random(), random(), random()});
  while (table.size() % 32 != 0) table.push_back({0, 0, 0});
  return table;
}

using Reference = U (*)(U, U, U);
void check(const std::string& op, const std::string& kinds, Reference reference) {
  const auto table = operand_table(kinds);
  const U mask = kinds[0] == 'F' || kinds[0] == 'R' ? ~U{0} : kinds[0] == 'h' ? 0xffff : 0xffffffff;
  const auto cut = [](char kind, U value) {
    return kind == 'F' || kind == 'R' ? value : kind == 'h' ? value & 0xffff : value & 0xffffffff;
  };
  for (const int level : {2, 3, 4}) {
    if (handlers_of_level(level, true) == nullptr) continue;
    const std::vector<U> values = run_op(level, op, kinds, table);
    int shown = 0;
    for (std::size_t i = 0; i < table.size() && shown < 5; ++i) {
      const U a = cut(kinds[1], table[i][0]), b = kinds.size() > 2 ? cut(kinds[2], table[i][1]) : 0,
              c = kinds.size() > 3 ? cut(kinds[3], table[i][2]) : 0;
      const U want = reference(a, b, c) & mask;
      if (values[i] == want) continue;
      ++shown;
      ADD_FAILURE() << op << " at level " << level << std::hex << " of " << a << ", " << b << ", "
                    << c << ": got " << values[i] << ", want " << want;
    }
  }
}

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
  check("abs.f64", "FF", [](U a, U, U) { return std::isnan(f64(a)) ? a : a & ~(U{1} << 63); });
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
  check("mul.ftz.f32", "fff", [](U a, U b, U) {
    const auto flush = [](float x) {
      return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
    };
    return canonical(flush(flush(f32(a)) * flush(f32(b))));
  });
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
