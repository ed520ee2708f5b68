// Asynchronous copies and barriers in shared memory, by real CUDA C++ and by PTX for the edges.
#include <numeric>
#include <random>

#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<int> random_ints(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(count);
  for (int& v : values) v = static_cast<int>(random() % 1000);
  return values;
}

class AsyncTest : public DeviceTest, public ::testing::WithParamInterface<const char*> {
 protected:
  CUfunction kernel(const char* name) {
    return DeviceTest::kernel(std::string("async.") + GetParam() + ".ptx", name);
  }
};

TEST_P(AsyncTest, ReversesThroughSharedMemory) {
  Array<float> in(512), out(512);
  std::iota(in.host.begin(), in.host.end(), 0.f);
  ASSERT_CU(api().to_device(in.address, in.host.data(), 2048));
  ASSERT_CU(launch(kernel("reverse"), {}, {128}, 0, in.address, out.address));
  ASSERT_CU(out.fetch());
  for (std::size_t i = 0; i < 512; ++i)
    ASSERT_EQ(out.host[i], static_cast<float>((127 - i / 4) * 4 + i % 4));
}

TEST_P(AsyncTest, StagesOfAPipeline) {
  constexpr int kBatches = 9;
  Array<int> in(random_ints(64 * kBatches, 1)), out(64);
  std::vector<int> expected(64);
  for (std::size_t t = 0; t < 64; ++t) {
    for (std::size_t b = 0; b < kBatches; ++b)
      expected[t] += in.host[b * 64 + 63 - t] * static_cast<int>(b + 1);
  }
  for (const char* name : {"two_stages", "pipeline"}) {
    ASSERT_CU(launch(kernel(name), {}, {64}, 0, in.address, out.address, kBatches));
    ASSERT_CU(out.fetch());
    EXPECT_EQ(out.host, expected) << name;
  }
}

TEST_P(AsyncTest, ACopyComesAboutWhereItIsWaitedFor) {
  Array<int> in(std::vector<int>(32, 7)), out(288);
  ASSERT_CU(launch(kernel("not_yet"), {}, {32}, 0, in.address, out.address));
  ASSERT_CU(out.fetch());
  const auto part = [&](int k) {
    return std::vector<int>(out.host.begin() + 32 * k, out.host.begin() + 32 * k + 32);
  };
  const bool there[9] = {false, false, false, true, false, false, true, true, true};
  for (int k = 0; k < 9; ++k) EXPECT_THAT(part(k), Each(there[k] ? 7 : -1)) << k;
}

