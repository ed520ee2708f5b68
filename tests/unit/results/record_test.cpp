#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "results/outcome_record.hpp"
#include "results/reproduce.hpp"
#include "unit/results/example_outcome.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

TEST(OutcomeRecord, KeepsWhatTheOutcomeSays) {
  const Json record = outcome_record({testing_results::wrong_outcome(), "warpmark check x"});
  const Json expected = Json::parse(R"({
    "type": "case", "suite": "doublify", "case": "doublify.n=16", "verdict": "failed",
    "failure": "wrong", "reason": "2 of 16 elements of z are wrong",
    "message": "suites/doublify.yaml:14:3: 2 of 16 elements of `z` are wrong\nfirst: z[1, 2] = 0.5, expected 1, error 0.5, bound 0\n",
    "where": {"file": "suites/doublify.yaml", "line": 14, "column": 3},
    "outputs": [{"name": "z", "dtype": "float32", "shape": [4, 4], "elements": 16, "wrong": 2,
                 "unwritten": 0, "doubtful": 0,
                 "first": {"kind": "value", "index": 6, "position": [1, 2], "actual": "0.5",
                           "expected": "1", "error": "0.5", "bound": "0"},
                 "worst": null}],
    "findings": [], "notices": [], "compiled_from_cache": false, "seconds": 0.125,
    "trial": null, "reproduce": "warpmark check x"})");
  EXPECT_EQ(record.dump(2), expected.dump(2));  // the order of members counts, too
}

TEST(OutcomeRecord, IsStrictJsonWhateverCameIn) {
  Outcome outcome = testing_results::outcome("a", "b", Verdict::failed);
  outcome.message = "bad \xff\xc0\x80 and \x1b[31m";
  outcome.seconds = std::numeric_limits<double>::quiet_NaN();
  outcome.notices = {"\xed\xa0\x80"};
  outcome.findings = {Json{{"va\xfflue", std::numeric_limits<double>::infinity()},
                           {"list", {-std::numeric_limits<double>::infinity(), "\x01"}},
                           {"bytes", Json::binary({1, 2})}}};
  const Json record = Json::parse(outcome_record({outcome, ""}).dump());
  EXPECT_EQ(record["message"], "bad \uFFFD\uFFFD\uFFFD and \uFFFD[31m");
  EXPECT_TRUE(record["seconds"].is_null());
  EXPECT_EQ(record["findings"][0]["va\uFFFDlue"], "inf");
  EXPECT_EQ(record["findings"][0]["list"], Json({"-inf", "\uFFFD"}));
  EXPECT_TRUE(record["findings"][0]["bytes"].is_null());
}

TEST(OutcomeRecord, PositionOfAnElementSurvivesOddShapes) {
  Outcome outcome = testing_results::wrong_outcome();
  const auto position = [&](std::vector<int64_t> shape, size_t index) {
    outcome.outputs[0].shape = std::move(shape);
    outcome.outputs[0].comparison.first->index = index;
    return outcome_record({outcome, ""})["outputs"][0]["first"]["position"].dump();
  };
  EXPECT_EQ(position({2, 3, 4}, 23), "[1,2,3]");
  EXPECT_EQ(position({16}, 6), "[6]");
  EXPECT_EQ(position({}, 0), "[]");
  EXPECT_EQ(position({4, 0}, 5), "[5]");
}

TEST(RunRecord, SeedsAreWholeNumbers) {
  RunContext context = testing_results::context();
  context.seed = std::numeric_limits<uint64_t>::max();
  EXPECT_NE(run_record(context, 1).dump().find("18446744073709551615"), std::string::npos);
}

TEST(Reproduce, QuotesOnlyWhatAShellWouldChange) {
  EXPECT_EQ(shell_word("suites/a.yaml"), "suites/a.yaml");
  EXPECT_EQ(shell_word("x.dtype=float32,n=2.5"), "x.dtype=float32,n=2.5");
  EXPECT_EQ(shell_word("x.n=~1"), "'x.n=~1'");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Reproduce, RepeatsOnlyWhatWasAskedFor) {
  RunContext context = testing_results::context();
  EXPECT_EQ(reproduce_command({"my suites/x.yaml", "x.n=1", {}, {}}, context),
            "warpmark check 'my suites/x.yaml' --case x.n=1");
  context.device_request = "gpu:1";
  context.seed_given = true;
  context.seed = 7;
  EXPECT_EQ(reproduce_command({"x.yaml", "x.n=1", {}, {}}, context),
            "warpmark check x.yaml --case x.n=1 --device gpu:1 --seed 7");
}

TEST(RunContext, DateIsUtc) {
  const std::string date = utc_date();
  ASSERT_EQ(date.size(), 20U) << date;
  EXPECT_EQ(date[10], 'T');
  EXPECT_EQ(date.back(), 'Z');
}

TEST(OutcomeRecord, HasWhatHelpsTheSuitesAuthor) {
  Outcome outcome = testing_results::wrong_outcome();
  OutputVerdict& output = outcome.outputs[0];
  output.comparison.first->ulp = "4194304";
  output.comparison.next = {Mismatch{MismatchKind::unwritten, 7, "nan", "1", "", ""}};
  output.sufficient = "{ulp: 2}";
  output.histogram = {"ulp", {{1, 2, 5}, {2, std::numeric_limits<double>::infinity(), 1}}};
  outcome.outputs.push_back(output);
  outcome.outputs[1] = {"y", "int8", {2}, {}};
  outcome.outputs[1].has_reference = false;
  const Json record = outcome_record({outcome, ""})["outputs"];
  EXPECT_EQ(record[0]["first"]["ulp"], "4194304");
  EXPECT_EQ(record[0]["next"].dump(),
            R"([{"kind":"unwritten","index":7,"position":[1,3],"actual":"nan","expected":"1"}])");
  EXPECT_EQ(record[0]["sufficient_tolerance"], "{ulp: 2}");
  EXPECT_EQ(record[0]["errors"].dump(),
            R"({"unit":"ulp","buckets":[{"low":1.0,"count":5,"high":2.0},{"low":2.0,"count":1}]})");
  EXPECT_FALSE(record[0].contains("has_reference"));
  EXPECT_EQ(record[1]["has_reference"], false);
  for (const char* absent : {"next", "sufficient_tolerance", "errors"}) {
    EXPECT_FALSE(record[1].contains(absent)) << absent;
  }
}

}  // namespace
}  // namespace warpmark
