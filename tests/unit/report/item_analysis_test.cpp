// The analysis of items against values that are worked out by hand and by the formulas' own words.
#include <gtest/gtest.h>

#include <cmath>

#include "report/grade/item_analysis.hpp"
#include "unit/results/example_grade.hpp"

namespace warpmark {
namespace {

using testing_results::graded_case;
using testing_results::item;

// A result of two cases, of 1 and of 3 points, the second with three items of one point each.
GradeResult student(const std::string& name, bool first, int second) {
  GradeResult result = testing_results::graded(name);
  std::vector<GradedItem> items;
  for (int i = 0; i < 3; ++i) {
    items.push_back(item("n=" + std::to_string(i), i < second ? GradeWord::pass : GradeWord::race));
  }
  result.cases = {graded_case("a", 1, {item("n=9", first ? GradeWord::pass : GradeWord::wrong)}),
                  graded_case("b", 3, items, Visibility::hidden, Credit::each)};
  testing_results::sum_up(result);
  return result;
}

std::vector<GradeResult> ten() {
  std::vector<GradeResult> all;
  const int second[] = {3, 3, 3, 2, 2, 1, 1, 1, 0, 0};
  for (int i = 0; i < 10; ++i) all.push_back(student("s" + std::to_string(i), i < 6, second[i]));
  return all;
}

TEST(ItemAnalysis, CountsAndShares) {
  const ItemAnalysis analysis = analyse_items(ten());
  ASSERT_EQ(analysis.cases.size(), 2U);
  const CaseStatistics &a = analysis.cases[0], &b = analysis.cases[1];
  EXPECT_EQ(a.passed, 6U);
  EXPECT_DOUBLE_EQ(a.share, 0.6);
  EXPECT_EQ(b.passed, 3U);
  EXPECT_NEAR(b.share, 16.0 / 30, 1e-12);
  EXPECT_TRUE(b.hidden);
}

// r = (M1 - M0) / s * sqrt(p q), the textbook form of the point-biserial correlation, with the points
// of the other case: those who passed `a` have a mean of 14/6 there, the others of 2/4.
TEST(ItemAnalysis, TheCorrelationIsThePointBiserialOfTheRest) {
  const ItemAnalysis analysis = analyse_items(ten());
  const double mean = 1.6, squares = 9 + 9 + 9 + 4 + 4 + 1 + 1 + 1;
  const double deviation = std::sqrt(squares / 10 - mean * mean);
  const double expected = (14.0 / 6 - 2.0 / 4) / deviation * std::sqrt(0.6 * 0.4);
  ASSERT_TRUE(analysis.cases[0].correlation);
  EXPECT_NEAR(*analysis.cases[0].correlation, expected, 1e-12);
  // With two cases, each is the rest of the other.
  EXPECT_NEAR(*analysis.cases[1].correlation, expected, 1e-12);
}

// 27 % of ten are three: all of the upper three passed, and none of the lower three.
TEST(ItemAnalysis, UpperAndLowerGroups) {
  const ItemAnalysis analysis = analyse_items(ten());
  EXPECT_NEAR(*analysis.cases[0].upper_lower, 1 - 0, 1e-12);
  // Totals 4 4 4 3 3 2 1 1 0 0: the third from below is one of two with a point, equal in `b`.
  EXPECT_NEAR(*analysis.cases[1].upper_lower, 1 - (1.0 / 3) / 3, 1e-12);
}

TEST(ItemAnalysis, TiesAtTheBorderCountInPartWhateverTheOrder) {
  // Six with 1 point by `a`, six with 1 point by `b`: all totals are equal, so both groups are all.
  std::vector<GradeResult> all;
  for (int i = 0; i < 12; ++i)
    all.push_back(student("s" + std::to_string(i), i < 6, i < 6 ? 0 : 1));
  EXPECT_NEAR(*analyse_items(all).cases[0].upper_lower, 0, 1e-12);
  std::reverse(all.begin(), all.end());
  EXPECT_NEAR(*analyse_items(all).cases[0].upper_lower, 0, 1e-12);
}

TEST(ItemAnalysis, WhatDidNotRunIsLeftOut) {
  std::vector<GradeResult> all = ten();
  const ItemAnalysis before = analyse_items(all);
  for (const GradeState state : {GradeState::refused, GradeState::compile_error, GradeState::limit,
                                 GradeState::fault, GradeState::grader_error}) {
    all.push_back(testing_results::not_graded("x", state, "no"));
    all.back().cases = all.front().cases;
  }
  const ItemAnalysis after = analyse_items(all);
  EXPECT_EQ(after.ran, 10U);
  EXPECT_EQ(after.not_run, 4U);
  EXPECT_EQ(after.not_graded, 1U);
  EXPECT_DOUBLE_EQ(after.cases[0].share, before.cases[0].share);
  EXPECT_DOUBLE_EQ(*after.cases[0].correlation, *before.cases[0].correlation);
}

// In an assignment of several files the kernels of the other files ran.
TEST(ItemAnalysis, AFileThatIsMissingSaysNothingOfItsCases) {
  std::vector<GradeResult> all = ten();
  const ItemAnalysis before = analyse_items(all);
  all.push_back(student("without a", false, 3));
  for (GradedItem& one : all.back().cases[0].items) one.word = GradeWord::not_launched;
  const ItemAnalysis after = analyse_items(all);
  EXPECT_EQ(after.cases[0].students, 10U);
  EXPECT_DOUBLE_EQ(after.cases[0].share, before.cases[0].share);
  EXPECT_EQ(after.cases[1].students, 11U);
}

TEST(ItemAnalysis, NothingIsSaidOfTooFewOrOfWhatDoesNotDiffer) {
  std::vector<GradeResult> all = ten();
  all.pop_back();
  EXPECT_FALSE(analyse_items(all).cases[0].correlation);
  EXPECT_FALSE(analyse_items(all).cases[0].upper_lower);
  all.assign(12, student("s", true, 2));
  EXPECT_FALSE(analyse_items(all).cases[0].correlation);
  EXPECT_DOUBLE_EQ(*analyse_items(all).cases[0].upper_lower, 0);
  EXPECT_EQ(items_table(analyse_items({})), "");
  EXPECT_EQ(items_csv(analyse_items({})).find("\r\n"), items_csv(analyse_items({})).size() - 2);
}

TEST(ItemAnalysis, WhatIsRightAndTooSlowIsNamed) {
  std::vector<GradeResult> all = {student("a", true, 3), student("b", true, 3),
                                  student("c", false, 3)};
  for (GradeResult& one : all) one.cases[0].performance = PerformanceRule{};
  all[0].cases[0].points = all[0].cases[0].max_points / 2;
  const std::vector<CommonFailure> failures = analyse_items(all).cases[0].failures;
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].word, GradeWord::pass);
  EXPECT_EQ(failures[0].students, 1U);
  EXPECT_NE(items_table(analyse_items(all)).find("1 × right, but not fast enough for all points"),
            std::string::npos);
  EXPECT_EQ(items_csv(analyse_items(all)).find("× pass"), std::string::npos);
}

