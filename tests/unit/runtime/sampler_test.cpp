// The sampler on a fake driver: what it queues, and in which order.
#include "worker/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <thread>

#include "base/file.hpp"
#include "support/fake_driver.hpp"
#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using std::chrono::seconds;
using testing::AnyOf;
using testing::Each;

// A case of one launch with one `inout` buffer, on a device of the test's.
class SamplerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (!compiler_is_there(reason)) GTEST_SKIP() << reason;
    fake_.kernels["k"] = {{{0, 8}}};
    fake_.add_timing_kernels();
    fake_.attributes[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = 4096;
    fake_.attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 4;
    fake_.attributes[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] = 2048;
    fake_.attributes[CU_DEVICE_ATTRIBUTE_WARP_SIZE] = 32;
    fake_.kernel_ms = [this](const FakeLaunch& launch) {
      return launch.kernel == "k" ? kernel_ms_ : 0.02;
    };
    context_ = Context::create(fake_.device());
    kernels_.emplace(context_, Compiler(Nvrtc::open(), CompileCache(folder_.path())), 90);
    const Module module(context_, "image", "k.cu");
    run_.buffers.push_back({"x", "float32", 64, true, true, {}});
    run_.steps.emplace_back(protocol::Launch{0, {2, 1, 1}, {64, 1, 1}, 0, {"x"}});
    case_.emplace(context_, std::vector<Function>{module.function("k")}, module, run_);
    module_.push_back({module, std::vector<std::string>{}});
    options_.min_samples = 5;
    options_.min_seconds = 0;
  }

  TimedSeries sample(TimingMode mode, Restore restore = Restore::never, double budget_s = 5) {
    if (restore != Restore::never) case_->keep_initial();
    NewState state(*kernels_, *case_, {context_, find_variables(module_)},
                   restore != Restore::never, 0);
    Sampler sampler(context_, *kernels_, {{*case_, state, memory_, restore}});
    return sampler.sample(mode, options_, budget_s).front();
  }

  void set_initial(const std::vector<float>& values) {
    memory_.at(0).initial = SharedMemory::create(64);
    std::memcpy(memory_[0].initial->bytes().data(), values.data(), 64);
    case_->restore(memory_, 0);
  }

  // The launches after the warm-up, which ends with the first launch of ours.
  std::vector<std::string> launched() const {
    std::vector<std::string> names;
    for (const FakeLaunch& launch : fake_.launches) {
      if (names.empty() && launch.kernel == "k") continue;
      names.push_back(launch.kernel);
    }
    return names;
  }

  const TemporaryFolder folder_{"warpmark-sampler"};
  FakeDriver fake_;
  double kernel_ms_ = 0.5;
  std::shared_ptr<Context> context_;
  std::optional<TimingKernels> kernels_;
  protocol::Run run_;
  std::optional<DeviceRun> case_;
  std::vector<LoadedModule> module_;
  std::vector<BufferMemory> memory_{1};
  TimingOptions options_;
};

TEST_F(SamplerTest, AColdSampleIsOneRunAfterAFlush) {
  const TimedSeries series = sample(TimingMode::cold);
  EXPECT_EQ(series.mode, TimingMode::cold);
  EXPECT_EQ(series.batch, 1U);
  EXPECT_EQ(series.stop, StopReason::precise);
  EXPECT_TRUE(series.latency_hidden);
  EXPECT_GE(series.seconds.size(), 5U);
  EXPECT_THAT(series.seconds, Each(testing::DoubleNear(0.5e-3, 1e-9)));
  const std::vector<std::string> names = launched();
  ASSERT_GE(names.size(), 10U);
  // After each fourth, from the first on, the same of an empty kernel.
  EXPECT_THAT(std::vector(names.begin(), names.begin() + 12),
              testing::ElementsAre("warpmark_clock", "warpmark_scrub", "warpmark_read", "k",
                                   "warpmark_read", "warpmark_empty", "warpmark_scrub",
                                   "warpmark_read", "k", "warpmark_scrub", "warpmark_read", "k"));
  EXPECT_EQ(names.back(), "warpmark_clock");
  EXPECT_THAT(series.empty_seconds, Each(testing::DoubleNear(0.02e-3, 1e-9)));
  EXPECT_GE(4 * series.empty_seconds.size(), series.seconds.size());
  const auto flush = std::find_if(fake_.launches.begin(), fake_.launches.end(),
                                  [](const FakeLaunch& l) { return l.kernel == "warpmark_read"; });
  EXPECT_EQ(flush->argument<uint64_t>(1), 2 * 4096U / 16) << "twice the cache, in vectors";
}

