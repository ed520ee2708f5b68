// Instructions of sm_90 and later that are none of copies and matrices, against arithmetic written
// out here.
#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <random>
#include <sstream>

#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using Words = std::vector<U32>;

float real(U32 bits) {
  return std::bit_cast<float>(bits);
}

class NewestForms : public DeviceTest {
 protected:
  // A kernel of one warp whose lanes read words into %r1, %r2, … and write %r20, %r21, …
  Words run(const std::string& body, const std::vector<Words>& in, std::size_t outputs = 1) {
    std::ostringstream text;
    text << ".version 9.4\n.target sm_121a\n.address_size 64\n"
            ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            ".reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .b16 %h<20>; .reg .f32 %f<20>;\n"
            ".reg .pred %p<9>; .reg .b32 %t; .reg .b64 %in, %out;\n"
            ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar;\n"
            "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n"
            "mul.wide.u32 %rd1, %t, 4; add.s64 %in, %in, %rd1; add.s64 %out, %out, %rd1;\n";
    for (std::size_t i = 0; i < in.size(); ++i)
      text << "ld.global.b32 %r" << i + 1 << ", [%in+" << i * 128 << "];\n";
    text << body << "\n";
    for (std::size_t i = 0; i < outputs; ++i)
      text << "st.global.b32 [%out+" << i * 128 << "], %r" << i + 20 << ";\n";
    text << "ret;\n}\n";
    CUfunction kernel = kernel_of(text.str(), "k");
    if (kernel == nullptr) return {};
    Words all;
    for (const Words& row : in) all.insert(all.end(), row.begin(), row.end());
    if (all.empty()) all.resize(32);
    Array<U32> given(all), out(outputs * 32);
    EXPECT_CU(launch(kernel, {}, {32}, 0, given.address, out.address));
    EXPECT_CU(api().synchronize());
    EXPECT_CU(out.fetch());
    return out.host;
  }
  Words random_words() {
    Words words(32);
    for (U32& word : words) word = random_();
    return words;
  }
  // The lanes' two words each are 32 rows of 16 numbers of 4 bits.
  Words rows_of_four_bits(int matrices, const std::vector<Words>& in) {
    const std::string list[] = {"{%r20}", "{%r20, %r21}", "", "{%r20, %r21, %r22, %r23}"};
    return run(
        "mov.u32 %r9, s; shl.b32 %r10, %t, 2; add.u32 %r10, %r10, %r9; st.shared.u32 [%r10], %r1;\n"
        "st.shared.u32 [%r10+128], %r2; bar.warp.sync.no_membermask_overlap -1;\n"
        "shl.b32 %r11, %t, 3; add.u32 %r11, %r11, %r9;\n"
        "ldmatrix.sync.aligned.m8n16.x" +
            std::to_string(matrices) + ".shared::cta.s8.s4 " +
            list[static_cast<std::size_t>(matrices - 1)] + ", [%r11];",
        in, static_cast<std::size_t>(matrices));
  }
  std::mt19937 random_{20261128};
};

// An operand from outside of a tensor, 0x7ff7, makes the result +0.
TEST_F(NewestForms, FusedMultiplyAddOutsideOfATensor) {
  const U32 two = 0x4000, three = 0x4200, outside = 0x7ff7, nan = 0x7e00;
  Words a(32, two), b(32, three), c(32, 0x3c00);
  a[1] = b[2] = c[3] = outside;
  a[4] = nan;
  c[5] = 0xc800;  // -8: 2 · 3 - 8
  const Words got =
      run("cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; cvt.u16.u32 %h3, %r3;\n"
          "fma.rn.oob.f16 %h4, %h1, %h2, %h3; cvt.u32.u16 %r20, %h4;\n"
          "fma.rn.oob.relu.f16 %h4, %h1, %h2, %h3; cvt.u32.u16 %r21, %h4;\n"
          "shl.b32 %r4, %r1, 16; or.b32 %r4, %r4, 0x4000; shl.b32 %r5, %r2, 16; or.b32 %r5, %r5, "
          "0x4200;\n"
          "shl.b32 %r6, %r3, 16; or.b32 %r6, %r6, 0x3c00; fma.rn.oob.f16x2 %r22, %r4, %r5, %r6;",
          {a, b, c}, 3);
  ASSERT_EQ(got.size(), 96u);
  for (std::size_t lane = 0; lane < 6; ++lane) {
    const U32 want = lane == 0 ? 0x4700 : lane <= 3 ? 0 : lane == 4 ? 0x7fff : 0xc000;
    EXPECT_EQ(got[lane], want) << lane;
    EXPECT_EQ(got[32 + lane], lane == 5 ? 0 : want) << lane;
    EXPECT_EQ(got[64 + lane], want << 16 | 0x4700) << lane;
  }
  Words x(32, 0x40004000), y(32, 0x40404040), z(32, 0x3f803f80);  // bfloat16: 2, 3, 1
  x[1] = 0x7ff74000;
  const Words brain = run("fma.rn.oob.bf16x2 %r20, %r1, %r2, %r3;", {x, y, z});
  EXPECT_EQ(brain[0], 0x40e040e0u);
  EXPECT_EQ(brain[1], 0x000040e0u);
}

