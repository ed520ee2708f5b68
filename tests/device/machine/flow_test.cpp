// Divergence, barriers, registers and memories of a block, and forward progress, against the same
// code on the host.
#include <chrono>
#include <cstdint>
#include <numeric>

#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

class Flow : public DeviceTest, public ::testing::WithParamInterface<const char*> {
 protected:
  CUfunction flow(const char* name) {
    return kernel(std::string("flow.sm_") + GetParam() + ".ptx", name);
  }
};
INSTANTIATE_TEST_SUITE_P(Architectures, Flow, ::testing::Values("75", "90", "100"));

int nested(int t) {
  int r = 0;
  if (t & 1) {
    if (t & 2) {
      for (int i = 0; i < t; ++i) r += i ^ t;
    } else {
      int i = t;
      do {
        r += 3 * i;
        i /= 2;
      } while (i > 0);
    }
    if ((t & 12) == 12) return -r;
  } else {
    switch (t % 5) {
      case 0:
        r = 7;
        break;
      case 1:
        r = t * t;
        break;
      case 2:
        r = -1;
        break;
      default:
        r = t + 100;
    }
  }
  for (int i = 0; i < t % 7; ++i) {
    if (i == 4) continue;
    if (r > 5000) break;
    r = r * 3 + i;
  }
  return r;
}

TEST_P(Flow, NestedBranchesLoopsAndEarlyReturns) {
  const int n = 1000;
  Array<int> out(std::vector<int>(1024, 12345));
  ASSERT_CU(launch(flow("nested"), {8}, {128}, 0, out.address, n));
  ASSERT_CU(out.fetch());
  for (int t = 0; t < 1024; ++t)
    ASSERT_EQ(out.host[t], t < n ? nested(t) : 12345) << "thread " << t;
}

TEST_P(Flow, SharedMemoryTreeAcrossWarps) {
  const int n = 1000;
  Array<float> in(n), out(4);
  for (int i = 0; i < n; ++i) in.host[i] = static_cast<float>(i % 17);  // sums are exact
  ASSERT_CU(api().to_device(in.address, in.host.data(), n * 4));
  ASSERT_CU(launch(flow("block_sum"), {4}, {256}, 0, in.address, out.address, n));
  ASSERT_CU(out.fetch());
  for (int b = 0; b < 4; ++b) {
    const int end = std::min(n, (b + 1) * 256);
    EXPECT_EQ(out.host[b], std::accumulate(in.host.begin() + b * 256, in.host.begin() + end, 0.0f));
  }
}

TEST_P(Flow, DynamicSharedMemoryInPartialWarps) {
  for (const int n : {1, 31, 33, 100}) {
    Array<int> a(n);
    std::iota(a.host.begin(), a.host.end(), 5);
    const std::vector<int> before = a.host;
    ASSERT_CU(api().to_device(a.address, a.host.data(), n * 4));
    ASSERT_CU(
        launch(flow("reverse_dynamic"), {1}, {static_cast<unsigned>(n)}, n * 4, a.address, n));
    ASSERT_CU(a.fetch());
    EXPECT_TRUE(std::equal(before.rbegin(), before.rend(), a.host.begin())) << n;
  }
}

TEST_P(Flow, BarrierDoesNotWaitForThreadsThatHaveLeft) {
  Array<int> a(128);
  std::iota(a.host.begin(), a.host.end(), 0);
  ASSERT_CU(api().to_device(a.address, a.host.data(), 512));
  ASSERT_CU(launch(flow("early_return"), {1}, {128}, 0, a.address, 50));
  ASSERT_CU(a.fetch());
  for (int t = 0; t < 128; ++t) EXPECT_EQ(a.host[t], t < 50 ? (t + 1) % 50 : t);
}

TEST_P(Flow, BlocksAndGridsOfThreeDimensions) {
  const Dim grid{3, 2, 2}, block{5, 3, 4};
  const unsigned w = 15, h = 6, d = 8;
  Array<unsigned> out(w * h * d);
  ASSERT_CU(launch(flow("volume"), grid, block, 0, out.address));
  ASSERT_CU(out.fetch());
  for (unsigned i = 0; i < w * h * d; ++i) {
    ASSERT_EQ(out.host[i], i % w | (i / w % h) << 8 | (i / w / h) << 16) << i;
  }
}

