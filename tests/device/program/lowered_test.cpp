// Instructions that the decoder makes of others, and rare forms, against independent references.
#include <algorithm>
#include <cfenv>
#include <cmath>

#include "device/support/operation.hpp"

namespace warpmark::cpu {
namespace {

using S32 = std::int32_t;
using S64 = std::int64_t;

bool holds(const std::string& cmp, double a, double b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  if (cmp == "num") return !nan;
  if (cmp == "nan") return nan;
  const std::string base = cmp.substr(0, 2);
  const bool unordered = cmp.size() == 3;
  if (nan) return unordered;
  return base == "eq"   ? a == b
         : base == "ne" ? a != b
         : base == "lt" ? a < b
         : base == "le" ? a <= b
         : base == "gt" ? a > b
                        : a >= b;
}
double half(U a) {
  const int exponent = static_cast<int>(a >> 10 & 31);
  const auto fraction = static_cast<double>(a & 0x3ff);
  const double sign = (a & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31)
    return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign * std::ldexp(fraction + (exponent > 0 ? 1024 : 0), std::max(exponent, 1) - 25);
}
double brain(U a) {
  return f32(a << 16);
}
float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

TEST(Lowered, SetOfEveryComparison) {
  for (const std::string cmp : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
                                "gtu", "geu", "num", "nan"}) {
    check("set." + cmp + ".u32.f32", "rff",
          [&](U a, U b, U) { return holds(cmp, f32(a), f32(b)) ? ~U{0} : 0; });
    check("set." + cmp + ".f32.f64", "fFF",
          [&](U a, U b, U) { return holds(cmp, f64(a), f64(b)) ? 0x3f800000 : 0; });
    check("set." + cmp + ".ftz.s32.f32", "rff",
          [&](U a, U b, U) { return holds(cmp, flushed(f32(a)), flushed(f32(b))) ? ~U{0} : 0; });
    check("setp.lt.u32 %p1, $3, 7; set." + cmp + ".xor.f16.f16 $0, $1, $2, !%p1", "hhhr",
          [&](U a, U b, U c) { return holds(cmp, half(a), half(b)) != (c >= 7) ? 0x3c00 : 0; });
    check("set." + cmp + ".bf16x2.bf16x2", "rrr", [&](U a, U b, U) {
      const U low = holds(cmp, brain(a & 0xffff), brain(b & 0xffff)) ? 0x3f80 : 0;
      return low | (holds(cmp, brain(a >> 16), brain(b >> 16)) ? 0x3f800000 : 0);
    });
    // One result alone is that of the low halves, as on an H200.
    check("setp." + cmp + ".f16x2 %p1, $1, $2; selp.b32 $0, 1, 0, %p1", "rrr",
          [&](U a, U b, U) { return U{holds(cmp, half(a & 0xffff), half(b & 0xffff))}; });
    check("set." + cmp + ".u32.f16x2", "rrr", [&](U a, U b, U) {
      const U low = holds(cmp, half(a & 0xffff), half(b & 0xffff)) ? 0xffff : 0;
      return low | (holds(cmp, half(a >> 16), half(b >> 16)) ? 0xffff0000 : 0);
    });
    check("setp." + cmp +
              ".f16x2 %p1|%p2, $1, $2; selp.b32 %r5, 1, 0, %p1; selp.b32 $0, 2, 0, "
              "%p2; or.b32 $0, $0, %r5",
          "rrr", [&](U a, U b, U) {
            return U{holds(cmp, half(a & 0xffff), half(b & 0xffff))} |
                   U{holds(cmp, half(a >> 16), half(b >> 16))} << 1;
          });
    // The first result is an operand of the second comparison.
    check("setp.lt.u32 %p1, $3, 7; setp." + cmp +
              ".and.f16x2 %p1|%p2, $1, $2, %p1; selp.b32 $0, 1, 0, %p2",
          "rrrr",
          [&](U a, U b, U c) { return U{holds(cmp, half(a >> 16), half(b >> 16)) && c < 7}; });
  }
  check("set.hi.s32.u64", "rRR", [](U a, U b, U) { return a > b ? ~U{0} : 0; });
  check("set.eq.f32.b16", "fhh", [](U a, U b, U) { return a == b ? 0x3f800000 : 0; });
  check("set.le.bf16.s16", "hhh",
        [](U a, U b, U) { return std::int16_t(a) <= std::int16_t(b) ? 0x3f80 : 0; });
}

TEST(Lowered, KindsOfNumbers) {
  const auto kind32 = [](U a) { return std::fpclassify(f32(a)); };
  const auto kind64 = [](U a) { return std::fpclassify(f64(a)); };
  const auto text = [](const std::string& kind, const char* type) {
    return "testp." + kind + "." + type + " %p1, $1; selp.b32 $0, 1, 0, %p1";
  };
  struct Row {
    const char* name;
    bool (*is)(int);
  };
  // Zeros are normal (PTX ISA, testp).
  for (const Row& row : {Row{"finite", [](int k) { return k != FP_NAN && k != FP_INFINITE; }},
                         Row{"infinite", [](int k) { return k == FP_INFINITE; }},
                         Row{"number", [](int k) { return k != FP_NAN; }},
                         Row{"notanumber", [](int k) { return k == FP_NAN; }},
                         Row{"normal", [](int k) { return k == FP_NORMAL || k == FP_ZERO; }},
                         Row{"subnormal", [](int k) { return k == FP_SUBNORMAL; }}}) {
    check(text(row.name, "f32"), "rf", [&](U a, U, U) { return U{row.is(kind32(a))}; });
    check(text(row.name, "f64"), "rF", [&](U a, U, U) { return U{row.is(kind64(a))}; });
  }
}

TEST(Lowered, PackedAndMixedSingles) {
  const auto two = [](U a, U b, U c, auto op) {
    const U low = canonical(op(f32(a & 0xffffffff), f32(b & 0xffffffff), f32(c & 0xffffffff)));
    return low | canonical(op(f32(a >> 32), f32(b >> 32), f32(c >> 32))) << 32;
  };
  check("add.rn.f32x2", "RRR",
        [&](U a, U b, U) { return two(a, b, 0, [](float x, float y, float) { return x + y; }); });
  check("fma.rn.f32x2", "RRRR", [&](U a, U b, U c) {
    return two(a, b, c, [](float x, float y, float z) { return std::fma(x, y, z); });
  });
  check("mul.ftz.f32x2", "RRR", [&](U a, U b, U) {
    return two(a, b, 0, [](float x, float y, float) { return flushed(flushed(x) * flushed(y)); });
  });
  check("add.f32.f16", "fhf",
        [](U a, U b, U) { return canonical(static_cast<float>(half(a)) + f32(b)); });
  check("sub.rn.sat.f32.bf16", "fhf", [](U a, U b, U) {
    const float x = static_cast<float>(brain(a)) - f32(b);
    return canonical(x > 0 ? std::min(x, 1.0f) : 0.0f);
  });
  check("fma.rn.f32.f16", "fhhf", [](U a, U b, U c) {
    return canonical(std::fma(static_cast<float>(half(a)), static_cast<float>(half(b)), f32(c)));
  });
}

TEST(Lowered, Extremes) {
  const auto least = [](float a, float b) {  // -0 before +0; a number before a NaN
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  };
  check("min.f32 $0, $1, $2, $3", "ffff",
        [&](U a, U b, U c) { return canonical(least(least(f32(a), f32(b)), f32(c))); });
  check("max.NaN.abs.f32 $0, $1, $2, $3", "ffff", [](U a, U b, U c) {
    const float x = std::fabs(f32(a)), y = std::fabs(f32(b)), z = std::fabs(f32(c));
    if (std::isnan(x) || std::isnan(y) || std::isnan(z)) return U{0x7fffffff};
    return canonical(std::max({x, y, z}));
  });
  for (const bool nan : {false, true}) {
    const std::string n = nan ? ".NaN" : "";
    check("max" + n + ".xorsign.abs.f32", "fff", [nan](U a, U b, U) {
      const float x = std::fabs(f32(a)), y = std::fabs(f32(b));
      if (std::isnan(x) && std::isnan(y)) return U{0x7fffffff};
      if (nan && (std::isnan(x) || std::isnan(y))) return U{0x7fffffff};
      const float most = std::isnan(x) || y > x ? y : x;
      return U{std::bit_cast<std::uint32_t>(std::isnan(y) ? x : most)} | ((a ^ b) & 0x80000000);
    });
    check("min" + n + ".xorsign.abs.f16", "hhh", [nan](U a, U b, U) {
      const U x = a & 0x7fff, y = b & 0x7fff;
      const bool no_x = x > 0x7c00, no_y = y > 0x7c00;
      if ((no_x && no_y) || (nan && (no_x || no_y))) return U{0x7fff};
      return (no_x ? y : no_y ? x : std::min(x, y)) | ((a ^ b) & 0x8000);
    });
    check("max" + n + ".xorsign.abs.bf16x2", "rrr", [nan](U a, U b, U) {
      U result = 0;
      for (const int at : {0, 16}) {
        const U x = a >> at & 0x7fff, y = b >> at & 0x7fff;
        const bool no_x = x > 0x7f80, no_y = y > 0x7f80;
        const U value = (no_x && no_y) || (nan && (no_x || no_y)) ? 0x7fff
                                                                  : (no_x   ? y
                                                                     : no_y ? x
                                                                            : std::max(x, y)) |
                                                                        ((a ^ b) >> at & 0x8000);
        result |= value << at;
      }
      return result;
    });
  }
  check("min.ftz.NaN.f16", "hhh", [](U a, U b, U) {
    const auto flush = [](U x) { return (x & 0x7c00) == 0 ? x & 0x8000 : x; };
    if ((a & 0x7fff) > 0x7c00 || (b & 0x7fff) > 0x7c00) return U{0x7fff};
    const U x = flush(a), y = flush(b);
    const double p = half(x), q = half(y);
    return p < q || (p == q && (x & 0x8000) != 0) ? x : y;
  });
  check("max.relu.s32", "rrr", [](U a, U b, U) { return U(std::max({S32(a), S32(b), 0})); });
  check("min.relu.s16x2", "rrr", [](U a, U b, U) {
    const auto one = [](U x, U y) {
      return U(std::max<int>(0, std::min(std::int16_t(x), std::int16_t(y))));
    };
    return one(a, b) | one(a >> 16, b >> 16) << 16;
  });
}

TEST(Lowered, BrainMultiplyAddInDirectedRoundings) {
  // The exact sum in 128 bits is out of reach for all exponents, but not where they are near.
  std::vector<std::array<U, 4>> near;
  std::mt19937_64 random(5);
  for (int i = 0; i < 4096; ++i) {
    const auto one = [&] { return 0x3f00 + (random() & 0x80ff); };
    near.push_back({one(), one(), one(), 0});
  }
  near.push_back({0x3f80, 0x3f80, 0xbf80, 0});  // what cancels
  near.push_back({0x0000, 0x3f80, 0x8000, 0});
  for (const auto& [name, mode] :
       {std::pair("rz", FE_TOWARDZERO), std::pair("rm", FE_DOWNWARD), std::pair("rp", FE_UPWARD)}) {
    const int m = mode;
    const std::vector<U> values = run_op(2, std::string("fma.") + name + ".bf16", "hhhh", [&] {
      auto table = near;
      while (table.size() % 32 != 0) table.push_back({0x3f80, 0x3f80, 0x3f80, 0});
      return table;
    }());
    for (std::size_t i = 0; i < near.size(); ++i) {
      std::fesetround(m);
      // Exact in binary64 for these exponents, but for the sign of a zero, which follows the mode.
      volatile double x = brain(near[i][0]), y = brain(near[i][1]), z = brain(near[i][2]);
      volatile double sum = x * y;
      sum = sum + z;
      std::fesetround(FE_TONEAREST);
      const double magnitude = std::fabs(sum);
      const U bits = std::bit_cast<U>(static_cast<double>(magnitude));
      // Cut binary64 to 7 bits of fraction: the exponents are in range, so its pattern is moved.
      const int exponent = magnitude == 0 ? 0 : std::ilogb(magnitude);
      const double unit = std::ldexp(1.0, exponent - 7);
      double cut = magnitude == 0 ? 0 : std::floor(magnitude / unit) * unit;
      const bool negative = std::signbit(sum);
      if (cut != magnitude && m == (negative ? FE_DOWNWARD : FE_UPWARD)) cut += unit;
      const auto want =
          std::bit_cast<std::uint32_t>(static_cast<float>(negative ? -cut : cut)) >> 16;
      EXPECT_EQ(values[i], want) << name << " of " << std::hex << near[i][0] << ", " << near[i][1]
                                 << ", " << near[i][2] << " " << bits;
    }
  }
}

TEST(Lowered, LogicCarriesAndProducts) {
  check(
      "setp.gt.s32 %p1, $4, 0; lop3.and.b32 $0|%p2, $1, $2, $3, 0xe8, %p1; selp.b32 %r7, 1, 0, "
      "%p2; xor.b32 $0, $0, %r7",
      "rrrrr", Reference4([](U a, U b, U c, U e) {
        const U majority = (a & b) | (a & c) | (b & c);
        return majority ^ U { majority != 0 && S32(e) > 0 };
      }));
  check("setp.gt.s32 %p1, $4, 0; lop3.or.b32 _|%p2, $1, $2, $3, 0x80, !%p1; selp.b32 $0, 1, 0, %p2",
        "rrrrr", Reference4([](U a, U b, U c, U e) { return U{(a & b & c) != 0 || S32(e) <= 0}; }));
  check("add.cc.u32 %r5, $3, $3; addc.u16 $0, $1, $2", "hhhr",
        [](U a, U b, U c) { return a + b + (c >> 31); });
  check("add.cc.u32 %r5, $3, $3; madc.hi.s16 $0, $1, $1, $2", "hhhr",
        [](U a, U b, U c) { return U(std::int16_t(a) * std::int16_t(a) >> 16) + b + (c >> 31); });
  check("mad24.hi.s32", "rrrr",
        [](U a, U b, U c) { return U(S64(S32(a << 8) >> 8) * (S32(b << 8) >> 8) >> 16) + c; });
  check("mad24.hi.sat.s32", "rrrr", [](U a, U b, U c) {
    const S64 sum = (S64(S32(a << 8) >> 8) * (S32(b << 8) >> 8) >> 16) + S32(c);
    return U(std::clamp<S64>(sum, -2147483648ll, 2147483647ll));
  });
  check(
      "setp.lt.s32 %p1, $1, 0; setp.lt.s32 %p2, $2, 0; and.pred %p3, %p1, !%p2; selp.b32 $0, 1, "
      "0, %p3",
      "rrr", [](U a, U b, U) { return U{S32(a) < 0 && S32(b) >= 0}; });
}

TEST(Lowered, Moves) {
  check("mov.b32 {%b1, %b2, %b3, %b4}, $1; mov.b32 $0, {%b4, %b3, %b2, %b1}", "rr",
        [](U a, U, U) { return U{__builtin_bswap32(static_cast<std::uint32_t>(a))}; });
  check("mov.b16 {_, %b2}, $1; cvt.u16.u8 $0, %b2", "hh", [](U a, U, U) { return a >> 8; });
  check("mov.b128 %q1, {$1, $2}; mov.b128 %q2, %q1; mov.b128 {_, $0}, %q2", "RRR",
        [](U, U b, U) { return b; });
  check("mov.b128 %q1, {$1, $2}; mov.b128 {_, %r5, %r6, _}, %q1; mov.b64 $0, {%r6, %r5}", "RRR",
        [](U a, U b, U) { return a >> 32 << 32 | (b & 0xffffffff); });
  check("mov.b64 $0, {0f3F800000, $1}", "Rr", [](U a, U, U) { return a << 32 | 0x3f800000; });
  check("mov.u32 $0, $1+12", "rr", [](U a, U, U) { return a + 12; });
  check("add.f32.rn $0, $1, $2", "fff", [](U a, U b, U) { return canonical(f32(a) + f32(b)); });
  check("brev.b32 %r5, $1; elect.sync %r6|%p1, %r5; mov.b32 $0, %r6", "rr", [](U a, U, U) {
    for (int i = 31; i >= 0; --i)
      if ((a >> i & 1) != 0) return U(31 - i);
    return U{32};
  });
}

TEST(Lowered, BranchesByIndex) {
  const std::string body =
      "and.b32 %r5, $1, 3; T: .branchtargets A, B, C, A; mov.u32 $0, 9; setp.lt.s32 %p1, $1, 0; "
      "GUARD brx.idx %r5, T; bra E; A: mov.u32 $0, 1; bra E; B: mov.u32 $0, 2; C: add.u32 $0, $0, "
      "3; E: xor.b32 $0, $0, 0";
  for (const bool guarded : {false, true}) {
    std::string text = body;
    text.replace(text.find("GUARD"), 5, guarded ? "@!%p1" : "");
    check(text, "rr", [&](U a, U, U) -> U {
      if (guarded && S32(a) < 0) return 9;
      const U results[] = {1, 5, 12, 1};
      return results[a & 3];
    });
  }
  check(
      "T: .branchtargets A; mov.u32 $0, 9; mov.u32 %r5, 0; brx.idx.uni %r5, T; mov.u32 $0, 8; A: "
      "add.u32 $0, $0, 1",
      "rr", [](U, U, U) -> U { return 10; });
}

// Memory that alloca gives is aligned and no one else's, in the kernel and in functions that call
// themselves.
constexpr const char* kStackText =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".func (.param .b32 sum) f(.param .b32 n)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<3>; .local .b32 own;\n"
    ".param .b32 below; .param .b32 result;\n"
    "ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; mov.u32 %r4, 0;\n"
    "@%p1 bra LAST;\n"
    "mul.wide.u32 %d1, %r1, 4; alloca.u64 %d2, %d1, 64; st.local.u32 [own], %r1;\n"
    "and.b64 %d3, %d2, 63; cvt.u32.u64 %r5, %d3;\n"  // 0 if aligned
    "cvta.local.u64 %d3, %d2; st.u32 [%d3], %r1; add.u64 %d4, %d3, %d1; st.u32 [%d4+-4], %r1;\n"
    "sub.u32 %r2, %r1, 1; st.param.u32 [below], %r2;\n"
    "call (result), f, (below); ld.param.u32 %r3, [result];\n"
    "ld.u32 %r4, [%d3]; ld.local.u32 %r6, [own]; add.u32 %r4, %r4, %r6;\n"
    "ld.u32 %r6, [%d4+-4]; add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r3; add.u32 %r4, %r4, %r5;\n"
    "st.param.u32 [sum], %r4; ret;\n"
    "LAST: st.param.u32 [sum], 0;\n}\n"
    ".entry k(.param .u64 out, .param .u64 bytes)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %d<19>; .reg .pred %p<3>; .local .b64 mine; .param .b32 n; "
    ".param .b32 sum;\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 8; add.u64 %d1, %d1, "
    "%d2;\n"
    "cvt.u64.u32 %d3, %r1; st.local.u64 [mine], %d3; stacksave.u64 %d9;\n"
    "mov.u32 %r5, 0;\n"
    "LOOP: alloca.u64 %d4, 40; stacksave.u64 %d8;\n"  // more often than the stack is large
    "st.local.u64 [%d4], %d3; st.local.u64 [%d4+32], %d3;\n"
    "and.b32 %r2, %r1, 7; st.param.u32 [n], %r2; call (sum), f, (n); ld.param.u32 %r3, [sum];\n"
    "stacksave.u64 %d10; sub.u64 %d10, %d10, %d8;\n"  // f gave everything back
    "ld.local.u64 %d5, [%d4]; ld.local.u64 %d6, [%d4+32]; ld.local.u64 %d7, [mine];\n"
    "stackrestore.u64 %d9; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 1000; @%p1 bra LOOP;\n"
    "add.u64 %d5, %d5, %d6; add.u64 %d5, %d5, %d7; cvt.u64.u32 %d6, %r3; mad.lo.u64 %d5, %d6, "
    "1000, %d5; add.u64 %d5, %d5, %d10;\n"
    "st.global.u64 [%d1], %d5;\n"
    "ld.param.u64 %d11, [bytes]; alloca.u64 %d12, %d11; st.local.u8 [%d12], 1; ret;\n}\n";

TEST(Lowered, AllocaTakesFromTheStackAndGivesBack) {
  const Module module = parse_ptx(kStackText);
  const auto* kernel =
      std::find_if(module.functions.data(), module.functions.data() + module.functions.size(),
                   [](const Function& one) { return one.entry; });
  const auto run = [&](U bytes, std::vector<U>& values) {
    Arena arena(std::uint64_t{1} << 30, std::uint64_t{256} << 20);
    Placement placement;
    placement.local_window = arena.local_window();
    placement.shared_window = arena.shared_window();
    Program program = decode(module, *kernel, placement);
    bind(program, *handlers_of_level(2, Watch::bounds));
    const U out = arena.allocate(64 * 8);
    LaunchShape shape;
    shape.block = {64, 1, 1};
    shape.grid = {2, 1, 1};  // the second finds the stack as the first did
    shape.parameters.resize(16);
    std::memcpy(shape.parameters.data(), &out, 8);
    std::memcpy(shape.parameters.data() + 8, &bytes, 8);
    const LaunchResult result = run_grid(program, shape, arena);
    values.resize(64);
    std::memcpy(values.data(), arena.host(out), values.size() * 8);
    return result.faults.size();
  };
  std::vector<U> values;
  const U stack = Placement{}.stack_bytes;
  EXPECT_EQ(run(stack, values), 0U);
  for (U i = 0; i < 64; ++i) {
    const U n = i & 7;
    EXPECT_EQ(values[i], 3 * i + 1000 * 3 * (n * (n + 1) / 2)) << i;
  }
  EXPECT_GT(run(stack + 1, values), 0U);
  EXPECT_GT(run(~U{0}, values), 0U);
}

TEST(Lowered, ConstantExpressions) {
  const auto value = [](const std::string& text, U want) {
    check("mov.u64 $0, " + text + "; add.u64 $0, $0, $1", "RR",
          [want](U a, U, U) { return want + a; });
  };
  value("1+2*3", 7);
  value("(1+2)*3", 9);
  value("1<<4|2", 18);
  value("~1", ~U{1});
  value("-(-3)", 3);
  value("7/2+7 % 4", 6);
  value("-7/2", ~U{2});
  value("1?2:3", 2);
  value("0 ? 2 : 3 ? 4 : 5", 4);
  value("5>3 && 2<=2", 1);
  value("1==2 || !1", 0);
  value("6^3&1", 7);
  value("WARP_SZ*2-1", 63);
  value("(.s64)-8>>1", ~U{3});
  value("0x10 != 020", 0);
}

}  // namespace
}  // namespace warpmark::cpu
