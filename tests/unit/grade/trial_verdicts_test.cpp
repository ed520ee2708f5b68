// Which trials count, and what degrees and ratios are worth.
#include "grade/grader/trial_verdicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "grade/grader/grade_frame.hpp"
#include "grade/grader/item_performance.hpp"
#include "report/grade/credit_lines.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

FailedTrial failed(uint64_t trial, GradeWord word, bool may_be_dropped, double degree = 0) {
  FailedTrial one;
  one.trial = trial;
  one.word = word;
  one.explanation = "trial " + std::to_string(trial);
  one.may_be_dropped = may_be_dropped;
  if (degree > 0) one.degree = Degree{degree, "of it"};
  return one;
}

std::vector<uint64_t> dropped(const GradedItem& item) {
  std::vector<uint64_t> trials;
  for (const DroppedTrial& one : item.dropped) trials.push_back(one.trial);
  return trials;
}

TEST(TrialVerdicts, WithoutADropTheFirstFailureDecides) {
  TrialVerdicts verdicts(0);
  EXPECT_FALSE(verdicts.decided());
  verdicts.add(failed(1, GradeWord::wrong, true));
  EXPECT_TRUE(verdicts.decided());
  GradedItem item;
  verdicts.decide(item);
  EXPECT_EQ(item.word, GradeWord::wrong);
  EXPECT_EQ(item.trial, 1U);
  EXPECT_THAT(item.dropped, testing::IsEmpty());
}

TEST(TrialVerdicts, OneIsDroppedAndSaysSo) {
  TrialVerdicts verdicts(1);
  verdicts.add(failed(1, GradeWord::wrong, true));
  EXPECT_FALSE(verdicts.decided());
  GradedItem item;
  verdicts.decide(item);
  EXPECT_EQ(item.word, GradeWord::pass);
  EXPECT_EQ(item.trial, std::nullopt);
  EXPECT_EQ(item.explanation, "");
  EXPECT_THAT(dropped(item), ElementsAre(1));
  verdicts.add(failed(2, GradeWord::wrong, true));
  EXPECT_TRUE(verdicts.decided());
  GradedItem other;
  verdicts.decide(other);
  EXPECT_EQ(other.word, GradeWord::wrong);
  EXPECT_EQ(other.trial, 2U);
}

TEST(TrialVerdicts, WhatMayNotBeDroppedDecidesAtOnce) {
  TrialVerdicts verdicts(2);
  verdicts.add(failed(0, GradeWord::wrong, true));
  verdicts.add(failed(1, GradeWord::memory_error, false));
  EXPECT_TRUE(verdicts.decided());
  GradedItem item;
  verdicts.decide(item);
  EXPECT_EQ(item.word, GradeWord::memory_error);
}

TEST(TrialVerdicts, TheLeastDegreesAreDroppedAndTheLeastOfTheRestCounts) {
  TrialVerdicts verdicts(1);
  verdicts.add(failed(0, GradeWord::wrong, true, 0.9));
  verdicts.add(failed(1, GradeWord::wrong, true, 0.4));
  verdicts.add(failed(2, GradeWord::wrong, false, 0.7));
  EXPECT_FALSE(verdicts.decided());
  GradedItem item;
  verdicts.decide(item);
  EXPECT_THAT(dropped(item), ElementsAre(1));
  EXPECT_EQ(item.trial, 2U);
  EXPECT_EQ(item.degree->share, 0.7);
}

TEST(TrialVerdicts, ARaceHasNoDegreeWhateverTheOtherTrialsAre) {
  TrialVerdicts verdicts(0);
  verdicts.add(failed(0, GradeWord::wrong, true, 0.9));
  EXPECT_FALSE(verdicts.decided());
  verdicts.add(failed(1, GradeWord::race, false));
  EXPECT_TRUE(verdicts.decided());
  GradedItem item;
  verdicts.decide(item);
  EXPECT_EQ(item.word, GradeWord::race);
  EXPECT_EQ(item.degree, std::nullopt);
}

Outcome outcome(FailureKind kind) {
  Outcome one;
  one.verdict = Verdict::failed;
  one.failure = kind;
  return one;
}

