// Ratios of times that were taken by turns.
#include "results/relative_time.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpmark {
namespace {

TEST(RelativeTimes, OneRoundThatWentWrongChangesNothing) {
  const std::vector<double> own = {1.9, 2.1, 2.0, 2.2, 1.8, 2.0, 9.0};
  const std::vector<double> baseline(own.size(), 1.0);
  const RelativeTime measured = relative_time(own, baseline);
  EXPECT_EQ(measured.ratio, 2);
  EXPECT_EQ(measured.own_s, 2);
  EXPECT_EQ(measured.baseline_s, 1);
  EXPECT_EQ(measured.rounds, 7);
  EXPECT_LT(measured.low, 2);
  EXPECT_GE(measured.low, 1.8);
  EXPECT_LE(measured.high, 9);
}

TEST(RelativeTimes, TheSameTimesHaveTheSameInterval) {
  const std::vector<double> own = {1.9, 2.1, 2.0}, baseline = {1.0, 1.1, 0.9};
  const RelativeTime first = relative_time(own, baseline), again = relative_time(own, baseline);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
}

// A slow device slows both times of a round.
TEST(RelativeTimes, TheRatioIsThatOfEachRound) {
  const std::vector<double> own = {2, 4, 8, 16, 32}, baseline = {1, 2, 4, 8, 16};
  const RelativeTime measured = relative_time(own, baseline);
  EXPECT_EQ(measured.low, 2);
  EXPECT_EQ(measured.high, 2);
}

TEST(RelativeTimes, OneRoundHasNoWidth) {
  const RelativeTime measured = relative_time(std::vector{3.0}, std::vector{1.5});
  EXPECT_EQ(measured.ratio, 2);
  EXPECT_EQ(measured.low, 2);
  EXPECT_EQ(measured.high, 2);
}

}  // namespace
}  // namespace warpmark
