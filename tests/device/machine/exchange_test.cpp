// Atomics, shuffles, votes, comparisons with a second predicate, and guarded instructions.
#include "device/support/client.hpp"

#include <cstdint>

namespace warpmark::test {
namespace {

class Exchange : public DeviceTest {
 protected:
  // Runs one warp of `text`, which leaves its result in %r9, and returns what each lane got.
  std::vector<unsigned> warp(const std::string& text) {
    CUfunction k =
        body("mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n" + text +
             "\nst.global.u32 [%rd3], %r9;");
    Array<unsigned> out(32);
    EXPECT_CU(launch(k, {1}, {32}, 0, out.address));
    EXPECT_CU(out.fetch());
    return out.host;
  }
};

TEST_F(Exchange, Shuffles) {
  auto v = warp("mul.lo.s32 %r2, %r1, 10; shfl.sync.down.b32 %r9|%p1, %r2, 3, 31, -1;");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], (t < 29 ? t + 3 : t) * 10);
  v = warp("shfl.sync.up.b32 %r9|%p1, %r1, 1, 0, -1; @!%p1 mov.u32 %r9, 77;");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], t == 0 ? 77 : t - 1);
  v = warp("shfl.sync.bfly.b32 %r9, %r1, 5, 31, -1;");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], t ^ 5);
  v = warp("shfl.sync.idx.b32 %r9, %r1, 2, 0x181f, -1;");  // segments of 8 lanes
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], (t & ~7u) + 2);
}

TEST_F(Exchange, LanesOfAMaskMeetAtAShuffleAfterDivergence) {
  const auto v = warp(R"(
    mov.u32 %r3, 0; and.b32 %r4, %r1, 3; LOOP: setp.ge.u32 %p1, %r3, %r4; @%p1 bra OUT; add.s32 %r3, %r3, 1; bra LOOP;
    OUT: mul.lo.s32 %r5, %r3, 100; shfl.sync.bfly.b32 %r9, %r5, 1, 31, 0xffffffff;)");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], ((t ^ 1) & 3) * 100);
}

// PTX ISA: a lane waits for those of its mask to execute the instruction "with the same qualifiers
// and same membermask", at whichever place of the program. An H200 completes both as one.
TEST_F(Exchange, LanesOfAMaskMeetAtTwoShuffles) {
  const auto v = warp(R"(
    mul.lo.s32 %r2, %r1, 10; add.s32 %r3, %r1, 1000; setp.lt.u32 %p1, %r1, 11; @%p1 bra LOW;
    shfl.sync.bfly.b32 %r9, %r3, 16, 31, -1; add.s32 %r9, %r9, 1; bra OUT;
    LOW: mov.u32 %r7, 31; shfl.sync.bfly.b32 %r2|%p2, %r2, 16, %r7, -1; selp.b32 %r9, %r2, 5, %p2; OUT:)");
  for (unsigned t = 0; t < 32; ++t) {
    const unsigned from = t ^ 16;
    EXPECT_EQ(v[t], (from < 11 ? from * 10 : from + 1000) + (t < 11 ? 0 : 1)) << t;
  }
}

TEST_F(Exchange, LanesOfAMaskMeetAtThreeShufflesWithTheirOwnLanes) {
  const auto v = warp(R"(
    rem.u32 %r2, %r1, 3; mov.u32 %r3, 77; setp.eq.u32 %p1, %r2, 1; setp.eq.u32 %p2, %r2, 2;
    @%p1 bra ONE; @%p2 bra TWO;
    shfl.sync.idx.b32 %r9, %r1, 1, 31, -1; bra OUT;
    ONE: mov.u32 %r4, 2; shfl.sync.idx.b32 %r9, %r1, %r4, 31, -1; bra OUT;
    TWO: shfl.sync.idx.b32 %r9, %r3, 30, 31, -1; OUT:)");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], t % 3 == 0 ? 1u : t % 3 == 1 ? 77u : 30u) << t;
}

TEST_F(Exchange, LanesOfAMaskMeetAtTwoVotes) {
  auto v = warp(R"(
    setp.lt.u32 %p1, %r1, 9; and.b32 %r2, %r1, 1; setp.eq.u32 %p2, %r2, 1; setp.eq.u32 %p3, %r2, 0; @%p1 bra LOW;
    vote.sync.ballot.b32 %r9, %p2, -1; bra OUT;
    LOW: vote.sync.ballot.b32 %r9, !%p3, -1; OUT:)");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], 0xaaaaaaaau) << t;
  v = warp(R"(
    setp.lt.u32 %p1, %r1, 9; setp.eq.u32 %p2, %r1, 3; mov.u32 %r9, 0; @%p1 bra LOW;
    vote.sync.any.pred %p3, %p2, -1; bra OUT;
    LOW: vote.sync.any.pred %p2, %p2, -1; mov.pred %p3, %p2; OUT: @%p3 add.u32 %r9, %r9, 1;)");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], 1u) << t;
}