// The coefficients of the product of two polynomials over the field of two elements.
TEST_F(NewestForms, CarrylessProducts) {
  for (int round = 0; round < 8; ++round) {
    std::vector<Words> in;
    for (int k = 0; k < 6; ++k) in.push_back(random_words());
    in[0][0] = in[1][0] = 0x80000000, in[2][1] = in[3][1] = 0xffffffff, in[4][2] = in[5][2] = 0;
    const Words got =
        run("mov.b64 %rd2, {%r1, %r2}; mov.b64 %rd3, {%r3, %r4}; mov.b64 %rd4, {%r5, %r6};\n"
            "clmad.lo.u64 %rd5, %rd2, %rd3, %rd4; clmad.hi.u64 %rd6, %rd2, %rd3, %rd4;\n"
            "mov.b64 {%r20, %r21}, %rd5; mov.b64 {%r22, %r23}, %rd6;",
            in, 4);
    ASSERT_EQ(got.size(), 128u);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const auto bit = [&](std::size_t word, std::size_t at) {
        return in[word + at / 32][lane] >> at % 32 & 1;
      };
      for (std::size_t at = 0; at < 128; ++at) {
        U32 sum = bit(4, at % 64);
        for (std::size_t k = at < 64 ? 0 : at - 63; k < 64 && k <= at; ++k)
          sum ^= bit(0, k) & bit(2, at - k);
        ASSERT_EQ(got[at / 32 * 32 + lane] >> at % 32 & 1, sum) << "bit " << at;
      }
    }
  }
}

// Both layouts count alike; nothing reports on an mbarrier of sm_90, so that what it says is 0, and its
// conditional phase is the primary one.
TEST_F(NewestForms, LayoutsAndPhasesOfBarriers) {
  for (const std::string layout : {"", ".layout::v0", ".layout::v1"}) {
    const Words got = run(
        "mov.u32 %r9, bar; setp.eq.u32 %p1, %t, 0; mov.u32 %r25, 9; mov.u32 %r26, 9;\n"
        ".reg .b8 %b<3>; @%p1 mbarrier.init" +
            layout +
            ".shared::cta.b64 [%r9], 32; bar.sync 0;\n"
            "mbarrier.check_layout.layout::v0.shared::cta.b64 %p2, [%r9]; selp.u32 %r20, 1, 0, "
            "%p2;\n"
            "cvt.u64.u32 %rd9, %r9; cvta.shared.u64 %rd3, %rd9;\n"
            "mbarrier.check_layout.layout::v1.b64 %p2, [%rd3]; selp.u32 %r21, 1, 0, %p2;\n"
            "mbarrier.test_wait.parity.phase_type::conditional.shared::cta.b64 %p3, [%r9], 0;\n"
            "selp.u32 %r22, 1, 0, %p3; bar.sync 0; mbarrier.arrive.shared.b64 %rd2, [%r9];\n"
            "A: mbarrier.try_wait.phase_type::primary.shared::cta.b64 %p3|%p4, %b1, [%r9], %rd2, "
            "100;\n"
            "@!%p3 bra A; selp.u32 %r23, 1, 0, %p4; cvt.u32.u8 %r24, %b1;\n"
            "mbarrier.test_wait.parity.phase_type::primary.shared::cta.b64 %p5|%p4, %b1, [%r9], "
            "0;\n"
            "selp.u32 %r25, 1, 0, %p4; cvt.u32.u8 %r26, %b1;\n"
            "mbarrier.try_wait.parity.phase_type::conditional.shared::cta.b64 %p3, [%r9], 0;\n"
            "selp.u32 %r27, 1, 0, %p3; mbarrier.pending_count.layout::v0.b64 %r28, %rd2;\n"
            "mbarrier.check_layout.layout::v1.shared::cta.b64 %p2, [%r9]; selp.u32 %r29, 1, 0, "
            "%p2;",
        {}, 10);
    ASSERT_EQ(got.size(), 320u) << layout;
    const U32 second = layout == ".layout::v1" ? 1 : 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const U32 missing = static_cast<U32>(32 - lane);  // lanes arrive one after another
      const U32 want[] = {1 - second, second, 0, 0, 0, 0, 0, 1, missing, second};
      for (std::size_t k = 0; k < 10; ++k)
        EXPECT_EQ(got[k * 32 + lane], want[k]) << layout << " " << k << " of lane " << lane;
    }
  }
}