TEST(Dropping, LeavesTheLastTrialAndWhatIsWorseThanWrong) {
  TrialRules rules;
  rules.count = 3;
  rules.drop = 1;
  const auto may = [&](uint64_t trial, GradeWord word, FailureKind kind) {
    return may_be_dropped(rules, trial, word, outcome(kind));
  };
  EXPECT_TRUE(may(0, GradeWord::wrong, FailureKind::wrong));
  EXPECT_TRUE(may(1, GradeWord::wrong, FailureKind::unwritten));
  // Its inputs depend on the file: a table of the others' answers fails here.
  EXPECT_FALSE(may(2, GradeWord::wrong, FailureKind::wrong));
  EXPECT_FALSE(may(0, GradeWord::wrong, FailureKind::fault)) << "an assertion";
  EXPECT_FALSE(may(0, GradeWord::wrong, FailureKind::input_changed));
  EXPECT_FALSE(may(0, GradeWord::race, FailureKind::finding));
  EXPECT_FALSE(may(0, GradeWord::memory_error, FailureKind::fault));
  EXPECT_FALSE(may(0, GradeWord::not_launched, FailureKind::launch));
  rules.words = {GradeWord::race};
  EXPECT_TRUE(may(0, GradeWord::race, FailureKind::finding));
  EXPECT_FALSE(may(0, GradeWord::wrong, FailureKind::wrong));
}

OutputVerdict output(const std::string& name, size_t wrong, size_t elements) {
  OutputVerdict verdict;
  verdict.output = name;
  verdict.comparison.elements = elements;
  verdict.comparison.wrong = wrong;
  return verdict;
}

TEST(DegreeOfOutcome, IsThatOfTheWorstOutput) {
  Outcome one = outcome(FailureKind::wrong);
  one.outputs = {output("x", 1, 100), output("y", 29, 100), output("z", 0, 100)};
  const auto degree = degree_of(Credit::degree, DegreeOf::elements, one);
  ASSERT_TRUE(degree);
  EXPECT_EQ(degree->share, 0.71);
  EXPECT_EQ(degree->what, "of the elements of `y` are right");
  EXPECT_FALSE(degree_of(Credit::each, DegreeOf::elements, one));
  EXPECT_FALSE(degree_of(Credit::degree, DegreeOf::composites, one));
  one.failure = FailureKind::finding;
  EXPECT_FALSE(degree_of(Credit::degree, DegreeOf::elements, one)) << "a race";
  one.failure = FailureKind::fault;
  EXPECT_FALSE(degree_of(Credit::degree, DegreeOf::elements, one));
}

TEST(DegreeOfOutcome, OfCompositesNeedsRightResults) {
  Outcome one = outcome(FailureKind::counter);
  EXPECT_FALSE(degree_of(Credit::degree, DegreeOf::composites, one)) << "a bound of the suite's";
  one.nearness = Nearness{0.8, "coalesced"};
  const auto degree = degree_of(Credit::degree, DegreeOf::composites, one);
  ASSERT_TRUE(degree);
  EXPECT_EQ(degree->share, 0.8);
  EXPECT_THAT(degree->what, HasSubstr("`coalesced`"));
  EXPECT_FALSE(degree_of(Credit::degree, DegreeOf::elements, one));
}