TEST_F(Exchange, LanesOfAMaskMeetAtTwoReductionsAndMatches) {
  auto v = warp(R"(
    setp.lt.u32 %p1, %r1, 9; @%p1 bra LOW; redux.sync.add.u32 %r9, %r1, -1; bra OUT;
    LOW: mov.u32 %r3, 100; redux.sync.add.u32 %r9, %r3, -1; OUT:)");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], 900u + 496u - 36u) << t;
  v = warp(R"(
    setp.lt.u32 %p1, %r1, 9; and.b32 %r2, %r1, 1; cvt.u64.u32 %rd4, %r2; @%p1 bra LOW;
    match.any.sync.b64 %r9, %rd4, -1; bra OUT;
    LOW: match.any.sync.b64 %r9, %rd4, -1; OUT:)");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], t % 2 == 1 ? 0xaaaaaaaau : 0x55555555u) << t;
}

// Other qualifiers, or another mask: nobody comes.
class OtherOperation : public DeviceTest, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Exchange, OtherOperation,
                         ::testing::Values("shfl.sync.down.b32 %r9, %r1, 1, 31, -1;",
                                           "vote.sync.ballot.b32 %r9, %p1, -1;",
                                           "shfl.sync.bfly.b32 %r9, %r1, 1, 31, 0x7fffffff;"));
TEST_P(OtherOperation, IsNotTheOneThatLanesWaitFor) {
  CUfunction k = body(
      "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; @%p1 bra LOW;\n"
      "shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1; bra OUT; LOW: " +
      std::string(GetParam()) + " OUT:");
  ASSERT_CU(launch(k, {1}, {32}, 0, CUdeviceptr{0}));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(Exchange, HalfWarpsWithTheirOwnMasks) {
  const auto v = warp(R"(
    setp.lt.u32 %p1, %r1, 16; selp.b32 %r3, 0xffff, 0xffff0000, %p1; and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 1;
    vote.sync.ballot.b32 %r9, %p2, %r3;)");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], t < 16 ? 0xaaaau : 0xaaaa0000u);
}

// Up to PTX 6.3 there are forms without .sync, for the lanes that come there together.
TEST_F(Exchange, FormsWithoutSyncOfOldTexts) {
  const auto old = [&](const std::string& text) {
    CUfunction k = kernel_of(
        ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .pred %p<5>; .reg .b32 %r<10>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n"
        "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
        "mov.u32 %r9, 77; setp.ge.u32 %p4, %r1, 8;\n" +
            text + "\nst.global.u32 [%rd3], %r9;\nret;\n}\n",
        "k");
    Array<unsigned> out(32);
    EXPECT_CU(launch(k, {1}, {32}, 0, out.address));
    EXPECT_CU(out.fetch());
    return out.host;
  };
  auto v = old("shfl.bfly.b32 %r9, %r1, 5, 31;");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], t ^ 5);
  v = old("shfl.up.b32 %r9|%p1, %r1, 1, 0; @!%p1 mov.u32 %r9, 99;");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], t == 0 ? 99 : t - 1);
  v = old("setp.lt.u32 %p1, %r1, 20; @%p4 vote.ballot.b32 %r9, !%p1;");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], t < 8 ? 77 : 0xfff00000);
  v =
      old("@!%p4 bra OUT; setp.lt.u32 %p1, %r1, 8; vote.any.pred %p2, %p1; selp.b32 %r9, 1, 0, "
          "%p2; OUT:");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], t < 8 ? 77 : 0);
  v =
      old("setp.lt.u32 %p1, %r1, 8; vote.all.pred %p2, %p1; vote.uni.pred %p3, %p4; "
          "selp.b32 %r9, 1, 0, %p2; @%p3 add.u32 %r9, %r9, 2;");
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(v[t], 0U);
}

TEST_F(Exchange, Votes) {
  for (const auto& [op, limit, want] : {std::tuple{"all", 32, 1u},
                                        {"all", 31, 0u},
                                        {"any", 1, 1u},
                                        {"any", 0, 0u},
                                        {"uni", 0, 1u},
                                        {"uni", 5, 0u}}) {
    const auto v = warp("setp.lt.u32 %p1, %r1, " + std::to_string(limit) + "; vote.sync." + op +
                        ".pred %p2, %p1, -1; selp.b32 %r9, 1, 0, %p2;");
    EXPECT_EQ(v, std::vector<unsigned>(32, want)) << op << limit;
  }
}