TEST_P(Flow, LocalArrays) {
  Array<int> out(77);
  ASSERT_CU(launch(flow("local_table"), {1}, {77}, 0, out.address, 23));
  ASSERT_CU(out.fetch());
  for (int t = 0; t < 77; ++t) {
    int table[16], sum = 0;
    for (int i = 0; i < 16; ++i) table[(i * 5 + t) & 15] = i * t;
    for (int i = 0; i < 23; ++i) sum += table[(t + i * i) & 15] * (i + 1);
    ASSERT_EQ(out.host[t], sum) << t;
  }
}

// PyCUDA's reductions end like this, without __syncwarp: only lockstep gives the sum.
TEST_P(Flow, WarpSynchronousTail) {
  Array<float> a(64 + 64);
  for (int i = 0; i < 64; ++i) a.host[i] = static_cast<float>(i);
  ASSERT_CU(api().to_device(a.address, a.host.data(), 512));
  // The unrolled tail reads past its 64 values in upper lanes; the array is padded, shared memory
  // is not: lanes 1 … 31 leave its bounds by nothing, since t + 32 <= 63.
  ASSERT_CU(launch(flow("warp_tail"), {1}, {32}, 0, a.address));
  ASSERT_CU(a.fetch());
  EXPECT_EQ(a.host[0], 63 * 64 / 2);
}

TEST_P(Flow, WhoSpinsDoesNotStarveWhoItWaitsFor) {
  for (const auto& [name, value] :
       {std::pair{"handoff", 42}, {"lane_handoff", 43}, {"block_handoff", 44}}) {
    Array<int> flag(1), out(1);
    ASSERT_CU(launch(flow(name), {40}, {64}, 0, flag.address, out.address));
    ASSERT_CU(out.fetch());
    EXPECT_EQ(out.host[0], value) << name;
  }
}

TEST_P(Flow, AnEndlessLoopEndsAtItsBudget) {
  configure(R"({"instruction_budget": 1000000})");
  for (const char* name : {"endless", "branch_endless"}) {
    Array<int> a(64);
    ASSERT_CU(launch(flow(name), {2}, {32}, 0, a.address));
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
    const std::vector<Json> found = reports();
    ASSERT_GE(found.size(), 2u);
    EXPECT_EQ(found[0]["kind"], "limit");
    EXPECT_EQ(found[0]["kernel"], name);
    for (std::size_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i]["kind"], "waiting");
    const std::uint64_t executed = counters().at(0)["ptx_thread_instructions"];
    EXPECT_GE(executed, 1000000u);
    EXPECT_LT(executed, 1010000u);
    TearDown();
    SetUp();
    configure(R"({"instruction_budget": 1000000})");
  }
}

