// Turns with the noise of an H200: how often the same is called changed, and 5 % more is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "base/turns.hpp"
#include "results/time_comparison.hpp"
#include "worker/stopping_rule.hpp"

namespace warpmark {
namespace {

using Clock = StoppingRule::Clock;

// Samples of a kernel of some microseconds, as results/h200/bench.jsonl has them: their deviation is
// 0.28 µs, most of which belongs to the place in a group of 64, one in a hundred is late, and the
// times of events come in steps of 32 ns. The events take 2.2 µs, in two states that last for a
// while. The clock drifts, and in some processes it falls by a twentieth.
class NoisyDevice {
 public:
  explicit NoisyDevice(std::mt19937_64& random) : random_(random) {
    for (double& one : pattern_) one = normal(0.235e-6);
    process_s_ = normal(0.2e-6);
    falls_at_ = random_() % 5 == 0 ? random_() % 3000 : UINT64_MAX;
  }
  double sample(double kernel_s) {
    ++samples_;
    if (random_() % 400 == 0) state_s_ = 0.16e-6 - state_s_;
    const double drift = 1 + 0.01 * std::sin(static_cast<double>(samples_) / 600) +
                         (samples_ > falls_at_ ? 0.05 : 0);
    double seconds = 2.2e-6 + process_s_ + state_s_ + kernel_s * drift + normal(0.15e-6) +
                     pattern_[samples_ % pattern_.size()];
    if (random_() % 100 == 0) seconds += 1.5e-6 * std::exponential_distribution<>(1)(random_);
    constexpr double kStep = 32e-9;
    return kStep * std::round(seconds / kStep);
  }

 private:
  double normal(double deviation) { return std::normal_distribution<>(0, deviation)(random_); }

