// Forward progress, orders of a schedule's seed, what a limit reports, and constant memory.
#include <algorithm>
#include <numeric>
#include <set>

#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

using ::testing::HasSubstr;

class ScheduleTest : public DeviceTest, public ::testing::WithParamInterface<const char*> {
 protected:
  CUfunction kernel(const char* name) {
    return DeviceTest::kernel(std::string("schedule.") + GetParam() + ".ptx", name);
  }
  static void use_seed(unsigned seed) {
    configure((R"({"schedule_seed": )" + std::to_string(seed) + "}").c_str());
  }
  static constexpr unsigned kSeeds[] = {0, 1, 2, 3, 77};
};

TEST_P(ScheduleTest, LocksBetweenThreadsOfAWarpAndOfBlocks) {
  for (const unsigned seed : kSeeds) {
    use_seed(seed);
    for (const char* name : {"intra_warp_lock", "plain_lock"}) {
      Array<int> count(1);
      ASSERT_CU(launch(kernel(name), {3}, {96}, 0, count.address));
      ASSERT_CU(count.fetch());
      EXPECT_EQ(count.host[0], 288) << name << " with seed " << seed;
    }
  }
}

TEST_P(ScheduleTest, ABlockMayWaitForALaterOne) {
  constexpr int kBlocks = 50;
  for (const unsigned seed : kSeeds) {
    use_seed(seed);
    Array<int> flags(kBlocks), out(kBlocks);
    ASSERT_CU(launch(kernel("chain"), {kBlocks}, {32}, 0, flags.address, out.address));
    ASSERT_CU(out.fetch());
    for (int b = 0; b < kBlocks; ++b)
      ASSERT_EQ(out.host[static_cast<std::size_t>(b)], kBlocks - b) << seed;
  }
}

