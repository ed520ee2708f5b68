// Performance by time on a real GPU; skipped, with the reason, where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/choose.hpp"
#include "unit/grade/grade_fixture.hpp"

namespace warpmark {
namespace {

class GraderGpu : public GradeTest {
 protected:
  void SetUp() override {
    try {
      choose_device("gpu");
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
    GradeTest::SetUp();
    grading_.device = "gpu";
    grading_.no_sandbox = false;
  }

  GradeResult timed(const std::string& text) {
    std::string suite = kGradedSuite;
    suite.replace(suite.find("[32, 100, 257]"), 14, "[32, 100, 2**24]");
    const auto assignment = assign(suite);
    AssignmentCase one = assignment->cases[1];
    one.credit = Credit::all;
    one.items.erase(one.items.begin());
    one.performance.emplace();
    one.performance->full = 1.2;
    one.performance->zero = 4;
    assignment->cases = {one};
    return grade(text, assignment);
  }
};

TEST_F(GraderGpu, TheSameKernelIsAsQuick) {
  const GradeResult result = timed(kGood);
  ASSERT_EQ(result.state, GradeState::graded) << result.staff;
  const std::optional<Performance>& measured = result.cases[0].items[0].performance;
  ASSERT_TRUE(measured) << result.staff << result.cases[0].open;
  EXPECT_LT(measured->low, 1.1);
  EXPECT_GT(measured->high, 0.9);
  EXPECT_EQ(result.points, 4);
}

TEST_F(GraderGpu, ASlowerOneIsSlower) {
  // Each of the warp's lanes stores into a sector of its own.
  const GradeResult result =
      timed(scale("int j = i % 4096 * 4096 + i / 4096;\n  if (i < n) out[j] = f * src[j];"));
  ASSERT_EQ(result.state, GradeState::graded) << result.staff;
  const std::optional<Performance>& measured = result.cases[0].items[0].performance;
  ASSERT_TRUE(measured) << result.staff << result.cases[0].open;
  EXPECT_GT(measured->low, 1.5);
  EXPECT_LT(result.points, 4);
}

}  // namespace
}  // namespace warpmark
