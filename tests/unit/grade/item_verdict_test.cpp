// Every outcome has its word, and the right one to blame; points follow from words.
#include "grade/feedback/item_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "grade/grader/grade_frame.hpp"

namespace warpmark {
namespace {

Outcome failed(FailureKind kind, const std::vector<std::string>& findings = {}) {
  Outcome outcome;
  outcome.verdict = Verdict::failed;
  outcome.failure = kind;
  for (const std::string& one : findings) outcome.findings.push_back({{"kind", one}});
  return outcome;
}

Outcome ended(Verdict verdict) {
  Outcome outcome;
  outcome.verdict = verdict;
  return outcome;
}

void expect(const Outcome& outcome, GradeWord word, Blame blame) {
  const ItemVerdict verdict = judge_item(outcome);
  EXPECT_EQ(verdict.word, word) << to_text(outcome.failure);
  EXPECT_EQ(verdict.blame, blame) << to_text(outcome.failure);
}

TEST(ItemVerdict, OfEachFailure) {
  expect(ended(Verdict::passed), GradeWord::pass, Blame::nobody);
  expect(failed(FailureKind::compile), GradeWord::not_launched, Blame::submission);
  expect(failed(FailureKind::signature), GradeWord::not_launched, Blame::submission);
  expect(failed(FailureKind::limit), GradeWord::limit, Blame::submission);
  expect(failed(FailureKind::fault), GradeWord::memory_error, Blame::submission);
  for (const FailureKind kind : {FailureKind::no_fault, FailureKind::wrong, FailureKind::unwritten,
                                 FailureKind::input_changed, FailureKind::counter}) {
    expect(failed(kind), GradeWord::wrong, Blame::submission);
  }
}

TEST(ItemVerdict, OfWhatNoSubmissionCanHelp) {
  for (const FailureKind kind : {FailureKind::none, FailureKind::input, FailureKind::reference}) {
    expect(failed(kind), GradeWord::not_launched, Blame::grader);
  }
  expect(ended(Verdict::interrupted), GradeWord::not_launched, Blame::grader);
  expect(ended(Verdict::not_run), GradeWord::not_launched, Blame::grader);
  expect(ended(Verdict::skipped), GradeWord::not_launched, Blame::doubtful);
  expect(failed(FailureKind::driver), GradeWord::not_launched, Blame::doubtful);
  expect(failed(FailureKind::launch), GradeWord::not_launched, Blame::doubtful);
  expect(failed(FailureKind::check), GradeWord::wrong, Blame::doubtful);
  expect(failed(FailureKind::finding), GradeWord::memory_error, Blame::submission);
  expect(failed(FailureKind::crash), GradeWord::memory_error, Blame::doubtful);
}

TEST(ItemVerdict, OfEachFinding) {
  const auto word = [](const std::vector<std::string>& findings) {
    return judge_item(failed(FailureKind::fault, findings)).word;
  };
  EXPECT_EQ(word({"illegal_address"}), GradeWord::memory_error);
  EXPECT_EQ(word({"misaligned_address", "barrier"}), GradeWord::memory_error);  // the first counts
  EXPECT_EQ(word({"stack_overflow"}), GradeWord::memory_error);
  EXPECT_EQ(word({"invalid_pc"}), GradeWord::memory_error);
  EXPECT_EQ(word({"barrier", "illegal_address"}), GradeWord::barrier);
  EXPECT_EQ(word({"race"}), GradeWord::race);
  EXPECT_EQ(word({"limit"}), GradeWord::limit);
  EXPECT_EQ(word({"race", "uninitialised", "limit", "waiting"}), GradeWord::limit);
  EXPECT_EQ(word({"race", "illegal_address"}), GradeWord::memory_error);
  EXPECT_EQ(word({"uninitialised", "race"}), GradeWord::race);  // what follows from a race
  EXPECT_EQ(word({"sync"}), GradeWord::barrier);
  // The report that ended the launch counts before those found in it, whichever that is.
  for (const char* found : {"race", "sync", "uninitialised"}) {
    EXPECT_EQ(word({found, "limit"}), GradeWord::limit) << found;
    EXPECT_EQ(word({found, "trap"}), GradeWord::wrong) << found;
    EXPECT_EQ(word({found, "of a later device"}), GradeWord::memory_error) << found;
  }
  EXPECT_EQ(word({"sync", "uninitialised", "race"}), GradeWord::barrier);
  EXPECT_EQ(word({"race", "sync"}), GradeWord::barrier);  // and what follows from a barrier
  EXPECT_EQ(word({"", "barrier"}), GradeWord::barrier);   // one that says nothing of its kind
  EXPECT_EQ(word({"assert"}), GradeWord::wrong);
  EXPECT_EQ(word({"trap"}), GradeWord::wrong);
  EXPECT_EQ(word({"of a later device"}), GradeWord::memory_error);
  EXPECT_EQ(judge_item(failed(FailureKind::fault, {"unsupported_instruction"})).blame,
            Blame::grader);
  // Threads that wait for each other end in the driver's error for a limit.
  EXPECT_EQ(judge_item(failed(FailureKind::limit, {"barrier"})).word, GradeWord::barrier);
  EXPECT_EQ(judge_item(failed(FailureKind::limit, {"waiting"})).word, GradeWord::limit);
  EXPECT_EQ(judge_item(failed(FailureKind::finding, {"waiting"})).word, GradeWord::memory_error);
}

TEST(ItemVerdict, HowAnItemFailed) {
  const auto by_device = [](const char* kind, const nlohmann::ordered_json& more = {}) {
    Outcome outcome = failed(FailureKind::fault, {kind});
    if (!more.is_null()) outcome.findings[0].update(more);
    return failed_by(outcome);
  };
  EXPECT_EQ(by_device("trap"), FailedBy::trap);
  EXPECT_EQ(by_device("assert"), FailedBy::assertion);
  EXPECT_EQ(by_device("race"), std::nullopt);
  EXPECT_EQ(by_device("illegal_address"), std::nullopt);
  const auto place = [&](const char* side, bool read_only) {
    return by_device("illegal_address",
                     {{"allocation", {{"side", side}, {"read_only", read_only}}}});
  };
  EXPECT_EQ(place("inside", true), FailedBy::written_input);
  EXPECT_EQ(place("inside", false), std::nullopt);
  EXPECT_EQ(place("after", true), std::nullopt);
  EXPECT_EQ(by_device("illegal_address", {{"allocation", 7}}), std::nullopt);
  EXPECT_EQ(failed_by(failed(FailureKind::input_changed)), FailedBy::written_input);
  EXPECT_EQ(failed_by(failed(FailureKind::check)), FailedBy::check);
  EXPECT_EQ(failed_by(failed(FailureKind::counter)), FailedBy::count);
  Outcome limited = failed(FailureKind::fault, {"limit"});
  limited.findings[0]["message"] = "the launch executed 9 thread-instructions, its budget is 8";
  EXPECT_TRUE(ended_by_instructions(limited));
  EXPECT_EQ(failed_by(limited), std::nullopt);
  note_own_limit(limited, 100);
  EXPECT_EQ(failed_by(limited), FailedBy::own_kernel);
  EXPECT_FALSE(ended_by_instructions(failed(FailureKind::limit, {"limit"})));
  limited.findings.push_back({{"kind", "race"}});
  EXPECT_TRUE(ended_by_instructions(limited));
  // The first report that has a kind decides.
  EXPECT_EQ(failed_by(failed(FailureKind::fault, {"", "trap"})), FailedBy::trap);
  EXPECT_EQ(failed_by(failed(FailureKind::fault, {"illegal_address", "trap"})), std::nullopt);
}

// An output of which 4 of 9 elements are wrong by value.
OutputVerdict wrong_output(const char* dtype, size_t narrow, const char* expected,
                           const char* error, const char* bound) {
  OutputVerdict output;
  output.dtype = dtype;
  output.comparison.elements = 9;
  output.comparison.wrong = output.comparison.by_value = 4;
  output.comparison.narrow = narrow;
  Mismatch& worst = output.comparison.worst.emplace();
  worst.expected = expected;
  worst.error = error;
  worst.bound = bound;
  return output;
}

std::optional<FailedBy> failed_by_values(std::vector<OutputVerdict> outputs) {
  Outcome outcome = failed(FailureKind::wrong);
  outcome.outputs = std::move(outputs);
  return failed_by(outcome);
}

TEST(ItemVerdict, HowValuesAreWrong) {
  const auto with = [](const char* dtype, size_t narrow, const char* expected, const char* error,
                       const char* bound) {
    return failed_by_values({wrong_output(dtype, narrow, expected, error, bound)});
  };
  EXPECT_EQ(with("float32", 0, "1", "0.001", "0"), FailedBy::nearly);
  EXPECT_EQ(with("float32", 0, "1e-9", "0.001", "1e-6"), FailedBy::nearly);
  EXPECT_EQ(with("float32", 0, "1", "0.1", "1e-6"), std::nullopt);
  EXPECT_EQ(with("int32", 0, "1000", "1", "0"), std::nullopt);
  EXPECT_EQ(with("int32", 4, "1000", "1", "0"), FailedBy::narrow_stores);
  EXPECT_EQ(with("int32", 3, "1000", "1", "0"), std::nullopt);
}

TEST(ItemVerdict, AtTheBoundsOfNearness) {
  const auto near = [](const char* expected, const char* error, const char* bound) {
    return failed_by_values({wrong_output("float32", 0, expected, error, bound)}) ==
           FailedBy::nearly;
  };
  EXPECT_TRUE(near("100", "1", "0"));
  EXPECT_FALSE(near("100", "1.001", "0"));
  EXPECT_TRUE(near("1", "8192", "1"));
  EXPECT_FALSE(near("1", "8193", "1"));
  // A number that is not given is 0.
  EXPECT_FALSE(near("1e-9", "0.001", ""));
  EXPECT_FALSE(near("", "0.001", "0"));
  EXPECT_FALSE(near("1", "", "1"));
}

TEST(ItemVerdict, AllOutputsThatAreWrongDecide) {
  const OutputVerdict nearly = wrong_output("float32", 0, "1", "0.001", "0");
  const OutputVerdict narrow = wrong_output("int32", 4, "1000", "1", "0");
  const OutputVerdict right;
  EXPECT_EQ(failed_by_values({}), std::nullopt);
  EXPECT_EQ(failed_by_values({right}), std::nullopt);
  EXPECT_EQ(failed_by_values({right, nearly}), FailedBy::nearly);
  EXPECT_EQ(failed_by_values({right, narrow}), FailedBy::narrow_stores);
  EXPECT_EQ(failed_by_values({nearly, narrow}), std::nullopt);
  OutputVerdict in_part = wrong_output("int32", 2, "1000", "1", "0");
  in_part.comparison.in_part = 2;
  EXPECT_EQ(failed_by_values({in_part}), FailedBy::narrow_stores);
  // Some elements are wrong in kind, such as NaN for a number.
  OutputVerdict other_kind = nearly;
  other_kind.comparison.by_value = 3;
  EXPECT_EQ(failed_by_values({other_kind}), std::nullopt);
}

TEST(ItemVerdict, WarningsCostNothing) {
  Outcome outcome = failed(FailureKind::finding);
  outcome.findings = {{{"kind", "race"}, {"severity", "warning"}},
                      {{"kind", "sync"}, {"severity", "error"}}};
  expect(outcome, GradeWord::barrier, Blame::submission);
}

TEST(ItemVerdict, ReadsFindingsThatAreNone) {
  Outcome outcome = failed(FailureKind::fault);
  outcome.findings = {
      nlohmann::ordered_json(), 3, "race", {{"kind", 7}}, nlohmann::ordered_json::array()};
  expect(outcome, GradeWord::memory_error, Blame::submission);
}

TEST(ItemVerdict, OwnKernelsFailAlike) {
  const Outcome driver = failed(FailureKind::driver);
  EXPECT_FALSE(fails_alike(ended(Verdict::passed), driver));
  EXPECT_FALSE(fails_alike(failed(FailureKind::unwritten), driver));  // a template without a body
  EXPECT_FALSE(fails_alike(failed(FailureKind::fault), ended(Verdict::skipped)));
  EXPECT_TRUE(fails_alike(ended(Verdict::skipped), ended(Verdict::skipped)));
  EXPECT_TRUE(fails_alike(driver, driver));
  const Outcome launch = failed(FailureKind::launch);
  EXPECT_TRUE(fails_alike(launch, launch));
  EXPECT_FALSE(fails_alike(failed(FailureKind::unwritten), launch));
  EXPECT_FALSE(fails_alike(ended(Verdict::passed), launch));
  EXPECT_TRUE(fails_alike(failed(FailureKind::crash), driver));
  EXPECT_TRUE(fails_alike(driver, failed(FailureKind::crash)));
  EXPECT_TRUE(fails_alike(failed(FailureKind::input), driver));
  EXPECT_TRUE(fails_alike(ended(Verdict::interrupted), driver));
  EXPECT_TRUE(fails_alike(ended(Verdict::not_run), driver));
  EXPECT_FALSE(fails_alike(failed(FailureKind::reference), driver));
}

OutputVerdict output(const std::string& error, const std::string& bound) {
  OutputVerdict verdict;
  verdict.comparison.worst = Mismatch{MismatchKind::value, 0, "1", "2", error, bound};
  return verdict;
}

TEST(WorstError, IsTheGreatestForItsBound) {
  Outcome outcome = failed(FailureKind::wrong);
  EXPECT_FALSE(worst_error(outcome).error);
  outcome.outputs = {output("10", "8"), output("0.5", "0.1"), output("", ""), output("nan", "1"),
                     OutputVerdict{}};
  EXPECT_EQ(worst_error(outcome).error, 0.5);
  EXPECT_EQ(worst_error(outcome).bound, 0.1);
  outcome.outputs.push_back(output("1e-9", "0"));
  EXPECT_EQ(worst_error(outcome).error, 1e-9);
  // A bound that is none counts as 0; of two that are as bad the first is reported.
  outcome.outputs = {output("10", "8"), output("1e-9", ""), output("1e-8", "")};
  EXPECT_EQ(worst_error(outcome).error, 1e-9);
  EXPECT_FALSE(worst_error(outcome).bound);
  outcome.outputs = {output("1", "2"), output("2", "4")};
  EXPECT_EQ(worst_error(outcome).error, 1);
  outcome.outputs = {output("0", "1")};
  EXPECT_EQ(worst_error(outcome).error, 0);
  outcome.outputs = {output("inf", "1"), output("0.25", "1")};
  EXPECT_EQ(worst_error(outcome).error, 0.25);
  // A lesser one between ends the search no more than one without a number.
  outcome.outputs = {output("10", "8"), output("1", "8"), output("0.5", "0.1")};
  EXPECT_EQ(worst_error(outcome).error, 0.5);
}

TEST(WeighedReports, KeepWhatSaysNothingOfItself) {
  Outcome outcome = failed(FailureKind::finding);
  outcome.findings = {"text", {{"kind", "race"}, {"severity", "warning"}}, {{"kind", "race"}}};
  EXPECT_EQ(weighed_reports(outcome).size(), 2U);
}

TEST(WeighedReports, HaveCausesFirst) {
  Outcome outcome = failed(FailureKind::fault, {"race", "sync", "uninitialised"});
  outcome.findings[1]["message"] = "waits for lanes that have ended";
  outcome.findings[2]["message"] = "reads a register that nothing has set, as an address";
  const auto reports = weighed_reports(outcome);
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_EQ(reports[0]["kind"], "uninitialised");
  EXPECT_EQ(reports[1]["kind"], "sync");
  EXPECT_EQ(reports[2]["kind"], "race");
}

TEST(FailUnchecked, ARaceCheckThatGaveUpIsNoPass) {
  Outcome outcome = ended(Verdict::passed);
  outcome.findings = {{{"kind", "race"}, {"severity", "warning"}},
                      {{"kind", "incomplete"},
                       {"severity", "warning"},
                       {"message", "race: threads synchronize more often than is kept"}}};
  fail_unchecked(outcome);
  expect(outcome, GradeWord::race, Blame::submission);
  EXPECT_THAT(outcome.message, testing::StartsWith("race: threads synchronize"));
}

TEST(FailUnchecked, OtherNotesAndOtherVerdictsStay) {
  Outcome outcome = ended(Verdict::passed);
  outcome.findings = {
      "text",
      {{"kind", "incomplete"}, {"message", "there are more than 100 places of races"}},
      {{"kind", "race"}, {"severity", "warning"}}};
  fail_unchecked(outcome);
  EXPECT_EQ(outcome.verdict, Verdict::passed);
}

TEST(WarningsOf, EachOnceWithItsNameAndLine) {
  Outcome outcome = ended(Verdict::passed);
  outcome.findings = {
      "text",
      {{"kind", "race"}, {"severity", "warning"}, {"name", "order-decides"}, {"line", 7}},
      {{"kind", "race"}, {"severity", "warning"}, {"name", "order-decides"}, {"line", 7}},
      {{"kind", "uninitialised"}, {"severity", "warning"}},
      {{"kind", "race"}, {"severity", "error"}, {"line", 8}},
      {{"kind", "incomplete"}, {"severity", "warning"}, {"message", "race: …"}},
      {{"kind", "sync"}, {"severity", "warning"}, {"line", "of a later device"}}};
  EXPECT_THAT(warnings_of(outcome),
              testing::ElementsAre("order-decides at line 7", "uninitialised", "sync"));
}

GradeResult frame(Credit credit, const std::vector<GradeWord>& words) {
  GradeResult result;
  GradedCase& one = result.cases.emplace_back();
  one.max_points = 10;
  one.credit = credit;
  for (const GradeWord word : words) result.cases[0].items.emplace_back().word = word;
  count_points(result);
  return result;
}

TEST(Points, FollowFromWords) {
  const auto pass = GradeWord::pass;
  const auto wrong = GradeWord::wrong;
  EXPECT_EQ(frame(Credit::all, {pass, pass, pass}).points, 10);
  EXPECT_EQ(frame(Credit::all, {pass, wrong, pass}).points, 0);
  EXPECT_EQ(frame(Credit::each, {pass, pass, pass}).points, 10);
  EXPECT_NEAR(frame(Credit::each, {pass, wrong, pass}).points, 20.0 / 3, 1e-12);
  EXPECT_EQ(frame(Credit::each, {wrong}).points, 0);
  EXPECT_EQ(frame(Credit::each, {}).points, 0);
  EXPECT_EQ(frame(Credit::all, {}).points, 0);
}

TEST(Frame, SaysThatItIsUnfinished) {
  Assignment assignment;
  assignment.id = "hw1";
  AssignmentCase one;
  one.points = 3;
  one.items.resize(2);
  assignment.cases = {one};
  Submission submission;
  submission.student = "ada";
  GradeResult result = unfinished_grade(assignment, submission);
  EXPECT_EQ(result.state, GradeState::grader_error);
  EXPECT_EQ(result.staff, "not finished");
  EXPECT_EQ(result.max_points, 3);
  EXPECT_EQ(result.points, 0);
  EXPECT_EQ(result.cases.at(0).items.size(), 2U);
  EXPECT_EQ(result.cases[0].word(), GradeWord::not_launched);
  refuse(result, GradeState::refused, "It is empty.");
  EXPECT_EQ(result.message, "It is empty.");
  EXPECT_EQ(result.cases[0].items[1].explanation, "It is empty.");
  EXPECT_EQ(result.cases[0].items[1].note, "");
}

}  // namespace
}  // namespace warpmark
