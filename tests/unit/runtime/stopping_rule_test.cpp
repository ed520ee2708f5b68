// When a series ends: precision, least time, most samples, budget.
#include "worker/stopping_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace warpmark {
namespace {

using Clock = StoppingRule::Clock;
using std::chrono::seconds;

class StoppingRuleTest : public testing::Test {
 protected:
  StoppingRule rule() const { return {options_, begin_, begin_ + seconds(5)}; }
  TimingOptions options_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point now_ = begin_ + seconds(1);
};

TEST_F(StoppingRuleTest, EqualTimesAreEnoughAfterTheLeastCountAndTime) {
  StoppingRule equal = rule();
  EXPECT_EQ(equal.stop(now_), std::nullopt) << "no samples say nothing";
  for (uint64_t i = 1; i < options_.min_samples; ++i) {
    equal.add(1e-3);
    EXPECT_EQ(equal.stop(now_), std::nullopt) << i;
  }
  equal.add(1e-3);
  EXPECT_EQ(equal.stop(now_), StopReason::precise);

  StoppingRule quick = rule();
  for (int i = 0; i < 1000; ++i) quick.add(1e-6);
  EXPECT_EQ(quick.stop(begin_ + std::chrono::milliseconds(99)), std::nullopt) << "of the least 100";
  EXPECT_EQ(quick.stop(begin_ + std::chrono::milliseconds(100)), StopReason::precise);
}

TEST_F(StoppingRuleTest, SpreadNeedsMoreSamples) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> times(1, 0.02);
  // A short series may be precise by chance: the median count of many is held against the limits.
  std::vector<size_t> counts(101);
  for (size_t& count : counts) {
    StoppingRule spread = rule();
    while (!spread.stop(now_) && count < 5000) {
      spread.add(times(random));
      ++count;
    }
    EXPECT_EQ(spread.stop(now_), StopReason::precise);
    EXPECT_EQ(spread.samples().size(), count);
  }
  std::nth_element(counts.begin(), counts.begin() + 50, counts.end());
  // The median's standard error is 1.25 · 2 % / √n; 0.5 % is twice that at n = 100.
  EXPECT_GT(counts[50], 30U);
  EXPECT_LT(counts[50], 500U);
}

TEST_F(StoppingRuleTest, WhatNeverGivesTheSameTimeEndsByCountOrBudget) {
  options_.max_samples = 50;
  StoppingRule wild = rule();
  for (int i = 0; i < 49; ++i) wild.add(i % 2 == 0 ? 1 : 2);
  EXPECT_EQ(wild.stop(now_), std::nullopt);
  EXPECT_EQ(wild.stop(now_ + seconds(5)), StopReason::budget);
  wild.add(1);
  EXPECT_EQ(wild.stop(now_), StopReason::samples);
}

TEST_F(StoppingRuleTest, OneSampleIsTakenHoweverLateItIs) {
  StoppingRule late = rule();
  EXPECT_EQ(late.stop(now_ + seconds(60)), std::nullopt);
  EXPECT_EQ(late.most_next(now_ + seconds(60), 0.1), 1U);
  late.add(60);
  EXPECT_EQ(late.stop(now_ + seconds(60)), StopReason::budget);
}

TEST_F(StoppingRuleTest, TheNextGroupFitsTheTimeThatIsLeft) {
  StoppingRule fresh = rule();
  EXPECT_EQ(fresh.most_next(begin_, 0.3), 16U);
  EXPECT_EQ(fresh.most_next(now_, 10), 1U);
  EXPECT_EQ(fresh.most_next(now_, 0), 1U) << "nothing is known yet";
  EXPECT_EQ(fresh.most_next(now_, 1e-6), options_.max_samples);
  fresh.add(1);
  EXPECT_EQ(fresh.most_next(now_, 1e-6), options_.max_samples - 1);
}

}  // namespace
}  // namespace warpmark