TEST_F(Exchange, WarpReductions) {
  EXPECT_EQ(warp("redux.sync.add.s32 %r9, %r1, -1;"), std::vector<unsigned>(32, 496));
  EXPECT_EQ(warp("sub.s32 %r2, %r1, 5; redux.sync.min.s32 %r9, %r2, -1;"),
            std::vector<unsigned>(32, static_cast<unsigned>(-5)));
}

TEST_F(Exchange, AtomicsOnEveryType) {
  CUfunction k = body(R"(
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r1, %r2, %r3, %r1; cvt.u64.u32 %rd4, %r1;
    atom.global.add.u32 %r5, [%rd1], 1;
    atom.global.max.s32 %r6, [%rd1+4], %r1;
    red.global.add.u64 [%rd1+8], %rd4;
    atom.global.inc.u32 %r7, [%rd1+16], 6;
    atom.add.f32 %f1, [%rd1+20], 0f3F000000;
    atom.relaxed.global.cas.b32 %r8, [%rd1+24], %r1, 99;
    atom.global.and.b32 %r9, [%rd1+28], 0xffffff0f;
    atom.global.add.f64 %fd1, [%rd1+32], 0d3FE0000000000000;)");
  Array<std::uint32_t> data(10);
  data.host[1] = 0x80000000;
  data.host[6] = 5;
  data.host[7] = 0xffffffff;
  ASSERT_CU(api().to_device(data.address, data.host.data(), 40));
  ASSERT_CU(launch(k, {3}, {50}, 0, data.address));
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 150u);
  EXPECT_EQ(data.host[1], 149u);
  EXPECT_EQ(data.host[2], 149u * 150 / 2);
  EXPECT_EQ(data.host[4], 150u % 7);
  EXPECT_EQ(std::bit_cast<float>(data.host[5]), 75.0f);
  EXPECT_EQ(data.host[6], 99u);
  EXPECT_EQ(data.host[7], 0xffffff0fu);
  EXPECT_EQ(data.host[9], 0x4052c000u);  // 75.0
  ASSERT_CU(launch(k, {1}, {1}, 0, data.address + 8));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS) << "the last words lie outside";
}

// Each element is atomic for itself; registers may be read and written.
TEST_F(Exchange, AtomicsOnVectors) {
  CUfunction k = body(R"(
    mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f40800000;
    atom.global.add.v4.f32 {%f2, %f1, _, %f3}, [%rd1], {%f1, %f2, %f3, %f4};
    st.global.v2.f32 [%rd1+32], {%f2, %f1};
    st.global.f32 [%rd1+40], %f3;
    red.relaxed.gpu.global.v2.f32.add [%rd1+16], {0f3F800000, %f4};
    mov.b32 %r1, 0x40004400; mov.b32 %r2, 0x7fff3c00;
    red.global.add.noftz.v2.f16x2 [%rd1+48], {%r1, %r2};
    atom.max.noftz.v2.f16x2 {%r3, _}, [%rd1+56], {%r1, %r2};
    st.global.u32 [%rd1+44], %r3;
    mov.b32 {%rs1, %rs2}, 0x3f804000;
    red.global.v8.bf16.min.noftz [%rd1+64], {%rs1, %rs2, %rs1, %rs2, %rs1, %rs2, %rs1, %rs1};)");
  Array<std::uint32_t> data(20);
  const auto real = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  data.host = {real(10), real(20), real(30), real(40), real(50), real(60), 0, 0, 9, 9, 9, 9,
               // pairs of halves: (1, 1), (2, 2); (5, NaN), (-1, 0)
               0x3c003c00, 0x40004000, 0x7e004500, 0x0000bc00,
               // and of bfloat16, the lower first: (1, 3), (8, -1), (NaN, 1), (2, 4)
               0x40403f80, 0xbf804100, 0x3f807fc0, 0x40804000};
  ASSERT_CU(api().to_device(data.address, data.host.data(), 80));
  ASSERT_CU(launch(k, {1}, {1}, 0, data.address));
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host,
            (std::vector<std::uint32_t>{real(11), real(22), real(33), real(44), real(51), real(64),
                                        0, 0, real(10), real(20), real(40), 0x7e004500,
                                        // 1 + 4 and 1 + 2; 2 + 1 and 2 + NaN
                                        0x42004500, 0x7fff4200,
                                        // 5 and 4, NaN and 2; -1 and 1, 0 and NaN
                                        0x40004500, 0x00003c00,
                                        // with 2, 1, 2, 1 …
                                        0x3f803f80, 0xbf804000, 0x3f804000, 0x40004000}));
  ASSERT_CU(launch(k, {1}, {1}, 0, data.address + 4));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(Exchange, AtomicsOn128Bits) {
  const std::string text = R"(
    .reg .b128 %q<5>; .shared .align 16 .b8 box[16];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1; cvt.u64.u32 %rd4, %r1;
    mov.u64 %rd2, 1; mov.u64 %rd3, 0; mov.b128 %q1, {%rd3, %rd3};
    AGAIN: mov.b128 {%rd5, %rd6}, %q1;
    add.u64 %rd7, %rd5, 1; sub.u64 %rd8, %rd6, %rd4; mov.b128 %q2, {%rd7, %rd8};
    atom.global.cas.b128 %q3, [%rd1], %q1, %q2;
    mov.b128 {%rd9, %rd10}, %q3; mov.b128 %q1, %q3;
    setp.ne.u64 %p1, %rd9, %rd5; setp.ne.or.u64 %p1, %rd10, %rd6, %p1;
    @%p1 bra AGAIN;
    mov.u32 %r4, box; mov.b128 %q4, {%rd4, %rd2};
    atom.shared.exch.b128 _, [%r4], %q4;
    bar.sync 0;
    atom.shared.exch.b128 %q4, [%r4], %q4;
    mov.b128 {%rd11, %rd12}, %q4;
    red.global.add.u64 [%rd1+16], %rd12;)";
  for (const char* workers : {R"({"workers": 1})", R"({"workers": 3})"}) {
    configure(workers);
    CUfunction k = body(text);
    Array<std::uint64_t> data(3);
    ASSERT_CU(api().to_device(data.address, data.host.data(), 24));
    ASSERT_CU(launch(k, {10}, {50}, 0, data.address));
    ASSERT_CU(data.fetch());
    EXPECT_EQ(data.host[0], 500u);
    EXPECT_EQ(data.host[1], std::uint64_t{0} - 500 * 499 / 2);
    EXPECT_EQ(data.host[2], 500u);
  }
}