// A chain of fused multiply-adds from c on, in the order of k, each of the rounding that is said.
TEST_F(NewestForms, RoundingOfProductsOfDoubles) {
  const std::pair<const char*, int> ways[] = {{"", FE_TONEAREST},
                                              {".rn", FE_TONEAREST},
                                              {".rz", FE_TOWARDZERO},
                                              {".rm", FE_DOWNWARD},
                                              {".rp", FE_UPWARD}};
  for (const auto& [way, mode] : ways) {
    std::vector<Words> in;
    for (int k = 0; k < 8; ++k) {
      in.push_back(random_words());
      for (U32& word : in.back())  // the upper half of a number between 1/8 and 16
        if (k % 2 == 1) word = (word & 0x800fffff) | (1020 + (word >> 20) % 7) << 20;
    }
    const Words got =
        run(".reg .f64 %fd<9>; mov.b64 %fd1, {%r1, %r2}; mov.b64 %fd2, {%r3, %r4};\n"
            "mov.b64 %fd3, {%r5, %r6}; mov.b64 %fd4, {%r7, %r8};\n"
            "mma.sync.aligned.m8n8k4.row.col" +
                std::string(way) +
                ".f64.f64.f64.f64 {%fd5, %fd6}, "
                "{%fd1}, {%fd2}, {%fd3, %fd4};\nmov.b64 {%r20, %r21}, %fd5; mov.b64 {%r22, %r23}, "
                "%fd6;",
            in, 4);
    ASSERT_EQ(got.size(), 128u);
    const auto given = [&](std::size_t words, std::size_t lane) {
      return std::bit_cast<double>(U64{in[words + 1][lane]} << 32 | in[words][lane]);
    };
    const int before = std::fegetround();
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t half = 0; half < 2; ++half) {
        const std::size_t row = lane / 4, column = lane % 4 * 2 + half;
        volatile double sum = given(4 + 2 * half, lane);
        std::fesetround(mode);
        for (std::size_t k = 0; k < 4; ++k)
          sum = std::fma(given(0, row * 4 + k), given(2, column * 4 + k), sum);
        std::fesetround(before);
        const U64 word = U64{got[(2 * half + 1) * 32 + lane]} << 32 | got[2 * half * 32 + lane];
        EXPECT_EQ(word, std::bit_cast<U64>(static_cast<double>(sum))) << way << " lane " << lane;
      }
    }
  }
}