TEST_P(AsyncTest, ZerosFillWhatIsNotRead) {
  Array<int> in(std::vector<int>{0x04030201, 0x08070605, 0x0c0b0a09, 0x100f0e0d}), out(20);
  ASSERT_CU(launch(kernel("partial"), {}, {1}, 0, in.address, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_THAT(out.host, ElementsAre(0x04030201, 0x0605, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, 0x0c0b0a09,
                                    0x100f0e0d, -1, -1, -1, -1, -1, -1));
}

TEST_P(AsyncTest, ABarrierInSharedMemoryCountsItsThreads) {
  constexpr int kRounds = 6, kThreads = 96;
  Array<int> data(kThreads);
  std::vector<int> expected(kThreads), next(kThreads);
  std::iota(expected.begin(), expected.end(), 0);
  for (int r = 0; r < kRounds; ++r) {
    for (std::size_t t = 0; t < kThreads; ++t) next[t] = expected[(t + 1) % kThreads] + r;
    expected = next;
  }
  ASSERT_CU(launch(kernel("block_barrier"), {}, {kThreads}, 0, data.address, kRounds));
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host, expected);
}

TEST_P(AsyncTest, ProducersAndConsumersFinish) {
  Array<int> in(random_ints(640, 2)), out(640);
  ASSERT_CU(launch(kernel("producer_consumer"), {}, {128}, 0, in.address, out.address, 640));
  ASSERT_CU(out.fetch());
  for (std::size_t i = 0; i < 640; ++i) ASSERT_EQ(out.host[i], 2 * in.host[i]) << i;
}

TEST_P(AsyncTest, ThreadsThatDropOutAreNotWaitedFor) {
  Array<int> out(40);
  ASSERT_CU(launch(kernel("drops"), {}, {64}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_THAT(out.host, Each(3 * 40));
}

TEST_P(AsyncTest, ABarrierWaitsForCopies) {
  Array<int> in(random_ints(256, 3)), out(256);
  ASSERT_CU(launch(kernel("barrier_copies"), {}, {256}, 0, in.address, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host, std::vector<int>(in.host.rbegin(), in.host.rend()));
}

INSTANTIATE_TEST_SUITE_P(Dialects, AsyncTest, ::testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& dialect) { return std::string(dialect.param); });

class BulkTest : public AsyncTest {};

TEST_P(BulkTest, CopiesInBothDirections) {
  constexpr int kSize = 2000;
  Array<int> in(random_ints(kSize, 4)), out(kSize);
  ASSERT_CU(launch(kernel("bulk"), {}, {64}, kSize * 4, in.address, out.address, kSize));
  ASSERT_CU(out.fetch());
  for (std::size_t i = 0; i < kSize; ++i) ASSERT_EQ(out.host[i], in.host[i] * 3 + 1);
}

TEST_P(BulkTest, ACopyBeyondItsMemoryFaults) {
  Array<int> in(256), out(256);
  ASSERT_CU(launch(kernel("bulk"), {}, {64}, 2048, in.address, out.address, 260));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const Json report = reports().at(0);
  EXPECT_EQ(report["access"], "read");
  EXPECT_EQ(report["allocation"]["distance"], 1);
}

INSTANTIATE_TEST_SUITE_P(Dialects, BulkTest, ::testing::Values("sm_90", "sm_100"),
                         [](const auto& dialect) { return std::string(dialect.param); });

class MbarrierTest : public DeviceTest {};

// One thread plays all parts, and writes what it sees to out[0…].
TEST_F(MbarrierTest, PhasesAndStates) {
  const auto test = [](const std::string& how, int index) {
    return how + "selp.u32 %r9, 1, 0, %p1; st.global.u32 [%rd1+" + std::to_string(4 * index) +
           "], %r9;\n";
  };
  const std::string try_state = "mbarrier.try_wait.shared::cta.b64 %p1, [b], %rd5;\n";
  CUfunction function = body(
      ".shared .align 8 .b64 b;\n"
      "mbarrier.init.shared.b64 [b], 3;\n"
      "mbarrier.arrive.shared.b64 %rd5, [b];\n"
      "mbarrier.pending_count.b64 %r1, %rd5; st.global.u32 [%rd1], %r1;\n" +
      test(try_state, 1) +
      "mbarrier.arrive.noComplete.shared.b64 %rd6, [b], 1;\n"
      "mbarrier.pending_count.b64 %r1, %rd6; st.global.u32 [%rd1+8], %r1;\n"
      // The last arrival expects bytes, so the phase is not over before they are there.
      "mbarrier.arrive.expect_tx.shared.b64 %rd7, [b], 64;\n" +
      test(try_state, 3) + "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], 40;\n" +
      test(try_state, 4) + "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], 24;\n" +
      test(try_state, 5) + test("mbarrier.test_wait.parity.shared.b64 %p1, [b], 0;\n", 6) +
      test("mbarrier.test_wait.parity.shared.b64 %p1, [b], 1;\n", 7) +
      // The next phase misses three arrivals again; two drop out for good, one arrives.
      "mbarrier.arrive_drop.shared.b64 %rd5, [b], 2;\n"
      "mbarrier.pending_count.b64 %r1, %rd5; st.global.u32 [%rd1+32], %r1;\n"
      "mbarrier.arrive.shared.b64 %rd6, [b];\n" +
      test(try_state, 9) +
      "mbarrier.arrive.shared.b64 %rd6, [b];\n"
      "mbarrier.pending_count.b64 %r1, %rd6; st.global.u32 [%rd1+40], %r1;\n" +
      test("mbarrier.test_wait.parity.shared.b64 %p1, [b], 0;\n", 11) +
      "mbarrier.inval.shared.b64 [b];\n");
  Array<int> out(12);
  ASSERT_CU(launch(function, {}, {}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_THAT(out.host, ElementsAre(3, 0, 2, 0, 0, 1, 1, 0, 3, 1, 1, 1));
}

// All who are left wait, and nobody is left to arrive.
TEST_F(MbarrierTest, ArrivalsThatNeverCome) {
  CUfunction k = body(R"(
    .shared .align 8 .b8 bar[8];
    mov.u32 %r1, bar; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra MADE;
    mbarrier.init.shared.b64 [%r1], 64;
    MADE: bar.sync 0;
    setp.eq.u32 %p2, %r2, 5; @%p2 bra OUT;
    mbarrier.arrive.shared.b64 %rd2, [%r1];
    AGAIN: mbarrier.try_wait.shared.b64 %p3, [%r1], %rd2; nanosleep.u32 20; @!%p3 bra AGAIN;
    OUT:)");
  ASSERT_CU(launch(k, {2}, {64}, 0, CUdeviceptr{0}));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  const std::string message = reports().at(0)["message"];
  EXPECT_THAT(message, ::testing::HasSubstr(
                           "63 threads wait at an mbarrier for 1 of 64 arrivals that never come"));
}

// A name stands for an address of its own space, also where a generic one is asked for.
TEST_F(MbarrierTest, NamesOfSharedVariablesAreAddresses) {
  CUfunction function = body(R"(
    .shared .align 8 .b64 first, b;
    mbarrier.init.b64 [b], 1; mbarrier.arrive.b64 %rd2, [b];
    mbarrier.test_wait.shared.b64 %p1, [b], %rd2; selp.u32 %r1, 1, 0, %p1;
    mov.u32 %r2, b; mapa.shared::cluster.u32 %r2, %r2, 0;
    mapa.shared::cluster.u32 %r3, b, 0; sub.u32 %r3, %r3, %r2;
    mov.u64 %rd3, b; cvta.shared.u64 %rd3, %rd3; mapa.u64 %rd3, %rd3, 0;
    mapa.u64 %rd4, b+4, 0; sub.u64 %rd4, %rd4, %rd3; cvt.u32.u64 %r4, %rd4;
    getctarank.u64 %r5, first+8;
    st.global.v4.u32 [%rd1], {%r1, %r3, %r4, %r5};)");
  Array<int> out(4);
  ASSERT_CU(launch(function, {}, {}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_THAT(out.host, ElementsAre(1, 0, 4, 0));
}

TEST_F(MbarrierTest, OneOutsideSharedMemoryFaults) {
  CUfunction function = body("mov.b64 %rd5, 1; mbarrier.init.b64 [%rd1], 3;");
  Array<int> out(12);
  ASSERT_CU(launch(function, {}, {}, 0, out.address));
  ASSERT_CU(api().synchronize());  // a generic address of global memory is memory
  ASSERT_CU(launch(body(".shared .align 8 .b64 b; mbarrier.init.shared.b64 [b+8], 3;"), {}, {}, 0,
                   out.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

}  // namespace
}  // namespace warpmark::test
