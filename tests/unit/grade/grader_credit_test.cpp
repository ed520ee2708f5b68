// Points in part and for performance, graded on the CPU device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/grade/credit_lines.hpp"
#include "unit/grade/grade_fixture.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GraderCredit : public GradeTest {
 protected:
  // One case of n=100, with performance by the rule.
  std::shared_ptr<Assignment> measured(const PerformanceRule& rule) {
    const auto assignment = assign();
    AssignmentCase one = assignment->cases[1];
    one.credit = Credit::all;
    one.visibility = Visibility::visible;
    one.items.resize(1);
    one.performance = rule;
    assignment->cases = {one};
    return assignment;
  }

  static PerformanceRule by_time() {
    PerformanceRule rule;
    rule.full = 1e4;  // the times of a busy machine say nothing
    rule.zero = 1e5;
    return rule;
  }
};

TEST_F(GraderCredit, CountersOfEachTrialAreHeldAgainstTheBaseline) {
  PerformanceRule rule;
  rule.counters = {"global_store_requests"};
  rule.zero = 3;
  const GradeResult twice = grade(
      scale("if (i < n) { out[i] = 0; __threadfence(); out[i] = f * src[i]; }"), measured(rule));
  ASSERT_EQ(twice.state, GradeState::graded) << twice.staff;
  const std::optional<Performance>& measured_of = twice.cases[0].items[0].performance;
  ASSERT_TRUE(measured_of);
  EXPECT_EQ(measured_of->baseline, 4);
  EXPECT_EQ(measured_of->value, 8);
  EXPECT_EQ(twice.points, 2);
  EXPECT_THAT(credit_lines(twice.cases[0]),
              ElementsAre(HasSubstr("global store requests: 8, baseline 4 (2 ×): 2 of 4 points")));
  EXPECT_EQ(grade(kGood, measured(rule)).points, 4);
}

TEST_F(GraderCredit, WhatIsWrongPerformsNothing) {
  PerformanceRule rule;
  rule.counters = {"global_store_requests"};
  rule.zero = 3;
  const GradeResult result = grade(scale("if (i < n / 2) out[i] = f * src[i];"), measured(rule));
  EXPECT_EQ(result.points, 0);
  EXPECT_FALSE(result.cases[0].items[0].performance);
  EXPECT_EQ(result.cases[0].open, "");
}

TEST_F(GraderCredit, TimesAreOpenWithoutAGpu) {
  const GradeResult result = grade(kGood, measured(by_time()));
  EXPECT_EQ(result.state, GradeState::graded);
  EXPECT_EQ(result.points, 0);
  EXPECT_EQ(result.open_points(), 4);
  EXPECT_THAT(result.cases[0].open, HasSubstr("times on a GPU"));
}

TEST_F(GraderCredit, TimesAreTakenByTurns) {
  grading_.times_anywhere = true;
  const GradeResult result = grade(kGood, measured(by_time()));
  ASSERT_EQ(result.state, GradeState::graded) << result.staff;
  const std::optional<Performance>& timed = result.cases[0].items[0].performance;
  ASSERT_TRUE(timed) << result.staff;
  EXPECT_EQ(timed->rounds, 11U);
  EXPECT_GT(timed->value, 0);
  EXPECT_LE(timed->low, timed->median);
  EXPECT_EQ(timed->ratio, timed->low);
  EXPECT_EQ(result.points, 4);
}

// T5, T28: right in each trial, which begins with the initial state, and wrong once it has run.
TEST_F(GraderCredit, ResultsThatTurnWrongWhileTimedAreWrong) {
  grading_.times_anywhere = true;
  const GradeResult result =
      grade("__device__ int runs[128];\n" +
                scale("if (i < n) out[i] = (runs[i]++ > 0 ? 2 : 1) * f * src[i];"),
            measured(by_time()));
  ASSERT_EQ(result.state, GradeState::graded) << result.staff;
  const GradedItem& item = result.cases[0].items[0];
  EXPECT_EQ(item.word, GradeWord::wrong);
  EXPECT_THAT(item.explanation, HasSubstr("After it had run many times, to be timed"));
  EXPECT_FALSE(item.performance);
  EXPECT_EQ(result.points, 0);
  EXPECT_EQ(result.cases[0].open, "");
}

}  // namespace
}  // namespace warpmark