// PTX ISA, atom: without .noftz, numbers below the normal ones count as 0 in global memory.
TEST_F(NewestForms, SumsOfSmallNumbers) {
  const U32 small = 0x00000123;
  const Words got = run(
      "mov.b32 %f1, 0x00000123; st.global.b32 [%out], %f1; st.global.b32 [%out+128], %f1;\n"
      "st.global.b32 [%out+256], %f1; st.global.b32 [%out+384], %f1; bar.sync 0; mov.u32 %r9, s;\n"
      "shl.b32 %r10, %t, 2; add.u32 %r9, %r9, %r10; st.shared.f32 [%r9], %f1;\n"
      "atom.global.add.f32 %f2, [%out], %f1; atom.global.add.noftz.f32 %f3, [%out+128], %f1;\n"
      "red.global.add.noftz.f32 [%out+256], %f1; atom.shared.add.noftz.f32 %f4, [%r9], %f1;\n"
      "and.b32 %r11, %t, 1; setp.eq.u32 %p1, %r11, 0;\n"
      "@%p1 red.global.add.noftz.v2.f32 [%out+384], {%f1, %f1};\n"
      "mov.b32 %r24, %f2; mov.b32 %r25, %f3; mov.b32 %r26, %f4; bar.sync 0;\n"
      "ld.global.u32 %r20, [%out]; ld.global.u32 %r21, [%out+128]; ld.global.u32 %r22, "
      "[%out+256];\n"
      "ld.global.u32 %r23, [%out+384]; ld.shared.u32 %r27, [%r9];",
      {}, 8);
  ASSERT_EQ(got.size(), 256u);
  const U32 want[] = {0, 2 * small, 2 * small, 2 * small, small, small, small, 2 * small};
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(got[k * 32 + lane], want[k]) << k;
}

TEST_F(NewestForms, StackOfNarrowAddresses) {
  const Words got =
      run("stacksave.u32 %r9; alloca.u32 %r10, 16; st.local.u32 [%r10+12], %t;\n"
          "alloca.u32 %r11, 64, 64; st.local.u32 [%r11], 7; and.b32 %r21, %r11, 63;\n"
          "ld.local.u32 %r20, [%r10+12]; stackrestore.u32 %r9; alloca.u32 %r12, 16;\n"
          "sub.u32 %r22, %r12, %r10;",
          {}, 3);
  ASSERT_EQ(got.size(), 96u);
  for (U32 lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[lane], lane);
    EXPECT_EQ(got[32 + lane], 0u);
    EXPECT_EQ(got[64 + lane], 0u);
  }
}

TEST_F(NewestForms, ReductionsOfReals) {
  for (int round = 0; round < 20; ++round) {
    Words in = random_words();
    for (U32& word : in) word = (word & 0x807fffff) | (word >> 24 & 7) << 23 | 0x3c000000;
    if (round % 4 == 1) in[static_cast<std::size_t>(random_() % 32)] = 0xffc00001;
    if (round % 4 == 2) in = Words(32, 0xff800123), in[3] = round == 2 ? 0x80000000 : in[4];
    if (round % 4 == 3) in = Words(32, 0x80000000), in[9] = 0;
    const Words got =
        run("redux.sync.min.f32 %r20, %r1, -1; redux.sync.max.f32 %r21, %r1, -1;\n"
            "redux.sync.min.abs.f32 %r22, %r1, -1; redux.sync.max.abs.NaN.f32 %r23, %r1, -1;",
            {in}, 4);
    ASSERT_EQ(got.size(), 128u);
    const bool any = std::any_of(in.begin(), in.end(), [](U32 w) { return std::isnan(real(w)); });
    const auto best = [&](bool largest, bool absolute) {
      U32 result = 0x7fffffff;
      for (U32 word : in) {
        if (std::isnan(real(word))) continue;
        if (absolute) word &= 0x7fffffff;
        const double x = std::ldexp(real(word), 60) + ((word >> 31) != 0 ? -1e-9 : 0),
                     y = std::ldexp(real(result), 60) + ((result >> 31) != 0 ? -1e-9 : 0);
        if (std::isnan(real(result)) || (largest ? x > y : x < y)) result = word;
      }
      return result;
    };
    for (std::size_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(got[lane], best(false, false)) << round;
      EXPECT_EQ(got[32 + lane], best(true, false)) << round;
      EXPECT_EQ(got[64 + lane], best(false, true)) << round;
      EXPECT_EQ(got[96 + lane], any ? 0x7fffffffu : best(true, true)) << round;
    }
  }
}

// The power of two at or below |x|, or at or above it.
U32 power(float x, bool up, bool finite) {
  x = std::fabs(x);
  if (std::isnan(x)) return 0xff;
  if (std::isinf(x)) return finite ? 0xfe : 0xff;
  for (int exponent = -127; exponent <= 127; ++exponent) {
    const double here = std::ldexp(1.0, exponent);
    if (up ? here >= x : here * 2 > x || exponent == 127) {
      return static_cast<U32>(exponent + 127);
    }
  }
  return finite ? 0xfe : 0xff;
}