TEST_F(SamplerTest, AHotSampleIsABatchBehindAWait) {
  kernel_ms_ = 0.0101;
  const TimedSeries series = sample(TimingMode::hot);
  EXPECT_EQ(series.batch, 20U) << "200 us of runs";
  EXPECT_THAT(series.seconds, Each(testing::DoubleNear(1.01e-5, 1e-9)));
  const std::vector<std::string> names = launched();
  ASSERT_GE(names.size(), 5 * 21U);
  for (size_t i = 0; i < 42; ++i) {
    const char* expected = i % 21 == 0 ? "warpmark_wait" : i < 21 ? "k" : "warpmark_empty";
    EXPECT_EQ(names[1 + i], expected) << i;
  }
  EXPECT_THAT(series.empty_seconds, Each(testing::DoubleNear(0.02e-3, 1e-9))) << "of one of 20";
}

// A multiprocessor whose clock falls from 1980 to 990 MHz while samples are taken.
TEST_F(SamplerTest, AClockThatChangesIsRecorded) {
  double mhz = 1980;
  const auto runs = fake_.on_launch;
  fake_.on_launch = [&, runs](const FakeLaunch& launch) {
    if (launch.kernel != "warpmark_clock") return runs ? runs(launch) : CUDA_SUCCESS;
    const auto passed = reinterpret_cast<uint64_t*>(launch.argument<CUdeviceptr>(1));
    passed[0] = 1'980'000;
    passed[1] = static_cast<uint64_t>(1e3 * 1'980'000 / mhz);
    mhz = 990;
    return CUDA_SUCCESS;
  };
  const TimedSeries series = sample(TimingMode::cold);
  EXPECT_DOUBLE_EQ(series.clock_mhz.value_or(0), 1485);
  EXPECT_DOUBLE_EQ(series.clock_change.value_or(0), 0.5);
}

TEST_F(SamplerTest, ALongRunIsABatchOfItsOwn) {
  kernel_ms_ = 3;
  EXPECT_EQ(sample(TimingMode::hot).batch, 1U);
}

TEST_F(SamplerTest, LateSamplesAreThrownAwayAndTheWaitGrows) {
  int queries = 0;
  fake_.event_passed = [&] { return ++queries <= 50; };
  const TimedSeries series = sample(TimingMode::cold);
  EXPECT_TRUE(series.latency_hidden);
  EXPECT_EQ(series.late, 40U) << "a group of 32, and 8 of the next; and 10 of the empty kernel";
  EXPECT_GE(series.seconds.size(), 5U);
  std::vector<uint64_t> waits;
  for (const FakeLaunch& launch : fake_.launches) {
    if (launch.kernel == "warpmark_wait") waits.push_back(launch.argument<uint64_t>(0));
  }
  ASSERT_FALSE(waits.empty());
  EXPECT_THAT(waits, Each(AnyOf(20000U, 40000U, 80000U))) << "ns";
}

TEST_F(SamplerTest, WhereTheHostIsAlwaysLateItIsSaid) {
  fake_.event_passed = [] { return true; };
  const TimedSeries series = sample(TimingMode::cold);
  EXPECT_FALSE(series.latency_hidden);
  EXPECT_GE(series.seconds.size(), 5U);
  EXPECT_EQ(series.stop, StopReason::precise);
}

TEST_F(SamplerTest, AnUnsteadyKernelEndsWithItsBudget) {
  int launches = 0;
  fake_.kernel_ms = [&](const FakeLaunch&) { return 1 + 0.01 * (++launches % 100); };
  options_.precision = 1e-9;
  options_.max_samples = 1'000'000'000;
  const auto start = Sampler::Clock::now();
  const TimedSeries series = sample(TimingMode::cold, Restore::never, 0.2);
  EXPECT_EQ(series.stop, StopReason::budget);
  EXPECT_GE(Sampler::Clock::now() - start, std::chrono::milliseconds(200));
}