// A thread that waits for one that has failed waits for ever; the launch does not.
TEST_F(DeviceTest, AFailureEndsALaunchThatWaits) {
  CUfunction k = body(R"(
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 32;
    @!%p1 bra FAILS;
    WAITS: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @%p3 bra WAITS;
    ret;
    FAILS: @!%p2 bra WAITS;
    mov.u64 %rd2, 16; st.global.u32 [%rd2], %r1;
    ld.global.u32 %r4, [%rd2]; st.volatile.global.u32 [%rd1], %r4;)");
  Array<int> flag(1);
  ASSERT_CU(launch(k, {3}, {64}, 0, flag.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_P(ScheduleTest, AGridMeetsAtABarrierOfItsOwn) {
  constexpr int kBlocks = 64, kThreads = 32 * kBlocks;
  for (const unsigned seed : kSeeds) {
    use_seed(seed);
    CUfunction function = kernel("grid_barrier");  // loaded anew, with its counter at 0
    Array<int> a(kThreads), b(kThreads);
    ASSERT_CU(launch(function, {kBlocks}, {32}, 0, a.address, b.address));
    ASSERT_CU(b.fetch());
    for (int i = 0; i < kThreads; ++i)
      ASSERT_EQ(b.host[static_cast<std::size_t>(i)], 3 * (kThreads - 1 - i)) << seed;
  }
}

TEST_P(ScheduleTest, ASeedGivesAnOrderOfItsOwnOnAnyNumberOfWorkers) {
  CUfunction function = kernel("ranks");
  std::set<std::vector<int>> orders;
  for (const unsigned seed : kSeeds) {
    use_seed(seed);
    std::vector<int> first;
    for (const char* workers : {R"({"workers":1})", R"({"workers":1})", R"({"workers":3})"}) {
      configure(workers);
      Array<int> next(1), out(640);
      ASSERT_CU(launch(function, {5}, {128}, 0, next.address, out.address));
      ASSERT_CU(out.fetch());
      if (first.empty()) first = out.host;
      EXPECT_EQ(out.host, first) << seed;
      std::sort(out.host.begin(), out.host.end());
      for (int i = 0; i < 640; ++i) ASSERT_EQ(out.host[static_cast<std::size_t>(i)], i);
    }
    if (seed == 0) {
      EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
    }
    orders.insert(first);
  }
  EXPECT_EQ(orders.size(), std::size(kSeeds));
}

// Thread 0 clears what all add to, and nothing orders that; with `barrier` a barrier does.
std::string sum_by_exchange(const std::string& barrier) {
  return ".shared .b32 sum; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.u64 %rd2, sum;\n"
         "@%p1 bra ADDS; atom.shared.exch.b32 %r2, [%rd2], 0; ADDS:" +
         barrier +
         "atom.shared.add.u32 %r3, [%rd2], 1; bar.sync 0;\n"
         "@%p1 bra END; atom.shared.add.u32 %r4, [%rd2], 0; st.global.u32 [%rd1], %r4; END:";
}

std::uint64_t schedules_of_last() {
  std::uint64_t schedules = 0;
  for (const Json& launch : counters()) schedules = launch.value("schedules", 0u);
  return schedules;
}

TEST_F(DeviceTest, SeedsThatFollowEachOtherShowWhatTheUsualOrderHides) {
  for (const std::string& barrier : {std::string("bar.sync 0;"), std::string()}) {
    CUfunction k = body(sum_by_exchange(barrier));
    std::set<int> sums;
    const auto sum_with = [&](std::uint64_t seed) {
      configure((R"({"schedule_seed": )" + std::to_string(seed) + "}").c_str());
      Array<int> out(1);
      EXPECT_CU(launch(k, {1}, {96}, 0, out.address));
      EXPECT_CU(out.fetch());
      return out.host[0];
    };
    EXPECT_EQ(sum_with(0), 96);
    const std::uint64_t schedules = schedules_of_last();
    EXPECT_EQ(schedules, 5) << "two ways, and one for each access that the order decides";
    for (std::uint64_t seed = 1000; seed < 1000 + schedules; ++seed) {
      const int sum = sum_with(seed);
      EXPECT_EQ(sum, sum_with(seed));
      sums.insert(sum);
    }
    EXPECT_EQ(sums == std::set<int>{96}, !barrier.empty());
  }
}

// Operations that add up the same in any order have one schedule.
TEST_F(DeviceTest, TheOrderDecidesNothingOfSumsThatCommute) {
  const std::pair<const char*, std::uint64_t> bodies[] = {
      {"atom.global.add.u32 %r1, [%rd1], 1;", 0},
      {"red.global.max.u32 [%rd1], 1; red.shared.add.u32 [s], 1;", 0},
      {"ld.volatile.global.u32 %r1, [%rd1];", 0},
      {"red.global.max.u32 [%rd1], 1; red.global.add.u32 [%rd1], 1;", 3},
      {"red.global.add.f32 [%rd1], 0f3F800000;", 3},
      {"red.global.inc.u32 [%rd1], 7;", 3},
      {"atom.global.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1+4], %r1;", 3},
      {"st.relaxed.gpu.global.u32 [%rd1], 1; ld.relaxed.gpu.global.u32 %r1, [%rd1];", 4}};
  for (const auto& [text, schedules] : bodies) {
    CUfunction k = body(".shared .b32 s[4];\n" + std::string(text));
    for (const unsigned threads : {1u, 64u}) {
      Array<int> out(4);
      ASSERT_CU(launch(k, {1}, {threads}, 0, out.address));
      ASSERT_CU(out.fetch());
      EXPECT_EQ(schedules_of_last(), threads == 1 ? 0 : schedules) << text;
    }
  }
}

TEST_P(ScheduleTest, ALimitReportsWhoWaitsWhereForWhat) {
  configure(R"({"instruction_budget": 200000})");
  Array<int> flag(1);
  ASSERT_CU(launch(kernel("waits_for_nobody"), {2}, {64}, 0, flag.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  const std::vector<Json> lines = reports();
  ASSERT_GE(lines.size(), 3u);
  EXPECT_EQ(lines[0]["kind"], "limit");
  bool polls = false, waits = false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["kind"], "waiting");
    EXPECT_TRUE(lines[i].contains("ptx_line"));
    const std::string message = lines[i]["message"];
    if (message.find("poll") != std::string::npos) {
      polls = true;
      EXPECT_EQ(lines[i]["thread"], Json::parse("[40,0,0]"));
    }
    if (message.find("63 of 64 threads wait at barrier 0") != std::string::npos) waits = true;
  }
  EXPECT_TRUE(polls);
  EXPECT_TRUE(waits);
}

TEST_P(ScheduleTest, ConstantMemoryIsReadAndNotWritten) {
  Array<int> out(1);
  ASSERT_CU(launch(kernel("reads_constant"), {}, {}, 0, out.address, 3));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host[0], 4 + 1);
  for (const char* name : {"writes_through", "adds_through"}) {
    Array<std::uint64_t> address(1);
    ASSERT_CU(launch(kernel("address_of_constant"), {}, {}, 0, address.address));
    ASSERT_CU(address.fetch());
    ASSERT_CU(launch(kernel(name), {}, {}, 0, address.host[0]));
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_THAT(reports().at(0)["message"], AllOf(HasSubstr("forbidden global write of 4 bytes"),
                                                  HasSubstr("read-only allocation")));
    TearDown();
    SetUp();
  }
}

INSTANTIATE_TEST_SUITE_P(Dialects, ScheduleTest, ::testing::Values("sm_75", "sm_90", "sm_100"),
                         [](const auto& dialect) { return std::string(dialect.param); });

}  // namespace
}  // namespace warpmark::test