TEST_F(NewestForms, PowersOfTwo) {
  for (int round = 0; round < 40; ++round) {
    Words a = random_words(), b = random_words();
    if (round == 0) {
      const U32 edges[] = {0,          1,          0x80000000, 0x00400000, 0x00400001, 0x007fffff,
                           0x00800000, 0x00200000, 0x3f800000, 0x3f800001, 0x7f000000, 0x7f000001,
                           0x7f7fffff, 0x7f800000, 0x7fc00000, 0xbf800000};
      std::copy(std::begin(edges), std::end(edges), a.begin());
    }
    const Words got =
        run("mov.b32 %f1, %r1; mov.b32 %f2, %r2;\n"
            "cvt.rz.ue8m0x2.f32 %h1, %f1, %f2; cvt.u32.u16 %r20, %h1;\n"
            "cvt.rp.ue8m0x2.f32 %h1, %f1, %f2; cvt.u32.u16 %r21, %h1;\n"
            "cvt.rp.satfinite.ue8m0x2.f32 %h1, %f1, %f2; cvt.u32.u16 %r22, %h1;\n"
            "cvt.rz.satfinite.ue8m0x2.bf16x2 %h1, %r1; cvt.u32.u16 %r23, %h1;\n"
            "cvt.rp.ue8m0x2.bf16x2 %h1, %r1; cvt.u32.u16 %r24, %h1;\n"
            "cvt.u16.u32 %h1, %r1; cvt.rn.bf16x2.ue8m0x2 %r25, %h1;",
            {a, b}, 6);
    ASSERT_EQ(got.size(), 6 * 32u);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const float x = real(a[lane]), y = real(b[lane]);
      const auto both = [&](float high, float low, bool up, bool finite) {
        return power(high, up, finite) << 8 | power(low, up, finite);
      };
      EXPECT_EQ(got[lane], both(x, y, false, false)) << x << " " << y;
      EXPECT_EQ(got[32 + lane], both(x, y, true, false)) << x << " " << y;
      EXPECT_EQ(got[64 + lane], both(x, y, true, true)) << x << " " << y;
      const float high = real(a[lane] & 0xffff0000), low = real(a[lane] << 16);
      EXPECT_EQ(got[96 + lane], both(high, low, false, true)) << high << " " << low;
      EXPECT_EQ(got[128 + lane], both(high, low, true, false)) << high << " " << low;
      const auto brain = [](U32 byte) {
        if (byte == 0xff) return U32{0x7fff};
        return std::bit_cast<U32>(
                   static_cast<float>(std::ldexp(1.0, static_cast<int>(byte) - 127))) >>
               16;
      };
      EXPECT_EQ(got[160 + lane], brain(a[lane] >> 8 & 0xff) << 16 | brain(a[lane] & 0xff));
    }
  }
}

// PTX ISA, .rs: random bits are added to those that are cut off, and a carry rounds away from zero.
TEST_F(NewestForms, RandomRounding) {
  for (int round = 0; round < 40; ++round) {
    Words a = random_words(), b = random_words(), bits = random_words();
    for (Words* words : {&a, &b})  // normal numbers of binary16
      for (U32& word : *words) word = (word & 0x807fffff) | (113 + (word >> 23) % 29) << 23;
    const Words got =
        run("mov.b32 %f1, %r1; mov.b32 %f2, %r2; cvt.rs.bf16x2.f32 %r20, %f1, %f2, %r3;\n"
            "cvt.rs.f16x2.f32 %r21, %f1, %f2, %r3; cvt.rs.relu.bf16x2.f32 %r22, %f1, %f2, %r3;",
            {a, b, bits}, 3);
    ASSERT_EQ(got.size(), 96u);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const auto brain = [](U32 x, U32 r) { return (x + r) >> 16; };
      const auto half = [](U32 x, U32 r) {
        const U32 magnitude = ((x & 0x7fffffff) + (r & 0x1fff)) >> 13;
        return (x >> 31) << 15 | (magnitude - (112u << 10));
      };
      const U32 low = bits[lane] & 0xffff, high = bits[lane] >> 16;
      EXPECT_EQ(got[lane], brain(a[lane], high) << 16 | brain(b[lane], low));
      EXPECT_EQ(got[32 + lane], half(a[lane], high) << 16 | half(b[lane], low));
      const auto positive = [&](U32 x, U32 r) { return (x >> 31) != 0 ? 0 : brain(x, r); };
      EXPECT_EQ(got[64 + lane], positive(a[lane], high) << 16 | positive(b[lane], low));
    }
  }
}

