// Ratios of times that are taken by turns, with a stand-in for the device.
#include "grade/grader/item_performance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpmark {
namespace {

using testing::HasSubstr;

class FakeTimer : public RoundTimer {
 public:
  TimedRun submission() override { return run('s', own_s); }
  TimedRun baseline() override { return run('b', baseline_s); }

  double own_s = 2e-5, baseline_s = 1e-5;
  double drift = 1;  ///< what the device does, to whoever runs
  std::string order;
  FailureKind kind = FailureKind::wrong;
  char fails = ' ', impossible = ' ', skips = ' ';

 private:
  TimedRun run(char who, double seconds) {
    order += who;
    TimedRun one;
    one.seconds = seconds * scale_;
    scale_ *= drift;
    if (fails == who && order.size() > 4) {
      one.outcome.verdict = Verdict::failed;
      one.outcome.failure = kind;
      one.outcome.message = "it was right before it was timed, and is not after";
    }
    if (skips == who) one.outcome.verdict = Verdict::skipped;
    if (impossible == who) one.impossible = "0.1 µs is less than 2 µs";
    return one;
  }
  double scale_ = 1;
};

TEST(TimedByTurns, TheyAlternate) {
  FakeTimer timer;
  const TimedItem item = time_by_turns(timer, 3);
  EXPECT_EQ(timer.order, "bssbbs");
  ASSERT_TRUE(item.performance);
  EXPECT_DOUBLE_EQ(item.performance->ratio, 2);
  EXPECT_EQ(item.performance->rounds, 3U);
  EXPECT_DOUBLE_EQ(item.performance->value, 2e-5);
}

// A device that grows slower and slower does so to both.
TEST(TimedByTurns, ADriftFallsOnBoth) {
  FakeTimer timer;
  timer.drift = 1.05;
  const TimedItem item = time_by_turns(timer);
  ASSERT_TRUE(item.performance);
  EXPECT_NEAR(item.performance->median, 2, 0.11);
  EXPECT_LE(item.performance->low, 2);
  EXPECT_GE(item.performance->high, 2);
}

TEST(TimedByTurns, AResultThatTurnsWrongIsTheSubmissions) {
  FakeTimer timer;
  timer.fails = 's';
  const TimedItem item = time_by_turns(timer);
  EXPECT_FALSE(item.performance);
  ASSERT_TRUE(item.failed);
  EXPECT_EQ(item.failed->failure, FailureKind::wrong);
  EXPECT_EQ(item.open, "");
}

TEST(TimedByTurns, AMistakeOfTheCourseIsNotTheSubmissions) {
  FakeTimer timer;
  timer.fails = 's';
  timer.kind = FailureKind::reference;
  const TimedItem item = time_by_turns(timer);
  EXPECT_FALSE(item.failed);
  EXPECT_NE(item.open, "");
}

TEST(TimedByTurns, WhatIsWrongWithTheBaselineLeavesThePointsOpen) {
  for (char FakeTimer::*const mistake :
       {&FakeTimer::fails, &FakeTimer::impossible, &FakeTimer::skips}) {
    FakeTimer timer;
    timer.*mistake = 'b';
    const TimedItem item = time_by_turns(timer);
    EXPECT_FALSE(item.performance);
    EXPECT_FALSE(item.failed);
    EXPECT_NE(item.open, "");
    EXPECT_THAT(item.staff, HasSubstr("the baseline"));
  }
}

// T29: nothing collapses to a ratio of nearly 0.
TEST(TimedByTurns, AnImpossibleTimeIsNoScore) {
  FakeTimer timer;
  timer.impossible = 's';
  const TimedItem item = time_by_turns(timer);
  EXPECT_FALSE(item.performance);
  EXPECT_NE(item.open, "");
  EXPECT_THAT(item.staff, HasSubstr("cannot reach: 0.1 µs"));
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    FakeTimer none;
    none.own_s = seconds;
    EXPECT_FALSE(time_by_turns(none).performance) << seconds;
  }
}

TEST(TimedByTurns, TheBoundInTheStudentsFavourCounts) {
  FakeTimer timer;
  timer.drift = 1.05;
  const TimedItem item = time_by_turns(timer);
  ASSERT_TRUE(item.performance);
  EXPECT_LT(item.performance->low, item.performance->high);
  EXPECT_EQ(item.performance->ratio, item.performance->low);
}

}  // namespace
}  // namespace warpmark