  std::mt19937_64& random_;
  std::array<double, 64> pattern_{};
  double process_s_ = 0, state_s_ = 0;
  uint64_t samples_ = 0, falls_at_ = UINT64_MAX;
};

constexpr double kLaunch = 1.4e-6;     // of an empty kernel, in its time
constexpr double kSampleHost = 75e-6;  // of the host, a sample
constexpr uint64_t kLoadings = 2, kProcesses = 5;

struct Simulated {
  RelativeTime relative;
  double seconds = 0;
};

// The ratio of one loading, and the simulated seconds that it took.
std::pair<double, double> load_and_time(NoisyDevice& device, std::array<double, 2> kernel_s,
                                        const TimingOptions& options, std::mt19937_64& random) {
  const Clock::time_point begin{};
  const auto at = [&](double seconds) {
    return begin +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  std::vector<StoppingRule> rules(2, StoppingRule(options, begin, at(options.budget_s)));
  std::vector<double> empty;
  double seconds = 0;
  std::optional<StopReason> stop;
  while (!stop) {
    take_turns(
        32, 2, [&](auto& order) { std::shuffle(order.begin(), order.end(), random); },
        [&](uint64_t round, size_t party) {
          rules[party].add(device.sample(kernel_s[party]));
          if (round % 4 == 0) empty.push_back(device.sample(kLaunch));
          seconds += kSampleHost;
          return true;
        });
    stop = stop_of_turns(rules[0], rules[1], empty, at(seconds));
  }
  const PairedLevels levels = paired_levels(rules[0].samples(), rules[1].samples());
  const double overhead = summarize(empty).median - kLaunch;
  return {(levels.first - overhead) / (levels.second - overhead), seconds};
}

Simulated simulate(double kernel_s, double ratio, std::mt19937_64& random) {
  TimingOptions options = share_of({}, kProcesses * kLoadings);
  options.budget_s *= 2;
  options.min_seconds *= 2;
  Simulated simulated;
  std::vector<double> ratios, ones(kProcesses * kLoadings, 1);
  for (uint64_t process = 0; process < kProcesses; ++process) {
    NoisyDevice device(random);
    for (uint64_t loading = 0; loading < kLoadings; ++loading) {
      // Where code lies changes a kernel's time by some thousandths.
      std::normal_distribution<> place(1, 0.002);
      const auto [found, seconds] = load_and_time(
          device, {kernel_s * ratio * place(random), kernel_s * place(random)}, options, random);
      ratios.push_back(found);
      simulated.seconds += seconds;
    }
  }
  simulated.relative = mean_relative_time(ratios, ones);
  return simulated;
}

struct Tally {
  size_t slower = 0, faster = 0, same = 0, inconclusive = 0;
  double seconds = 0;  ///< of a point
};

// Judges as many points together as a run of the self-test has.
Tally judge(double kernel_s, double ratio, std::mt19937_64& random) {
  constexpr size_t kPoints = 56;
  std::vector<ComparedPoint> points(kPoints);
  Tally tally;
  for (ComparedPoint& point : points) {
    const auto [time, seconds] = simulate(kernel_s, ratio, random);
    judge_ratio(point, {{time.ratio, time.low, time.high}, time.tail.value_or(1)}, 0.02);
    tally.seconds += seconds / kPoints;
  }
  std::vector<ComparisonNote> notes;
  judge_times(points, {}, notes);
  for (const ComparedPoint& point : points) {
    tally.slower += point.verdict == ChangeVerdict::slower;
    tally.faster += point.verdict == ChangeVerdict::faster;
    tally.same += point.verdict == ChangeVerdict::same;
    tally.inconclusive += point.verdict == ChangeVerdict::inconclusive;
  }
  return tally;
}

TEST(TurnsSimulation, FindsFivePercentFromTwoMicrosecondsOnAndNothingElse) {
  const unsigned seed = 63;  // the figures are those of this seed
  std::mt19937_64 random(seed);
  for (const double kernel_s : {2e-6, 3e-6, 10e-6}) {
    SCOPED_TRACE(testing::Message() << kernel_s << " s");
    const Tally same = judge(kernel_s, 1, random);
    EXPECT_EQ(same.slower + same.faster, 0U);
    EXPECT_LE(same.inconclusive, 2U) << "of 56";
    EXPECT_LT(same.seconds, 1.0) << "alone it takes 0.3 s to 0.5 s";
    const Tally more = judge(kernel_s, 1.05, random);
    EXPECT_GE(more.slower, 54U) << "of 56";
    EXPECT_EQ(more.faster, 0U);
    const Tally less = judge(kernel_s, 1 / 1.05, random);
    EXPECT_GE(less.faster, 54U) << "of 56";
  }
}

TEST(RelativeTimes, ExchangingTheSidesInvertsTheRatio) {
  const std::vector<double> own = {2.1, 2.0, 2.2, 1.9}, baseline = {1.0, 1.1, 1.0, 1.2};
  const RelativeTime one = mean_relative_time(own, baseline);
  const RelativeTime other = mean_relative_time(baseline, own);
  EXPECT_NEAR(one.ratio * other.ratio, 1, 1e-12);
  EXPECT_NEAR(one.low * other.high, 1, 1e-12);
  EXPECT_NEAR(one.tail.value(), other.tail.value(), 1e-12);
  EXPECT_EQ(one.rounds, 4);
  EXPECT_EQ(mean_relative_time(own, own).tail, 1);
  const std::vector<double> twice = {2, 4}, once = {1, 2};
  EXPECT_EQ(mean_relative_time(twice, once).tail, 0);
}

TEST(PairedLevels, WhatSlowsBothIsNotInTheirDifference) {
  std::vector<double> first, second;
  for (int i = 0; i < 100; ++i) {
    const double slow = i < 50 ? 1 : 3;
    first.push_back(slow + 0.5 + (i % 7 == 0 ? 9 : 0));  // some are late
    second.push_back(slow);
  }
  const PairedLevels levels = paired_levels(first, second);
  EXPECT_NEAR(levels.first - levels.second, 0.5, 1e-12);
  EXPECT_NEAR(levels.error, 0, 1e-12);
  const PairedLevels swapped = paired_levels(second, first);
  EXPECT_EQ(swapped.first, levels.second);
  EXPECT_EQ(swapped.second, levels.first);
}

}  // namespace
}  // namespace warpmark