TEST_F(NewestForms, AsynchronousStoresAndSums) {
  const Words got = run(
      "mov.u32 %r20, 0; mov.u32 %r21, 0; add.s64 %rd2, %out, 256; st.async.release.gpu.global.b32 "
      "[%rd2], %t; st.async.mmio.release.sys.global.u32 [%rd2+128], 5;\n"
      "red.async.release.gpu.global.add.u32 [%rd2+128], %t; ld.global.u32 %r22, [%rd2]; "
      "ld.global.u32 %r23, [%rd2+128];",
      {}, 4);
  ASSERT_EQ(got.size(), 128u);
  for (U32 lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[64 + lane], lane);
    EXPECT_EQ(got[96 + lane], 5 + lane);
  }
}

// A copy has of each 16 bytes those whose bit is set.
TEST_F(NewestForms, BulkCopiesOfSomeBytes) {
  for (const U32 mask : {0xffffu, 0x0000u, 0x8001u, 0x5a3cu}) {
    std::ostringstream body;
    body << "mov.u32 %r9, s; shl.b32 %r10, %t, 2; add.u32 %r10, %r10, %r9; st.shared.u32 [%r10], "
            "%r1;\nfence.proxy.async; bar.sync 0; setp.eq.u32 %p1, %t, 0; mov.u16 %h1, "
         << mask
         << "; @!%p1 bra END;\nmov.u64 %rd2, %out;\n"
            "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd2], [%r9], 128, %h1;\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND: bar.sync 0; "
            "ld.global.u32 %r20, [%out];";
    const Words in = random_words();
    const Words got = run(body.str(), {in});
    for (std::size_t i = 0; i < 128; ++i) {
      const U32 want = (mask >> i % 16 & 1) != 0 ? in[i / 4] >> i % 4 * 8 & 0xff : 0;
      EXPECT_EQ(got[i / 4] >> i % 4 * 8 & 0xff, want) << i << " of mask " << mask;
    }
  }
}

TEST_F(NewestForms, NarrowRowsAndColumnsOfBytes) {
  Words in(32);
  for (U32& word : in) word = random_();
  const Words got = run(
      "mov.u32 %r9, s; shl.b32 %r10, %t, 2; add.u32 %r10, %r10, %r9; st.shared.u32 [%r10], %r1;\n"
      "bar.warp.sync -1; and.b32 %r11, %t, 7; shl.b32 %r11, %r11, 4; add.u32 %r11, %r11, %r9;\n"
      "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r20}, [%r11];\n"
      "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%r21}, [%r11]; bar.warp.sync -1;\n"
      "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r11], {%r1}; bar.warp.sync -1;\n"
      "ld.shared.u32 %r22, [%r10];",
      {in}, 3);
  ASSERT_EQ(got.size(), 96u);
  const auto bits = [&](std::size_t row, std::size_t first, std::size_t count) {
    U32 value = 0;
    for (std::size_t bit = 0; bit < count; ++bit)
      value |= (in[row * 4 + (first + bit) / 32] >> (first + bit) % 32 & 1) << bit;
    return value;
  };
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t row = lane / 4, column = lane % 4 * 4 + k;
      EXPECT_EQ(got[lane] >> 8 * k & 0xff, bits(row, column * 4, 4));
      EXPECT_EQ(got[32 + lane] >> 8 * k & 0xff, bits(row, column * 6, 6));
      // Byte `column` of row `row` in memory is (column, row) of the matrix.
      const std::size_t from = column % 8 * 4 + row / 2, byte = row % 2 + column / 8 * 2;
      EXPECT_EQ(got[64 + lane] >> 8 * k & 0xff, in[from] >> 8 * byte & 0xff);
    }
  }
}

