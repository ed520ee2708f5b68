// Results of mutants: their sum, and what people are told of them.
#include "mutate/mutation_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmark {
namespace {

using ::testing::HasSubstr;

NamedMutant mutant(int line, const std::string& after) {
  return {{"k.cu", line, 3}, "x", after};
}

SuiteMutants suite() {
  SuiteMutants one;
  one.suite = "s";
  one.killed = {mutant(4, "a")};
  one.live = {{mutant(5, "b"), "it is so", "n=3"}};
  one.equivalent = 2;
  one.not_executed = {mutant(7, "c"), mutant(8, "d"), mutant(8, "e")};
  return one;
}

TEST(MutationResult, CrossesProcesses) {
  SuiteMutants one = suite();
  one.refusal = usage_error("no", {"s.yaml", 3, 1}, "hint");
  const SuiteMutants same = suite_mutants(to_json(one));
  EXPECT_EQ(to_json(same), to_json(one));
  EXPECT_EQ(same.refusal->hint(), "hint");
}

TEST(MutationResult, PartsAddUp) {
  SuiteMutants one = suite();
  one.add(suite());
  EXPECT_EQ(one.counted(), 4U);
  EXPECT_EQ(one.equivalent, 4U);
  EXPECT_EQ(summary_of(suite()),
            "mutants of s: 1 of 2 killed, 2 equivalent, 1 live, 3 not executed");
}

TEST(MutationResult, LiveMutantsAreToldWithTheirChange) {
  const std::vector<Error> warnings = mutant_warnings({suite()});
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].where().line, 5);
  EXPECT_THAT(warnings[0].message(), HasSubstr("  - x\n  + b"));
  EXPECT_THAT(warnings[0].hint(), HasSubstr("n=3"));
  EXPECT_THAT(warnings[1].message(), HasSubstr("no case executes lines 7 to 8"));
}

TEST(MutationResult, AnotherSuiteMayKillOrExecute) {
  SuiteMutants other;
  other.suite = "t";
  other.killed = {mutant(5, "b"), mutant(7, "c")};
  const std::vector<Error> warnings = mutant_warnings({suite(), other});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].message(), HasSubstr("no case executes line 8"));
}

}  // namespace
}  // namespace warpmark