TEST_P(Flow, AnEndlessLoopEndsAtTheWallLimit) {
  configure(R"({"wall_limit_ms": 50})");
  Array<int> a(64);
  ASSERT_CU(launch(flow("endless"), {2}, {32}, 0, a.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_EQ(reports().at(0)["kind"], "limit");
}

class Registers : public DeviceTest {};

// Blocks run one after the other in the same registers, and only those that may show are renewed.
TEST_F(Registers, NothingOfAnEarlierBlockIsSeen) {
  CUfunction k = body(R"(
    mov.u32 %r1, %ctaid.x; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mov.u32 %r3, %laneid;
    setp.lt.u32 %p2, %r3, 16;
    red.global.or.b32 [%rd1], %r10;                           // never written before
    @%p1 mov.u32 %r11, 7;
    @!%p1 red.global.or.b32 [%rd1+4], %r11;                   // written by other blocks alone
    @%p1 bra ODD; bra JOIN;
    ODD: mov.u64 %rd10, 9;
    JOIN: cvt.u32.u64 %r20, %rd10;
    @!%p1 red.global.or.b32 [%rd1+8], %r20;                   // on another path
    @%p5 red.global.or.b32 [%rd1+12], 5;                      // a predicate
    @%p2 bra LOW; bra SHUFFLE;
    LOW: mov.u32 %r12, 0;
    SHUFFLE: shfl.sync.idx.b32 %r21, %r12, 31, 31, -1;        // of a lane that has not written it
    red.global.or.b32 [%rd1+16], %r21;
    mov.b64 {%r22, %r23}, %rd11;                              // both halves of a wide one
    red.global.or.b32 [%rd1+20], %r23;
    setp.eq.u32 %p7, %r3, 40; @%p7 bar.sync %r13;             // a number that no thread needs
    mov.u32 %r24, 0;
    LOOP: setp.eq.u32 %p3, %r24, 0; @%p3 bra SKIP; mov.u32 %r14, 3;
    SKIP: red.global.or.b32 [%rd1+24], %r15;                  // in a loop, before its own value
    add.u32 %r24, %r24, 1; setp.lt.u32 %p3, %r24, 2; @%p3 bra LOOP;
    @%p6 bra SET; bra CLEAR;                                  // a predicate of a branch
    SET: red.global.or.b32 [%rd1+28], 6;
    CLEAR: @%p2 setp.eq.u32 %p8, %r3, 99; @%p8 bra OF_SOME; bra END;  // … that some lanes write
    OF_SOME: red.global.or.b32 [%rd1+32], 7;
    END: setp.eq.u32 %p6, %r10, %r10; setp.eq.u32 %p8, %r10, %r10;
    mov.u32 %r10, 1; mov.u32 %r12, 2; mov.u64 %rd11, -1; mov.u32 %r13, 3; mov.u32 %r15, 4;
    setp.eq.u32 %p5, %r10, 1;)");
  Array<int> out(std::vector<int>(9, 0));
  ASSERT_CU(launch(k, {20000}, {32}, 0, out.address));
  ASSERT_CU(out.fetch());
  for (int i = 0; i < 9; ++i) EXPECT_EQ(out.host[i], 0) << "value " << i;
}

class Barriers : public DeviceTest {};

TEST_F(Barriers, DivergedLanesOfOneWarpMeetAtABarrier) {
  // Even and odd lanes reach two different bar.sync 0; both count for the same barrier.
  CUfunction k = body(R"(
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    @%p1 bra EVEN;
    mov.u32 %r3, 7; bar.sync 0; bra DONE;
    EVEN: mov.u32 %r3, 9; bar.sync 0;
    DONE: st.global.u32 [%rd3], %r3;)");
  Array<int> out(48);
  ASSERT_CU(launch(k, {1}, {48}, 0, out.address));
  ASSERT_CU(out.fetch());
  for (int t = 0; t < 48; ++t) EXPECT_EQ(out.host[t], t % 2 == 0 ? 9 : 7);
}

TEST_F(Barriers, NamedBarriersCountThreads) {
  // Warp 1 produces, warp 0 consumes, warp 2 takes no part; 64 threads meet at barrier 3.
  CUfunction k = body(R"(
    .shared .align 4 .b8 box[4];
    mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;
    setp.eq.u32 %p1, %r2, 2; @%p1 ret;
    setp.eq.u32 %p2, %r2, 0; @%p2 bra CONSUME;
    mov.u32 %r3, 123; st.shared.u32 [box], %r3; bar.arrive 3, 64; ret;
    CONSUME: bar.sync 3, 64; ld.shared.u32 %r4, [box]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r4;)");
  Array<int> out(32);
  ASSERT_CU(launch(k, {1}, {96}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host, std::vector<int>(32, 123));
}

TEST_F(Barriers, EverySpellingIsTheSameBarrier) {
  // 40 of 64 threads vote; .aligned stands before the type, and .cta is what is meant without it.
  for (const std::string prefix : {"bar.", "barrier.", "bar.cta.", "barrier.cta."}) {
    for (const std::string aligned : {"", ".aligned"}) {
      if (prefix.starts_with("bar.") && !aligned.empty()) continue;
      CUfunction k = body("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 40; " + prefix + "red.popc" +
                          aligned + ".u32 %r2, 0, %p1; " + prefix + "red.and" + aligned +
                          ".pred %p2, 1, 64, %p1; " + prefix + "red.or" + aligned +
                          ".pred %p3, 1, %p1; @%p2 add.u32 %r2, %r2, 1000; "
                          "@%p3 add.u32 %r2, %r2, 100; setp.lt.u32 %p1, %r1, 32; @%p1 bra FIRST; " +
                          prefix + "arrive" + aligned + " 2, 64; bra DONE; FIRST: " + prefix +
                          "sync" + aligned +
                          " 2, 64; DONE: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; "
                          "st.global.u32 [%rd3], %r2;");
      Array<int> out(64);
      ASSERT_CU(launch(k, {1}, {64}, 0, out.address));
      ASSERT_CU(out.fetch()) << prefix << aligned;
      EXPECT_EQ(out.host, std::vector<int>(64, 140)) << prefix << aligned;
    }
  }
}

// A kernel that counts or queues by multiprocessor finds as many as the device says that it has.
TEST_F(Barriers, BlocksAreNumberedOverTheMultiprocessors) {
  CUfunction k = body(
      "mov.u32 %r1, %smid; mov.u32 %r2, %nsmid; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y; "
      "mad.lo.u32 %r5, %r4, 100, %r3; mul.wide.u32 %rd2, %r5, 8; add.u64 %rd3, %rd1, %rd2; "
      "st.global.v2.u32 [%rd3], {%r1, %r2};");
  int count = 0;
  ASSERT_CU(api().find<CUresult(int*, CUdevice_attribute, CUdevice)>("cuDeviceGetAttribute")(
      &count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  Array<int> out(2 * 300);
  ASSERT_CU(launch(k, {100, 3}, {1}, 0, out.address));
  ASSERT_CU(out.fetch());
  for (int block = 0; block < 300; ++block) {
    EXPECT_EQ(out.host[2 * block], block % count) << block;
    EXPECT_EQ(out.host[2 * block + 1], count) << block;
  }
}

TEST_F(Barriers, ABarrierThatCannotCompleteIsReported) {
  CUfunction k = body(R"(
    mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra A;
    bar.sync 1; bra DONE;
    A: bar.sync 2;
    DONE:)");
  ASSERT_CU(launch(k, {1}, {64}, 0, CUdeviceptr{0}));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  const std::vector<Json> found = reports();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0]["kind"], "barrier");
  EXPECT_THAT(found[0]["message"].get<std::string>(),
              ::testing::HasSubstr("32 of 64 threads wait at barrier 2"));
}

TEST_F(Barriers, ABarrierNumberBeyond15IsRefused) {
  CUfunction k = body("mov.u32 %r1, 16; bar.sync %r1;");
  ASSERT_CU(launch(k, {1}, {32}, 0, CUdeviceptr{0}));
  EXPECT_NE(api().synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(reports().at(0)["kind"], "barrier");
}

TEST_F(Barriers, WarpBarrierWaitsForTheLanesOfItsMask) {
  CUfunction k = body(R"(
    .shared .align 4 .b8 box[128];
    mov.u32 %r1, %laneid; mul.wide.u32 %rd2, %r1, 4; cvt.u32.u64 %r5, %rd2; mov.u32 %r6, box; add.s32 %r6, %r6, %r5;
    setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;
    st.shared.u32 [%r6], %r1; bar.warp.sync -1; bra DONE;
    LOW: bar.warp.sync 0xffffffff; ld.shared.u32 %r7, [%r6+64]; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r7;
    DONE:)");
  Array<int> out(16);
  ASSERT_CU(launch(k, {1}, {32}, 0, out.address));
  ASSERT_CU(out.fetch());
  for (int t = 0; t < 16; ++t) EXPECT_EQ(out.host[t], t + 16);
}

}  // namespace
}  // namespace warpmark::test
