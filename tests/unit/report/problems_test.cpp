#include "report/problems/problem_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/results/example_outcome.hpp"

namespace warpmark {
namespace {

using nlohmann::json;

Problem at(const std::string& file, int line, const std::string& identity = "x") {
  return {false, "race", {file, line, 0}, "t.n=4", "text", identity};
}

std::string uri(const std::string& file) {
  const json whole = json::parse(sarif_text({at(file, 3)}, {"check", "warpmark check"}));
  return whole["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
              ["uri"];
}

TEST(Sarif, NamesAreUriReferences) {
  EXPECT_EQ(uri("a b/ü%.cu"), "a%20b/%C3%BC%25.cu");
  EXPECT_EQ(uri("./suites/../k.cu"), "k.cu");
  EXPECT_EQ(uri("/x/k.cu"), "file:///x/k.cu");
  EXPECT_EQ(uri("a:b/k.cu"), "./a:b/k.cu");
}

TEST(Sarif, HasNoMoreThanCodeHostsShow) {
  std::vector<Problem> many;
  for (int i = 0; i < 5003; ++i) many.push_back(at("k.cu", i + 1));
  many.push_back({true, "lint", {}, "warpmark", std::string(20000, 'x'), ""});
  const json run = json::parse(sarif_text(many, {"lint", ""}))["runs"][0];
  EXPECT_EQ(run["results"].size(), 5000U);
  const json& notes = run["invocations"][0]["toolExecutionNotifications"];
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_LT(notes[0]["message"]["text"].get<std::string>().size(), 9000U);
  EXPECT_EQ(notes[0]["level"], "warning");
  EXPECT_EQ(notes[1]["message"]["text"], "3 more problems are left out: code hosts show 5000");
}

TEST(Sarif, ADraftSaysThatTheRunDidNotEnd) {
  ProblemRun run{"check", "warpmark check"};
  run.ended = false;
  const json invocation = json::parse(sarif_text({}, run))["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_FALSE(invocation.contains("exitCode"));
  EXPECT_THAT(problems_page({}, run), testing::HasSubstr("The run did not come to its end."));
}

TEST(Fingerprints, DifferWithinAListAndNotByLines) {
  const std::vector<std::string> before =
      fingerprints({at("k.cu", 3), at("k.cu", 4), at("l.cu", 3)});
  EXPECT_NE(before[0], before[1]);
  EXPECT_NE(before[0], before[2]);
  EXPECT_EQ(before, fingerprints({at("k.cu", 30), at("k.cu", 40), at("l.cu", 1)}));
}

TEST(FailedCases, OfOneCauseAreOneProblem) {
  FailedCases failed;
  Outcome outcome = testing_results::outcome("t", "n=1", Verdict::failed);
  outcome.failure = FailureKind::finding;
  outcome.where = {"k.cu", 7, 0};
  outcome.reason = "race at a[3], by thread (1,0,0)";
  outcome.findings = {{{"kind", "uninitialised"}}};
  failed.add({outcome, "again"});
  outcome.case_id = "t.n=2";
  outcome.reason = "race at a[9], by thread (2,0,0)";
  failed.add({outcome, "again"});
  outcome.verdict = Verdict::passed;
  failed.add({outcome, "again"});
  ASSERT_EQ(failed.problems().size(), 1U);
  const Problem one = failed.problems().front();
  EXPECT_EQ(one.title, "t.n=1 and 1 more case");
  EXPECT_EQ(one.rule, "uninitialised");
}

}  // namespace
}  // namespace warpmark