// 16 numbers of 4 bits lie in 8 bytes, and the rows behind each other.
TEST_F(NewestForms, RowsOfSignedNumbersOfFourBits) {
  configure(R"({"counters": ["traffic"]})");
  for (const int matrices : {1, 2, 4}) {
    std::vector<Words> in{random_words(), random_words()};
    const Words got = rows_of_four_bits(matrices, in);
    ASSERT_EQ(got.size(), static_cast<std::size_t>(matrices) * 32);
    const std::vector<Json> counted = counters();
    ASSERT_EQ(counted.size(), 1u);
    EXPECT_EQ(counted[0].at("shared_load_bytes"), 64 * matrices);
    for (std::size_t at = 0; at < got.size() * 4; ++at) {
      const std::size_t matrix = at / 128, row = at % 128 / 16, column = at % 16;
      const U32 word = in[matrix / 2][matrix % 2 * 16 + row * 2 + column / 8];
      const int value = static_cast<int>(word << (28 - column % 8 * 4)) >> 28;
      const U32 lane = static_cast<U32>(row * 4 + column / 4);
      EXPECT_EQ(static_cast<std::int8_t>(got[matrix * 32 + lane] >> column % 4 * 8), value)
          << matrices << " matrices, row " << row << ", column " << column << " of " << matrix;
    }
  }
}

// The results of an H200, of a kernel that ptxas 13.5 compiled for sm_90a (PTX 9.4, driver 13.0).
TEST_F(NewestForms, RowsOfSignedNumbersOfFourBitsAreThoseOfAnH200) {
  const Words expected = {
      0x0505fefb, 0xfd00f8f9, 0xfdfe0507, 0xfefa03ff, 0xfffc0107, 0x05fe07fc, 0xf8fc0003,
      0x0002f9fb, 0x05f90403, 0x0307fc03, 0x03f80207, 0xfcfcfdff, 0xfefffc07, 0x02040404,
      0xfa0703fb, 0x030106f9, 0x01fff9fb, 0x05040405, 0x04070207, 0xfcf800fe, 0x03fcfc07,
      0xff0607fa, 0x00060603, 0xfa01f907, 0xf801fa03, 0xff01fdfc, 0xffff0707, 0x01030003,
      0x04010307, 0xf90507fc, 0x00fef8fb, 0xfffe0401, 0x010304fb, 0x000006fc, 0xfdfc0707,
      0xfcfafcfd, 0xfcfdfb07, 0x01fa01f9, 0x06050603, 0xf900fef9, 0x02030702, 0xf902faf8,
      0x04f9fbfc, 0x05fb0201, 0xfafaff02, 0xfdfafafa, 0x0100fd00, 0x0503f904, 0xfc03ff02,
      0xfefff8fc, 0x0406fbfc, 0xfef9fffd, 0x04f80702, 0xfe0000fc, 0xfcfdfdf8, 0x010202fb,
      0x06f9fc02, 0x00f800f8, 0x02fffafc, 0xf805f901, 0xfaf80402, 0x0701fb01, 0xfafdf800,
      0x05070601, 0x04030402, 0x00fd0502, 0x00fafafc, 0x0006fffc, 0x06fefc02, 0xfef9f804,
      0xfd02fdf8, 0x03070306, 0x05070702, 0x000502f9, 0x0505fbfc, 0x0406fc00, 0x06f8ff02,
      0xfefefe04, 0xfb05fd00, 0x0600fe05, 0x07fa05fd, 0xff0502ff, 0x0003fffd, 0x0106fafd,
      0xfcf8fdfd, 0xfcfa0601, 0xfaf9f8fd, 0x00fe07fa, 0xfc0304fd, 0x070503fa, 0xf80004fd,
      0x0601fbfa, 0x030200fd, 0xf9030704, 0xfcf800fd, 0x04fffcfa, 0x060004fd, 0x01fff9ff,
      0x05f904fd, 0x00fc0007, 0x02faf8fd, 0xfbf9fd06, 0xfb0303fd, 0xf9fff9fb, 0x06faf9fd,
      0x01f9fe02, 0xfe00fffd, 0xf9fb0304, 0xfc0301fd, 0x040006fd, 0x0200fbfd, 0x03f8fb06,
      0xf903f9fd, 0x0007f8f8, 0x00f9fffd, 0x05030406, 0xfb0001fd, 0xf9f90505, 0x010202fd,
      0xfb0506fb, 0xfafbfefd, 0xfcfbfcfb, 0xfe030402, 0xff00f807, 0xfbfcf800, 0xfafd0002,
      0x02fa0402, 0x0005fbfd};
  std::vector<Words> in(2, Words(32));
  for (U32 i = 0; i < 64; ++i) {
    U32 word = i * 0x9e3779b1 + 0x7f4a7c15;
    word ^= word >> 15;
    in[i / 32][i % 32] = word * 0x85ebca6b;
  }
  for (const int matrices : {1, 2, 4}) {
    const auto count = static_cast<std::ptrdiff_t>(matrices) * 32;
    EXPECT_EQ(rows_of_four_bits(matrices, in), Words(expected.begin(), expected.begin() + count));
  }
}