TEST_F(SamplerTest, ABudgetThatTheWarmUpSpendsGivesItsTime) {
  const TimedSeries series = sample(TimingMode::cold, Restore::never, 0);
  EXPECT_EQ(series.stop, StopReason::budget);
  ASSERT_EQ(series.seconds.size(), 1U);
  EXPECT_NEAR(series.seconds[0], 0.5e-3, 1e-9);
  EXPECT_FALSE(series.latency_hidden);
  EXPECT_EQ(fake_.launches.size(), 1U);
  for (const TimingMode mode : {TimingMode::cold_graph, TimingMode::upload})
    EXPECT_TRUE(sample(mode, Restore::never, 0).seconds.empty()) << "one run tells nothing of it";
}

TEST_F(SamplerTest, InoutBuffersAreRestoredBeforeEachSample) {
  const auto copies = [&] {
    return std::count(fake_.calls.begin(), fake_.calls.end(), "cuMemcpyDtoDAsync_v2");
  };
  sample(TimingMode::cold);
  EXPECT_EQ(copies(), 0);
  kernel_ms_ = 0.0101;
  EXPECT_EQ(sample(TimingMode::hot, Restore::each).batch, 1U);
  EXPECT_GE(copies(), 5);
  EXPECT_EQ(sample(TimingMode::hot, Restore::batch).batch, 20U);
}

TEST_F(SamplerTest, AHotGraphIsOfRunsOnTheSameBuffers) {
  kernel_ms_ = 0.0101;
  fake_.graph_ms = 0.05;
  const TimedSeries series = sample(TimingMode::hot_graph);
  EXPECT_EQ(series.mode, TimingMode::hot_graph);
  EXPECT_EQ(series.batch, 20U) << "200 us of runs";
  EXPECT_THAT(series.seconds, Each(testing::DoubleNear((0.05 + 20 * 0.0101) / 20 * 1e-3, 1e-9)));
  EXPECT_THAT(series.empty_seconds, Each(testing::DoubleNear((0.05 + 0.02) / 20 * 1e-3, 1e-9)))
      << "a graph of one empty kernel";
  std::set<uint64_t> addresses;
  for (const FakeLaunch& launch : fake_.launches) {
    if (launch.kernel == "k") addresses.insert(launch.argument<uint64_t>(0));
  }
  EXPECT_EQ(addresses.size(), 1U);
  EXPECT_EQ(fake_.live().count("graph"), 0U);
  EXPECT_EQ(fake_.live().count("executable graph"), 0U);
  EXPECT_THAT(fake_.misuse, testing::IsEmpty());
}

TEST_F(SamplerTest, EachRunOfAColdGraphHasBuffersOfItsOwn) {
  kernel_ms_ = 0.0101;
  const std::vector<float> values(16, 2.5F);
  std::set<uint64_t> addresses;
  std::map<uint64_t, int> wrong;
  fake_.on_launch = [&](const FakeLaunch& launch) {
    if (launch.kernel != "k") return CUDA_SUCCESS;
    const auto address = launch.argument<uint64_t>(0);
    addresses.insert(address);
    auto* held = reinterpret_cast<float*>(address);  // NOLINT(performance-no-int-to-ptr)
    if (!std::equal(values.begin(), values.end(), held)) ++wrong[address];
    std::fill_n(held, 16, 0.0F);
    return CUDA_SUCCESS;
  };
  set_initial(values);
  const TimedSeries series = sample(TimingMode::cold_graph, Restore::each);
  EXPECT_EQ(series.batch, 20U);
  EXPECT_EQ(addresses.size(), 20U);
  EXPECT_THAT(wrong, testing::IsEmpty()) << "each is put back before each graph";
  const std::vector<std::string> names = launched();
  EXPECT_GT(std::count(names.begin(), names.end(), "warpmark_read"), 5) << "flushes";
  EXPECT_THAT(fake_.misuse, testing::IsEmpty());
}