TEST(ItemAnalysis, FailuresAreOneIfOnlyNumbersDiffer) {
  std::vector<GradeResult> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(student("s" + std::to_string(i), false, 3));
    all.back().cases[0].items[0].explanation =
        fmt::format("Line {} reads `x[{}]`. {} threads do.", 4 + i, 32 + i, i);
    all.back().cases[0].items[0].word = GradeWord::memory_error;
  }
  all.push_back(student("other", false, 3));
  const std::vector<CommonFailure> failures = analyse_items(all).cases[0].failures;
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].students, 5U);
  EXPECT_EQ(failures[0].cause, "Line 4 reads `x[32]`");
  EXPECT_EQ(failures[1].students, 1U);
  EXPECT_EQ(failures[1].word, GradeWord::wrong);
}

TEST(ItemAnalysis, HostileTextsAreNoMarkupAndNoFormula) {
  std::vector<GradeResult> all = {student("a", false, 0), student("b", false, 0)};
  for (GradeResult& one : all) {
    one.cases[0].name = "=<b>case";
    one.cases[0].items[0].explanation = "<script>alert('x')</script>";
  }
  const std::string table = items_table(analyse_items(all));
  EXPECT_EQ(table.find("<script"), std::string::npos);
  EXPECT_EQ(table.find("<b>case"), std::string::npos);
  EXPECT_NE(table.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(items_csv(analyse_items(all)).find("\"'=<b>case\""), std::string::npos);
}

}  // namespace
}  // namespace warpmark
