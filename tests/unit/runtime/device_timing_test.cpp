// Timing kernels that answer from an earlier launch, on a fake driver.
#include "worker/device_timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/statistics.hpp"
#include "runtime/replayed_time.hpp"
#include "support/fake_driver.hpp"

namespace warpmark {
namespace {

constexpr size_t kCount = 16, kBytes = kCount * sizeof(float);
constexpr double kHonestMs = 0.1, kReplayedMs = 0.01;

using Floats = std::span<float, kCount>;

Floats floats_at(CUdeviceptr address) {
  return Floats(reinterpret_cast<float*>(address), kCount);  // NOLINT(performance-no-int-to-ptr)
}

// The memory that a launch of the case sees: its arrays, and the variables of its module.
struct Seen {
  Floats x, y;
  std::span<float> variables;
  int launch = 0;  ///< which one it is, from 0
};
// Returns whether the kernel leaves the work out, and writes what it leaves in memory then.
using Replay = std::function<bool(const Seen&)>;

class DeviceTimingTest : public testing::Test {
 protected:
  void SetUp() override {
    fake_.kernels["k"] = {{{0, 8}, {8, 8}}};
    fake_.add_timing_kernels();
    fake_.attributes[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = 4096;
    fake_.attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 4;
    fake_.variables["kept"] = std::vector<std::byte>(2 * kBytes);
    fake_.kernel_ms = [this](const FakeLaunch& launch) {
      if (launch.kernel != "k") return 0.001;
      works_ = !replay_(seen(launch));
      return works_ ? kHonestMs : kReplayedMs;
    };
    fake_.on_launch = [this](const FakeLaunch& launch) { return act(launch); };
  }

  Seen seen(const FakeLaunch& launch) const {
    return Seen{floats_at(launch.argument<CUdeviceptr>(0)),
                floats_at(launch.argument<CUdeviceptr>(1)),
                {reinterpret_cast<float*>(fake_.variable("kept")), 2 * kCount},
                launches_};
  }

  CUresult act(const FakeLaunch& launch) {
    if (launch.kernel == "k") {
      ++launches_;
      if (!works_) return CUDA_SUCCESS;
      const Seen now = seen(launch);
      for (size_t i = 0; i < kCount; ++i) now.y[i] = 2 * now.x[i];
      if (keep_) keep_(now);
    } else if (launch.kernel == "warpmark_fill") {
      const Floats filled = floats_at(launch.argument<CUdeviceptr>(0));
      const auto seed = static_cast<float>(launch.argument<uint64_t>(2) % 1000003);
      for (size_t i = 0; i < kCount; ++i) filled[i] = seed + static_cast<float>(i) / 16;
    } else if (launch.kernel == "warpmark_digest") {
      const Floats from = floats_at(launch.argument<CUdeviceptr>(0));
      uint64_t digest = 0;
      for (const float one : from) digest = 31 * digest + std::bit_cast<uint32_t>(one);
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      *reinterpret_cast<uint64_t*>(launch.argument<CUdeviceptr>(3)) += digest;
    }
    return CUDA_SUCCESS;
  }

  static std::vector<BufferMemory> memory_of(float first) {
    std::vector<BufferMemory> memory(2);
    memory[0].initial = SharedMemory::create(kBytes);
    std::array<float, kCount> values{};
    std::iota(values.begin(), values.end(), first);
    std::memcpy(memory[0].initial->bytes().data(), values.data(), kBytes);
    for (BufferMemory& one : memory) one.result = SharedMemory::create(kBytes);
    return memory;
  }

  static protocol::Time request_for(TimingMode mode) {
    protocol::Time request;
    request.run.buffers.push_back({"x", "float32", kBytes, true, false, {}});
    request.run.buffers.push_back({"y", "float32", kBytes, false, false, {}});
    request.run.buffers.back().judged = true;
    request.run.steps.emplace_back(protocol::Launch{0, {1, 1, 1}, {32, 1, 1}, 0, {"x", "y"}});
    request.other = request.run;
    request.poison = 0xCB;
    request.options.modes = {mode};
    request.options.min_samples = 30;
    request.options.min_seconds = 0;
    return request;
  }

  std::vector<Measurement> time_by_turns(TimingMode mode) {
    const auto context = Context::create(fake_.device());
    TimingKernels kernels(context, "image", 90);
    const Module module(context, "image", "k.cu"), beside(context, "image", "old.cu");
    protocol::Time request = request_for(mode);
    request.against = request;
    request.shared = {"x", "y"};
    memory_ = {memory_of(1), memory_of(100)};
    against_ = {memory_of(1), memory_of(100)};
    const PreparedDevice loaded{
        context, {module.function("k")}, module, {{module, std::vector<std::string>{"kept"}}}};
    const PreparedDevice other{
        context, {beside.function("k")}, beside, {{beside, std::vector<std::string>{"kept"}}}};
    return time_on_device(kernels, request, {{loaded, memory_}, {other, against_}});
  }

  // One process's measurement, in a context of its own.
  Measurement time(TimingMode mode) {
    launches_ = 0;
    const auto context = Context::create(fake_.device());
    TimingKernels kernels(context, "image", 90);
    const Module module(context, "image", "k.cu");
    const protocol::Time request = request_for(mode);
    memory_ = {memory_of(1), memory_of(100)};
    const PreparedDevice loaded{
        context, {module.function("k")}, module, {{module, std::vector<std::string>{"kept"}}}};
    return time_on_device(kernels, request, {{loaded, memory_}}).front();
  }

  static bool is_right(const std::vector<BufferMemory>& memory) {
    std::array<float, kCount> x{}, y{};
    std::memcpy(x.data(), memory[0].initial->bytes().data(), kBytes);
    std::memcpy(y.data(), memory[1].result->bytes().data(), kBytes);
    for (size_t i = 0; i < kCount; ++i) {
      if (y[i] != 2 * x[i]) return false;
    }
    return true;
  }

  // How five processes come out together: "right" for honest times, "replayed", "wrong", or "fast".
  std::string judge(TimingMode mode, Replay replay, std::function<void(const Seen&)> keep = {}) {
    replay_ = std::move(replay);
    keep_ = std::move(keep);
    std::vector<Measurement> processes;
    for (int process = 0; process < 5; ++process) {
      processes.push_back(time(mode));
      const Measurement& last = processes.back();
      EXPECT_THAT(last.honest.untested, testing::IsEmpty());
      if (last.outputs_differ || !is_right(memory_.run) || !is_right(memory_.other)) return "wrong";
    }
    if (replayed_time(processes)) return "replayed";
    const double median = summarize(processes.front().series.at(0).seconds).median;
    return median < 0.75e-3 * kHonestMs ? "fast" : "right";
  }

  FakeDriver fake_;
  Replay replay_ = [](const Seen&) { return false; };
  std::function<void(const Seen&)> keep_;
  bool works_ = true;
  int launches_ = 0;
  TimedMemory memory_, against_;
};

constexpr std::array kModes = {TimingMode::cold, TimingMode::hot, TimingMode::cold_graph,
                               TimingMode::hot_graph};

TEST_F(DeviceTimingTest, AnHonestKernelIsRightInEveryMode) {
  for (const TimingMode mode : kModes)
    EXPECT_EQ(judge(mode, [](const Seen&) { return false; }), "right") << to_text(mode);
}

// An answer that is kept in a variable under the first input's name.
TEST_F(DeviceTimingTest, AnAnswerInAVariableIsGone) {
  const auto replay = [](const Seen& now) {
    if (now.variables[kCount] != now.x[0]) return false;
    std::copy_n(now.variables.begin(), kCount, now.y.begin());
    return true;
  };
  const auto keep = [](const Seen& now) {
    std::ranges::copy(now.y, now.variables.begin());
    now.variables[kCount] = now.x[0];
  };
  EXPECT_EQ(judge(TimingMode::cold, replay, keep), "right");
  EXPECT_EQ(judge(TimingMode::cold_graph, replay, keep), "right") << "inputs change within a graph";
  EXPECT_EQ(judge(TimingMode::hot, replay, keep), "replayed");
  EXPECT_EQ(judge(TimingMode::hot_graph, replay, keep), "replayed");
}

TEST_F(DeviceTimingTest, AnAnswerInTheOutputIsGone) {
  const auto replay = [](const Seen& now) { return now.y[3] == 2 * now.x[3]; };
  EXPECT_EQ(judge(TimingMode::cold, replay), "right");
  EXPECT_EQ(judge(TimingMode::cold_graph, replay), "right");
  EXPECT_EQ(judge(TimingMode::hot, replay), "replayed");
  EXPECT_EQ(judge(TimingMode::hot_graph, replay), "replayed");
}

// Only the launch that is checked finds one byte again and again.
TEST_F(DeviceTimingTest, OutputsOfNoPoisonAreCompared) {
  const auto replay = [](const Seen& now) {
    std::array<std::byte, kBytes> bytes{};
    std::memcpy(bytes.data(), now.y.data(), kBytes);
    return std::set<std::byte>(bytes.begin(), bytes.end()).size() > 1;
  };
  for (const TimingMode mode : kModes) EXPECT_EQ(judge(mode, replay), "wrong") << to_text(mode);
}

// Answers kept in the heap or behind arrays, where nothing is put back between launches.
TEST_F(DeviceTimingTest, AnAnswerElsewhereIsSeenByTheFirstRuns) {
  std::array<float, kCount + 1> elsewhere{};
  int last_launch = 0;
  const auto replay = [&](const Seen& now) {
    // A process begins without it.
    if (now.launch < last_launch) elsewhere = {};
    last_launch = now.launch;
    if (elsewhere[kCount] != now.x[0]) return false;
    std::copy_n(elsewhere.begin(), kCount, now.y.begin());
    return true;
  };
  const auto keep = [&](const Seen& now) {
    std::ranges::copy(now.y, elsewhere.begin());
    elsewhere[kCount] = now.x[0];
  };
  for (const TimingMode mode : {TimingMode::cold, TimingMode::hot, TimingMode::hot_graph})
    EXPECT_EQ(judge(mode, replay, keep), "replayed") << to_text(mode);
}

TEST_F(DeviceTimingTest, ALaunchThatLeavesTheWorkOutIsWrong) {
  const auto some = [](const Seen& now) { return now.launch % 3 != 0; };
  EXPECT_EQ(judge(TimingMode::cold, some), "wrong");
  const auto later = [](const Seen& now) { return now.launch > 20; };
  EXPECT_EQ(judge(TimingMode::cold, later), "wrong");
}

// Two modules with one kernel each, on the same memory: each is measured and fetched on its own.
TEST_F(DeviceTimingTest, TwoTakeTurnsOnTheSameMemory) {
  std::set<CUdeviceptr> inputs;
  keep_ = [&](const Seen& now) { inputs.insert(reinterpret_cast<CUdeviceptr>(now.x.data())); };
  for (const TimingMode mode : kModes) {
    inputs.clear();
    const std::vector<Measurement> both = time_by_turns(mode);
    ASSERT_EQ(both.size(), 2U);
    for (const Measurement& one : both) {
      EXPECT_THAT(one.series, testing::SizeIs(1)) << to_text(mode);
      EXPECT_TRUE(one.honest.first_s.has_value());
      EXPECT_TRUE(one.honest.is_warm);
      EXPECT_FALSE(one.outputs_differ);
    }
    EXPECT_EQ(both[0].series[0].seconds.size(), both[1].series[0].seconds.size());
    EXPECT_TRUE(is_right(memory_.run));
    EXPECT_TRUE(is_right(against_.run));
    EXPECT_TRUE(is_right(against_.other));
    // The run's own, and those of the other inputs of each side.
    EXPECT_EQ(inputs.size() == 3, mode != TimingMode::cold_graph) << "whose runs have their own";
  }
  EXPECT_THAT(fake_.misuse, testing::IsEmpty());
}

TEST_F(DeviceTimingTest, WhatCannotBePutBackIsSaid) {
  replay_ = [](const Seen&) { return false; };
  fake_.variables.clear();
  fake_.variables["other"] = std::vector<std::byte>(2 * kBytes);
  fake_.variables["kept"] = std::vector<std::byte>(2 * kBytes);
  fake_.fail("cuModuleGetGlobal_v2", CUDA_ERROR_NOT_FOUND);
  EXPECT_THAT(time(TimingMode::cold).honest.untested,
              testing::ElementsAre("variables of its modules are not put back"));
}

TEST(ReplayedTime, WantsAMargin) {
  const auto process = [](double first, double last) {
    Measurement measured;
    measured.honest = {first, true, {last, last}, {}};
    return measured;
  };
  const auto found = [&](double first, double last, size_t count) {
    return replayed_time(std::vector<Measurement>(count, process(first, last))).has_value();
  };
  EXPECT_TRUE(found(97e-6, 2.9e-6, 5));
  EXPECT_TRUE(found(97e-6, 70e-6, 5));
  EXPECT_FALSE(found(97e-6, 90e-6, 5));
  EXPECT_FALSE(found(4.5e-6, 3e-6, 5)) << "a microsecond and a half";
  EXPECT_FALSE(found(97e-6, 70e-6, 1)) << "one run may be late for any reason";
  EXPECT_TRUE(found(97e-6, 2.9e-6, 1));
  EXPECT_FALSE(replayed_time({}));
}

TEST(ReplayedTime, ABatchIsHeldAgainstSingleRuns) {
  Measurement measured;
  TimedSeries& series = measured.series.emplace_back();
  series.mode = TimingMode::hot;
  series.seconds = {10e-6, 11e-6};
  series.single_seconds = {10.5e-6, 11e-6};
  EXPECT_FALSE(replayed_time({measured}));
  series.seconds = {2e-6, 3e-6};
  const auto found = replayed_time({measured});
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->of_batch);
  EXPECT_EQ(found->mode, TimingMode::hot);
  const std::string text = replayed_text(*found, false);
  EXPECT_THAT(text, testing::HasSubstr("hot: a run takes 2.5 µs, and 10.75 µs in single runs"));
  EXPECT_THAT(text, testing::HasSubstr("`restore: each`"));
  EXPECT_THAT(replayed_text(*found, true), testing::Not(testing::HasSubstr("restore")));
}

}  // namespace
}  // namespace warpmark