TEST_F(SamplerTest, ACaseThatCannotBeRecordedLeavesNoGraph) {
  fake_.fail("cuGraphInstantiateWithFlags", CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THROW(sample(TimingMode::hot_graph), DriverError);
  EXPECT_EQ(fake_.live().count("graph"), 0U);
  EXPECT_THAT(fake_.misuse, testing::IsEmpty());
}

TEST_F(SamplerTest, TransfersMoveAllInputsOrAllResults) {
  fake_.copy_ms = 0.25;
  const std::vector<float> values(16, 2.5F);
  set_initial(values);
  for (const TimingMode mode : {TimingMode::upload, TimingMode::pageable_upload,
                                TimingMode::download, TimingMode::pageable_download}) {
    fake_.calls.clear();
    const TimedSeries series = sample(mode);
    EXPECT_THAT(series.seconds, Each(testing::DoubleNear(0.25e-3, 1e-9))) << to_text(mode);
    EXPECT_EQ(series.moved_bytes, 64U);
    EXPECT_THAT(series.empty_seconds, testing::IsEmpty());
    const bool pinned = mode == TimingMode::upload || mode == TimingMode::download;
    EXPECT_EQ(std::count(fake_.calls.begin(), fake_.calls.end(), "cuMemHostRegister_v2"), pinned);
    const bool uploads = mode == TimingMode::upload || mode == TimingMode::pageable_upload;
    const char* copy = uploads ? "cuMemcpyHtoDAsync_v2" : "cuMemcpyDtoHAsync_v2";
    EXPECT_GE(std::count(fake_.calls.begin(), fake_.calls.end(), copy), 5);
    std::vector<float> held(16);
    case_->inputs().at(0).first->download(std::as_writable_bytes(std::span(held)));
    EXPECT_EQ(held, values) << "other modes find what the case gave";
  }
  EXPECT_EQ(fake_.live().count("registration"), 0U);
}

// A run of microseconds says nothing of a copy of seconds.
TEST_F(SamplerTest, ATransferStaysWithinItsBudget) {
  set_initial(std::vector<float>(16, 1.0F));
  options_.min_samples = 1000;
  fake_.on_copy = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  const TimedSeries series = sample(TimingMode::pageable_upload, Restore::never, 0.2);
  EXPECT_EQ(series.stop, StopReason::budget);
  EXPECT_LT(series.seconds.size(), 12U);
}

TEST_F(SamplerTest, LinesThatPersistInTheCacheAreMadeOrdinary) {
  sample(TimingMode::cold);
  EXPECT_EQ(std::count(fake_.calls.begin(), fake_.calls.end(), "cuCtxResetPersistingL2Cache"), 1);
  fake_.fail("cuCtxResetPersistingL2Cache", CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NO_THROW(sample(TimingMode::cold)) << "a device that has none";
}

// The launches of two parties of the same kernel are told apart by their buffers.
TEST_F(SamplerTest, TwoTakeTurnsAndALateRoundIsThrownAwayForBoth) {
  const Module module(context_, "image", "k.cu");
  DeviceRun beside(context_, {module.function("k")}, module, run_);
  const CUdeviceptr own = case_->buffer("x").address();
  fake_.kernel_ms = [&](const FakeLaunch& launch) {
    if (launch.kernel != "k") return 0.02;
    return launch.argument<CUdeviceptr>(0) == own ? 0.5 : 0.4;
  };
  const auto sample = [&](TimingMode mode) {
    fake_.launches.clear();
    NewState first(*kernels_, *case_, {context_, find_variables(module_)}, false, 0);
    NewState second(*kernels_, beside, {context_, find_variables(module_)}, false, 0);
    Sampler sampler(context_, *kernels_, {{*case_, first, memory_}, {beside, second, memory_}});
    return sampler.sample(mode, options_, 5);
  };
  int queries = 0;
  fake_.event_passed = [&] { return ++queries == 3; };
  const std::vector<TimedSeries> cold = sample(TimingMode::cold);
  ASSERT_EQ(cold.size(), 2U);
  EXPECT_THAT(cold[0].seconds, Each(testing::DoubleNear(0.5e-3, 1e-9)));
  EXPECT_THAT(cold[1].seconds, Each(testing::DoubleNear(0.4e-3, 1e-9)));
  EXPECT_EQ(cold[0].seconds.size(), cold[1].seconds.size());
  EXPECT_EQ(cold[0].late, 1U);
  EXPECT_EQ(cold[1].late, 1U);
  EXPECT_EQ(cold[0].empty_seconds.size(), cold[1].empty_seconds.size());
  // In each round both, and neither always first.
  std::vector<bool> order;
  for (const FakeLaunch& launch : fake_.launches) {
    if (launch.kernel == "k") order.push_back(launch.argument<CUdeviceptr>(0) == own);
  }
  ASSERT_GE(order.size(), 10U);
  std::set<bool> firsts;
  for (size_t i = order.size() % 2; i + 1 < order.size(); i += 2) {
    EXPECT_NE(order[i], order[i + 1]) << i;
    firsts.insert(order[i]);
  }
  EXPECT_EQ(firsts.size(), 2U);
  // A warm run of the party's own comes before each of its samples.
  fake_.event_passed = {};
  for (const TimedSeries& series : sample(TimingMode::hot)) EXPECT_EQ(series.batch, 1U);
  std::map<bool, size_t> runs;
  bool last = false;
  for (const FakeLaunch& launch : fake_.launches) {
    if (launch.kernel == "k") last = launch.argument<CUdeviceptr>(0) == own, ++runs[last];
  }
  EXPECT_EQ(runs[true], runs[false]);
}

TEST_F(SamplerTest, AFaultInASampleIsReported) {
  int launches = 0;
  fake_.on_launch = [&](const FakeLaunch& launch) {
    const bool faults = launch.kernel == "k" && ++launches > 3;
    return faults ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
  };
  EXPECT_THROW(sample(TimingMode::cold), DriverError);
}

TEST_F(SamplerTest, KernelFacts) {
  const std::vector<KernelFacts> facts = case_->kernel_facts();
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].entry, "k");
  EXPECT_EQ(facts[0].block[0], 64);
  EXPECT_EQ(facts[0].registers, 16);
  EXPECT_DOUBLE_EQ(facts[0].occupancy, static_cast<double>(facts[0].active_blocks) * 2 / 64);
}