// Advice, and a promise of who takes part, change nothing.
TEST_F(NewestForms, PromisesOfAddressesAndMasks) {
  const Words in = random_words();
  const Words got =
      run("prefetch.global.L1::32B.valid_addr [%in]; prefetch.L1::32B.valid_addr [%in];\n"
          "shfl.sync.bfly.b32.no_membermask_overlap %r20, %r1, 1, 31, -1;\n"
          "redux.sync.no_membermask_overlap.xor.b32 %r21, %r1, -1;\n"
          "setp.lt.s32 %p1, %r1, 0; vote.sync.ballot.no_membermask_overlap.b32 %r22, %p1, -1;\n"
          "match.any.sync.b32.no_membermask_overlap %r23, %t, -1; fence.proxy.alias.acquire.sys;",
          {in}, 4);
  U32 all = 0, negative = 0;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    all ^= in[lane];
    negative |= (in[lane] >> 31) << lane;
  }
  for (std::size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[lane], in[lane ^ 1]);
    EXPECT_EQ(got[32 + lane], all);
    EXPECT_EQ(got[64 + lane], negative);
    EXPECT_EQ(got[96 + lane], 1u << lane);
  }
}

TEST_F(NewestForms, HandlesAndTexturesOfSeveralSamples) {
  const Words got = run(
      "mov.u64 %rd2, 77; istypep.texref %p1, %rd2; istypep.surfref %p2, %rd2; istypep.samplerref "
      "%p3, %rd2; or.pred %p1, %p1, %p2; or.pred %p1, %p1, %p3; selp.u32 %r20, 1, 0, %p1;",
      {});
  EXPECT_EQ(got, Words(32, 0));
}

// Blocks that have begun take others over; each of the grid's tiles is done once.
TEST_F(NewestForms, ClustersThatNeverBegin) {
  CUfunction kernel = kernel_of(R"(.version 9.0
.target sm_121a
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<5>; .reg .b128 %q;
  .shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, 0;
  mov.u32 %r6, answer; mov.u32 %r7, bar;
  mbarrier.init.shared.b64 [%r7], 1; fence.mbarrier_init.release.cluster;
LOOP:
  mad.lo.u32 %r4, %r2, 5, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd1, %rd2;
  red.global.add.u32 [%rd2], 1;
  fence.proxy.async;
  clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r6], [%r7];
  mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 16;
WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r7], %r3; @!%p1 bra WAIT;
  xor.b32 %r3, %r3, 1;
  ld.shared.b128 %q, [answer];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;
  @!%p2 bra END;
  clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, _, _}, %q;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r8, %q;
  setp.ne.u32 %p3, %r8, %r2; @%p3 trap;
  red.global.add.u32 [%rd1+60], 1;
  bra LOOP;
END: ret; })",
                                "k");
  ASSERT_NE(kernel, nullptr);
  Array<U32> out(16);
  ASSERT_CU(launch(kernel, {5, 3}, {1}, 0, out.address));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(out.fetch());
  for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(out.host[i], 1u) << i;
  EXPECT_GT(out.host[15], 0u) << "no block took another one over";
}

}  // namespace
}  // namespace warpmark::test
