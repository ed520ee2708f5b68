// Outcomes that travel between processes arrive as they were.
#include <gtest/gtest.h>

#include <limits>

#include "results/outcome_record.hpp"

namespace warpmark {
namespace {

Outcome full_outcome() {
  Outcome outcome;
  outcome.suite = "scale";
  outcome.case_id = "scale.n=3";
  outcome.verdict = Verdict::failed;
  outcome.failure = FailureKind::wrong;
  outcome.reason = "2 of 3 elements are wrong";
  outcome.message = "two\nlines";
  outcome.where = {"suites/scale.yaml", 4, 7};
  outcome.error = verdict_error("wrong", outcome.where, "a hint");
  Mismatch first;
  first.kind = MismatchKind::infinity;
  first.index = 1;
  first.actual = "inf";
  first.expected = "2.5";
  OutputVerdict output;
  output.output = "y";
  output.dtype = "float32";
  output.shape = {3};
  output.comparison.elements = 3;
  output.comparison.wrong = 2;
  output.comparison.first = first;
  output.comparison.next = {first, first};
  output.sufficient = "{ulp: 3}";
  output.histogram = {"bound", {{1, 2, 1}, {2, std::numeric_limits<double>::infinity(), 4}}};
  outcome.outputs = {output};
  outcome.findings = {
      nlohmann::ordered_json::parse(R"({"z": 1, "a": {"y": 2, "b": [1.5, null]}})")};
  outcome.counters = {nlohmann::ordered_json::parse(R"({"kernel": "k", "instructions": 7})")};
  outcome.step = "second";
  outcome.notices = {"a warning"};
  outcome.compiled_from_cache = true;
  outcome.seconds = 0.1;
  outcome.trial = 5;
  outcome.nearness = Nearness{0.75, "coalesced"};
  outcome.counted = CountedRuns{{{"loads", 3}, {"bytes", 12}}, {{"loads", 4}}};
  return outcome;
}

// As a channel hands it on.
Outcome after_the_way(const Outcome& outcome) {
  return outcome_from(nlohmann::json::parse(outcome_json(outcome).dump()));
}

TEST(OutcomeTransfer, KeepsEveryMember) {
  const Outcome before = full_outcome(), after = after_the_way(before);
  const std::string reproduce;
  EXPECT_EQ(outcome_record({after, reproduce}).dump(), outcome_record({before, reproduce}).dump());
  ASSERT_TRUE(after.error);
  EXPECT_STREQ(after.error->what(), before.error->what());
  EXPECT_EQ(after.error->hint(), "a hint");
  EXPECT_EQ(after.trial, before.trial);
  EXPECT_EQ(after.nearness->composite, "coalesced");
  EXPECT_EQ(after.counted->own, before.counted->own);
  EXPECT_EQ(after.counted->baseline, before.counted->baseline);
  EXPECT_EQ(after.outputs[0].histogram, before.outputs[0].histogram);
  EXPECT_EQ(after.outputs[0].comparison.next.size(), 2U);
  EXPECT_EQ(after.findings[0].dump(), before.findings[0].dump());
}

TEST(OutcomeTransfer, AnEmptyOneStaysEmpty) {
  const Outcome after = after_the_way({});
  EXPECT_EQ(after.verdict, Verdict::passed);
  EXPECT_FALSE(after.error);
  EXPECT_FALSE(after.trial);
  EXPECT_FALSE(after.nearness);
  EXPECT_FALSE(after.where.known());
}

TEST(OutcomeTransfer, WhatIsNoneIsRefused) {
  auto json = nlohmann::json::parse(outcome_json({}).get<std::string>());
  json.erase("verdict");
  EXPECT_THROW(outcome_from(json.dump()), Error);
  EXPECT_THROW(outcome_from("no JSON"), nlohmann::json::exception);
  EXPECT_THROW(outcome_from(nlohmann::json::array()), nlohmann::json::exception);
}

}  // namespace
}  // namespace warpmark