TEST_F(SamplerTest, CeilingsAreBytesOverMedians) {
  fake_.copy_ms = 2;
  fake_.kernel_ms = [](const FakeLaunch&) { return 4.0; };
  const Ceilings ceilings = measure_ceilings(context_, *kernels_);
  const auto bytes = static_cast<double>(ceilings.array_bytes);
  EXPECT_EQ(ceilings.array_bytes, uint64_t{1} << 27) << "a quarter of what is free";
  EXPECT_NEAR(ceilings.copy_bytes_per_s, 2 * bytes / 2e-3, 1);
  EXPECT_NEAR(ceilings.read_bytes_per_s, bytes / 4e-3, 1);
  EXPECT_EQ(ceilings.memory_bytes_per_s, 0) << "the driver does not say";
}

TEST_F(SamplerTest, CeilingsOfFusedMultiplyAdds) {
  fake_.attributes[CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE] = 3'201'000;  // an H200's
  fake_.attributes[CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH] = 6'144;
  fake_.attributes[CU_DEVICE_ATTRIBUTE_CLOCK_RATE] = 1'980'000;
  // Those of float64 are 64 times as slow; a launch takes nothing.
  const std::map<std::string, double> ms_of_round = {{"warpmark_fma_float64", 0.16},
                                                     {"warpmark_fma_float32", 0.0025},
                                                     {"warpmark_fma_float16", 0.0025}};
  fake_.kernel_ms = [&](const FakeLaunch& launch) {
    const auto found = ms_of_round.find(launch.kernel);
    return found == ms_of_round.end() ? 1.0 : found->second * launch.argument<unsigned int>(2);
  };
  const Ceilings ceilings = measure_ceilings(context_, *kernels_);
  EXPECT_NEAR(ceilings.memory_bytes_per_s, 4.9167e12, 1e8);
  const double flops = 2.0 * 256 * 256 * 8 * 4;  // of a round, on four multiprocessors
  EXPECT_NEAR(ceilings.float64_flops_per_s / (flops / 0.16e-3), 1, 1e-3);
  EXPECT_NEAR(ceilings.float32_flops_per_s / (flops / 0.0025e-3), 1, 1e-3);
  EXPECT_NEAR(ceilings.float16_flops_per_s / (2 * flops / 0.0025e-3), 1, 1e-3);
  EXPECT_EQ(ceilings.flops_per_s("float64"), ceilings.float64_flops_per_s);
  EXPECT_EQ(ceilings.flops_per_s("int32"), std::nullopt);
  for (const FakeLaunch& launch : fake_.launches) {
    const auto found = ms_of_round.find(launch.kernel);
    if (found == ms_of_round.end()) continue;
    EXPECT_LT(found->second * launch.argument<unsigned int>(2), 2) << "a few ms at most";
  }
}

}  // namespace
}  // namespace warpmark