TEST(DegreeShare, IsRoundedDown) {
  EXPECT_EQ(degree_share(0.29), 0.29);
  EXPECT_EQ(degree_share(0.999999), 0.99);
  EXPECT_EQ(degree_share(1), 1);
  EXPECT_EQ(degree_share(0.0099), 0);
  EXPECT_EQ(degree_share(-1), 0);
  EXPECT_EQ(degree_share(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(PerformancePoints, LieOnAStraightLine) {
  PerformanceRule rule;
  rule.full = 1;
  rule.zero = 4;
  EXPECT_EQ(rule.points(0, 6), 6);
  EXPECT_EQ(rule.points(1, 6), 6);
  EXPECT_EQ(rule.points(2.5, 6), 3);
  EXPECT_EQ(rule.points(4, 6), 0);
  EXPECT_EQ(rule.points(std::numeric_limits<double>::infinity(), 6), 0);
  EXPECT_EQ(rule.points(std::numeric_limits<double>::quiet_NaN(), 6), 0);
  EXPECT_EQ(rule.points(-1, 6), 0);
}

TEST(PerformancePoints, GoDownInSteps) {
  PerformanceRule rule;
  rule.steps = {{1.25, 5}, {2, 2}};
  EXPECT_EQ(rule.points(1.25, 5), 5);
  EXPECT_EQ(rule.points(1.26, 5), 2);
  EXPECT_EQ(rule.points(2.01, 5), 0);
  EXPECT_EQ(rule.points(1, 3), 3) << "never more than there are";
}

TEST(Counts, TheWorstTrialCounts) {
  PerformanceRule rule;
  rule.counters = {"a", "shared_load_conflicts"};
  std::optional<Performance> worst;
  const CountedRuns quick{
      {{"a", 10}, {"shared_load_wavefronts", 7}, {"shared_load_ideal_wavefronts", 5}}, {{"a", 12}}};
  note_counts(rule, quick, worst);
  EXPECT_EQ(worst->value, 12);
  EXPECT_EQ(worst->ratio, 1);
  note_counts(rule, {{{"a", 36}}, {{"a", 12}}}, worst);
  note_counts(rule, quick, worst);
  EXPECT_EQ(worst->ratio, 3);
  worst.reset();
  note_counts(rule, {{}, {}}, worst);
  EXPECT_EQ(worst->ratio, 1) << "neither does any";
  note_counts(rule, {{{"a", 1}}, {}}, worst);
  EXPECT_FALSE(std::isfinite(worst->ratio));
  worst.reset();
  note_counts(rule, {{{"a", -5}}, {{"a", 5}}}, worst);
  EXPECT_EQ(rule.points(worst->ratio, 5), 0) << "a forged count";
  EXPECT_EQ(worst->value, 0);
}

GradedCase measured_case(const std::vector<GradeWord>& words) {
  GradedCase one;
  one.name = "quick";
  one.max_points = 5;
  one.performance.emplace();
  one.performance->counters = {"global_store_sectors"};
  one.performance->full = 1;
  one.performance->zero = 6;
  for (const GradeWord word : words) {
    GradedItem& item = one.items.emplace_back();
    item.case_id = "s.n=4096";
    item.word = word;
    if (word == GradeWord::pass) item.performance = Performance{4096, 1024, 4, 0, 0, 0, 0};
  }
  return one;
}

TEST(Credit, PerformanceNeedsThatAllIsRight) {
  GradeResult result;
  result.cases = {measured_case({GradeWord::pass})};
  count_points(result);
  EXPECT_EQ(result.points, 2);
  EXPECT_THAT(credit_lines(result.cases[0]),
              ElementsAre("s.n=4096: global store sectors: 4096, baseline 1024 (4 ×): 2 of 5 "
                          "points; 5 of 5 up to 1 ×"));
  result.cases = {measured_case({GradeWord::pass, GradeWord::wrong})};
  count_points(result);
  EXPECT_EQ(result.points, 0);
  EXPECT_THAT(credit_lines(result.cases[0]),
              ElementsAre(HasSubstr("0 of 2.5 points, because not all of the case is right")));
}

TEST(Credit, WhatWasNotMeasuredIsOpen) {
  GradeResult result;
  result.max_points = 5;
  result.cases = {measured_case({GradeWord::pass})};
  result.cases[0].items[0].performance.reset();
  result.cases[0].items[0].open = "they depend on a GPU";
  count_points(result);
  EXPECT_EQ(result.points, 0);
  EXPECT_EQ(result.cases[0].open, "they depend on a GPU");
  EXPECT_EQ(result.open_points(), 5);
  EXPECT_EQ(case_points_text(result.cases[0]), "open, of 5");
  // A wrong result has lost its open points.
  result.cases[0].items[0].word = GradeWord::wrong;
  count_points(result);
  EXPECT_EQ(result.open_points(), 0);
}

TEST(Credit, ADegreeIsAPartOfTheItemsShare) {
  GradeResult result;
  GradedCase& one = result.cases.emplace_back();
  one.max_points = 10;
  one.credit = Credit::degree;
  one.from = 0.5;
  one.items.resize(2);
  one.items[0].word = GradeWord::pass;
  one.items[1].word = GradeWord::wrong;
  one.items[1].case_id = "s.n=7";
  one.items[1].degree = Degree{0.8, "of the elements of `y` are right"};
  count_points(result);
  EXPECT_EQ(result.points, 9);
  EXPECT_THAT(credit_lines(one),
              ElementsAre("s.n=7: 80 % of the elements of `y` are right: 4 of 5 points"));
  one.items[1].degree->share = 0.49;
  count_points(result);
  EXPECT_EQ(result.points, 5);
  EXPECT_THAT(credit_lines(one), ElementsAre(HasSubstr("less than 50 %: 0 of 5 points")));
}

}  // namespace
}  // namespace warpmark