TEST_F(Exchange, SpinLockInsideAWarp) {
  CUfunction k = body(R"(
    SPIN: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra SPIN;
    ld.volatile.global.u32 %r2, [%rd1+4]; add.s32 %r2, %r2, 1; st.volatile.global.u32 [%rd1+4], %r2;
    membar.gl; atom.global.exch.b32 %r3, [%rd1], 0;)");
  Array<int> data(2);
  configure(R"({"instruction_budget": 100000000})");
  ASSERT_CU(launch(k, {4}, {64}, 0, data.address));
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[1], 256);
}

TEST_F(Exchange, ComparisonsWithTwoResultsAndGuards) {
  const auto v = warp(R"(
    setp.lt.u32 %p1, %r1, 20; setp.gt.or.u32 %p2|%p3, %r1, 10, !%p1; mov.u32 %r9, 0;
    @%p2 add.s32 %r9, %r9, 1; @%p3 add.s32 %r9, %r9, 10; @!%p1 add.s32 %r9, %r9, 100;)");
  for (unsigned t = 0; t < 32; ++t) {
    const bool c = !(t < 20);
    EXPECT_EQ(v[t], (t > 10 || c ? 1u : 0u) + (!(t > 10) || c ? 10u : 0u) + (c ? 100u : 0u)) << t;
  }
}

TEST_F(Exchange, GuardedOperationsAreOfThoseWhoseGuardHolds) {
  const auto v = warp(R"(
    setp.lt.u32 %p1, %r1, 8; setp.lt.u32 %p3, %r1, 20; mov.u32 %r9, 0; mov.u32 %r5, 0;
    @%p1 shfl.sync.bfly.b32 %r9, %r1, 1, 31, 0xff;
    @!%p1 vote.sync.ballot.b32 %r9, %p3, 0xffffff00;
    @!%p3 redux.sync.add.u32 %r5, %r1, 0xfff00000; @%p3 bra L; add.u32 %r9, %r9, %r5;
    L: @%p3 match.any.sync.b32 %r6, %r1, 0xfffff; @%p3 add.u32 %r9, %r9, %r6;)");
  for (unsigned t = 0; t < 32; ++t) {
    const unsigned first = t < 8 ? t ^ 1 : 0xfff00, sum = t < 20 ? 1u << t : (20 + 31) * 6;
    EXPECT_EQ(v[t], first + sum) << t;
  }
}

TEST_F(Exchange, TrapEndsTheLaunch) {
  CUfunction k = body("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 3; @%p1 trap;");
  ASSERT_CU(launch(k, {1}, {32}, 0, CUdeviceptr{0}));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_FAILED);
  const Json report = reports().at(0);
  EXPECT_EQ(report["kind"], "trap");
  EXPECT_EQ(report["thread"], Json::array({3, 0, 0}));
}

}  // namespace
}  // namespace warpmark::test
