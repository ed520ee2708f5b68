// The changes to a plan, and to an assignment, for grading submissions.
#include "grade/submission/graded_plan.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace warpmark {
namespace {

TEST(GradedPlan, AContainerWithHalfAProcessorHasTwiceTheTime) {
  auto assignment = std::make_shared<Assignment>();
  const GradeLimits usual = assignment->limits;
  const auto slow = with_time_for(assignment, 2);
  EXPECT_EQ(slow->limits.timeout_s, 2 * usual.timeout_s);
  EXPECT_EQ(slow->limits.total_s, 2 * usual.total_s);
  EXPECT_EQ(slow->limits.compile_s, 2 * usual.compile_s);
  // Work is what it is anywhere, and so is memory.
  EXPECT_EQ(slow->limits.instructions, usual.instructions);
  EXPECT_EQ(slow->limits.compile_cpu_s, usual.compile_cpu_s);
  EXPECT_EQ(slow->limits.memory_mib, usual.memory_mib);
  EXPECT_EQ(with_time_for(assignment, 1), assignment) << "nothing changes for a whole one";
}

TEST(GradedPlan, TheNetIsAMinuteAtLeast) {
  PlannedCase planned;
  planned.plan.limits.timeout_s = 10;
  widen_net(planned);
  EXPECT_EQ(planned.plan.limits.timeout_s, least_net());
  EXPECT_GE(least_net(), 60);
  planned.plan.limits.timeout_s = 10 * least_net();
  widen_net(planned);
  EXPECT_EQ(planned.plan.limits.timeout_s, 10 * least_net());
}

}  // namespace
}  // namespace warpmark
