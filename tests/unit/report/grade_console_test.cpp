#include "report/grade/grade_console.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.hpp"
#include "report/grade/grade_text.hpp"
#include "report/page/text_line.hpp"
#include "unit/results/example_grade.hpp"

namespace warpmark {
namespace {

using testing_results::every_state;
using testing_results::graded;
using testing_results::hostile;

std::string printed(const GradeResult& result, const ConsoleStyle& style = {}) {
  std::ostringstream out;
  print_grade(out, style, StudentView(result));
  return out.str();
}

std::string printed(const std::vector<GradeResult>& results, const ConsoleStyle& style = {}) {
  std::ostringstream out;
  print_grades(out, style, results);
  return out.str();
}

TEST(GradeConsole, Golden) {
  EXPECT_EQ(printed(graded()),
            "anna: 6.67 of 20 points\n"
            "\n"
            "  pass          5 of 5     small sizes\n"
            "  wrong         1.67 of 5  odd sizes\n"
            "  race          0 of 10    other data (hidden)\n"
            "\n"
            "LOST 3.33 of 5 points: odd sizes\n"
            "  doublify/double_array.n=401 (after 1 trial that passed): 2 of 401 elements\n"
            "    of `a` have the wrong value.\n"
            "    first: a[400] = 0.5, expected 1, error 0.5, bound 0\n"
            "    last: a[401]\n"
            "    reproduce: warpmark try doubling my.cu --case doublify/double_array.n=401\n"
            "  doublify/double_array.n=1000003 (after 1 trial that passed): Your kernel\n"
            "    ended with a memory error.\n"
            "    first: a[400] = 0.5, expected 1, error 0.5, bound 0\n"
            "    last: a[401]\n"
            "    reproduce: warpmark try doubling my.cu --case doublify/double_array.n=1000003\n"
            "  hint: What if n is no multiple of 128?\n"
            "\n"
            "LOST 10 of 10 points: other data\n"
            "  race: Two threads used the same memory, one of them wrote to it, and nothing\n"
            "    put them in order.\n"
            "  hint: What if n is no multiple of 128?\n");
}

TEST(GradeConsole, AFileThatDoesNotCompileGolden) {
  EXPECT_EQ(printed(every_state()[3]),
            "cleo: 0 of 20 points (does not compile)\n"
            "\n"
            "  Your file does not compile.\n"
            "\n"
            "The compiler says:\n"
            "  | double_array.cu(3): error: expected a `;`\n"
            "  | 1 error detected\n");
}

TEST(GradeConsole, AGraderErrorTakesNoPoints) {
  EXPECT_EQ(printed(every_state()[6]),
            "finn: not graded\n"
            "\n"
            "  The grader failed. This is not your fault.\n");
  const std::string skeleton = printed(every_state()[7]);
  EXPECT_NE(skeleton.find("That is not your fault"), std::string::npos) << skeleton;
  EXPECT_EQ(skeleton.find("0 of"), std::string::npos) << skeleton;
}

TEST(GradeConsole, QuietIsALine) {
  ConsoleStyle style;
  style.verbosity = Verbosity::quiet;
  EXPECT_EQ(printed(graded(), style), "anna: 6.67 of 20 points\n");
  EXPECT_EQ(printed(every_state(), style),
            "8 submissions: 1 with full points, median 0, mean 4.44 of 20 points; 2 not graded\n");
}

TEST(GradeConsole, ALongLogIsCutAfterItsFirstErrors) {
  GradeResult result = every_state()[3];
  result.log.clear();
  for (int i = 0; i < 100; ++i) result.log += fmt::format("error {}\n", i);
  const std::string text = printed(result);
  EXPECT_NE(text.find("  | error 39\n  | … (60 lines left out)\n"), std::string::npos) << text;
}

TEST(GradeConsole, ClassGolden) {
  EXPECT_EQ(printed(every_state()),
            "student  state                            points  cases\n"
            "anna     graded                       6.67 of 20  .wr\n"
            "zoe      graded                         20 of 20  ...\n"
            "ben      not accepted                    0 of 20  ---\n"
            "cleo     does not compile                0 of 20  ---\n"
            "dora     compiling went past a limit     0 of 20  ---\n"
            "emil     crashed the compiler            0 of 20  ---\n"
            "finn     grader error                          -  ---\n"
            "gus      grader error                          -\n"
            "\n"
            "cases: 1 small sizes, 2 odd sizes, 3 other data\n"
            "       . pass, w wrong, m memory error, r race, b barrier, l limit, - not launched\n"
            "\n"
            "FLAGGED anna: uses clock64\n"
            "FLAGGED finn: graded without a sandbox\n"
            "NOT GRADED finn: worker 3 was killed\n"
            "NOT GRADED gus\n"
            "8 submissions: 1 with full points, median 0, mean 4.44 of 20 points; 2 not graded\n");
  EXPECT_EQ(printed(std::vector<GradeResult>{}), "0 submissions\n");
}

std::string without_colours(const std::string& text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\033') {
      at = text.find('m', at);
    } else {
      plain += text[at];
    }
  }
  return plain;
}

TEST(GradeConsole, ColoursChangeNothingElse) {
  const ConsoleStyle style{true, false, 80};
  EXPECT_NE(printed(graded(), style), printed(graded()));
  EXPECT_EQ(without_colours(printed(graded(), style)), printed(graded()));
  EXPECT_EQ(without_colours(printed(every_state(), style)), printed(every_state()));
}

TEST(GradeConsole, HostileTextsFormNoLineOfOurs) {
  ConsoleStyle runner;
  runner.for_runner = true;
  std::vector<std::string> texts = {printed(hostile(), runner)};
  for (const GradeResult& result : hostile()) texts.push_back(printed(result, runner));
  for (const std::string& text : texts) {
    EXPECT_EQ(text.find_first_of("\x1b\r"), std::string::npos);
    EXPECT_EQ(text.find("\u202E"), std::string::npos);
    EXPECT_EQ(text.find("##["), std::string::npos);
    for (const std::string& line : split(text, '\n')) {
      EXPECT_FALSE(trim(line).starts_with("::")) << line;
    }
  }
  // A name cannot begin a line, and a log is printed behind a margin.
  GradeResult result = every_state()[3];
  result.student = "x\nanna: 20 of 20 points";
  result.log = "LOST nothing\n\nanna: 20 of 20 points";
  for (const std::string& line : split(printed(result), '\n')) {
    EXPECT_FALSE(line.starts_with("anna") || line.starts_with("LOST")) << line;
  }
  result = graded();
  result.cases[1].items[0].explanation = "no\n  pass          5 of 5     odd sizes\nLOST nothing";
  for (const std::string& line : split(printed(result), '\n')) {
    EXPECT_FALSE(line.starts_with("  pass") && line.ends_with("odd sizes")) << line;
    EXPECT_NE(line, "LOST nothing");
  }
}

TEST(GradeText, Totals) {
  ClassTotals totals = class_totals(every_state());
  EXPECT_EQ(totals.submissions, 8U);
  EXPECT_EQ(totals.graded, 6U);
  EXPECT_EQ(totals.full, 1U);
  EXPECT_EQ(totals.max_points, 20);
  EXPECT_EQ(totals.median, 0);
  EXPECT_NEAR(totals.mean, (20.0 + 20.0 / 3) / 6, 1e-12);
  totals = class_totals({every_state()[0], every_state()[1]});
  EXPECT_NEAR(totals.median, (20.0 + 20.0 / 3) / 2, 1e-12);
  EXPECT_EQ(totals_text(class_totals({every_state()[7]})), "1 submission: 1 not graded");
}

TEST(GradeText, SumsOfThirdsAreFullPoints) {
  GradeResult result = testing_results::full_points();
  result.points = 0;
  for (int i = 0; i < 10; ++i) result.points += 0.1;
  result.max_points = 1;
  ASSERT_NE(result.points, 1);
  EXPECT_EQ(class_totals({result}).full, 1U);
}

TEST(GradeText, EveryLostPointHasAReason) {
  for (const GradeResult& result : every_state()) {
    if (result.state != GradeState::graded) {
      EXPECT_NE(message_text(result), "");
    }
    for (const GradedCase& one : result.cases) {
      EXPECT_EQ(lost_text(result, one, one.word()).empty(), one.word() == GradeWord::pass);
    }
  }
  // The same holds for items without any texts.
  GradeResult result = graded();
  GradedCase& one = result.cases[1];
  for (GradedItem& item : one.items) {
    item.explanation = item.detail = item.reproduce = "";
    item.trial = 0;
  }
  one.hint.clear();
  EXPECT_EQ(
      lost_text(result, one, one.word()),
      "doublify/double_array.n=401: " + std::string(word_text(GradeWord::wrong)) +
          "\ndoublify/double_array.n=1000003: " + std::string(word_text(GradeWord::memory_error)));
  for (const GradeState state : {GradeState::refused, GradeState::compile_error, GradeState::limit,
                                 GradeState::fault, GradeState::grader_error}) {
    EXPECT_NE(message_text(testing_results::not_graded("x", state, "")), "");
  }
}

TEST(GradeText, WhyNothingRanIsSaidOnce) {
  GradeResult result = graded();
  GradedCase& one = result.cases[1];
  for (GradedItem& item : one.items) {
    item.word = GradeWord::not_launched;
    item.explanation = "There is no kernel `scale`.";
    item.detail = item.reproduce = "";
    item.trial.reset();
  }
  EXPECT_EQ(lost_text(result, one, one.word()),
            "doublify/double_array.n=401: There is no kernel `scale`.\n"
            "doublify/double_array.n=1, doublify/double_array.n=1000003: the same as "
            "doublify/double_array.n=401.");
  one.items[2].explanation = "It has other parameters.";
  EXPECT_EQ(lost_text(result, one, one.word()),
            "doublify/double_array.n=401: There is no kernel `scale`.\n"
            "doublify/double_array.n=1000003: It has other parameters.\n"
            "doublify/double_array.n=1: the same as doublify/double_array.n=401.");
}

// One mistake costs many items, whose numbers differ.
TEST(GradeText, OneMistakeIsReportedOnce) {
  GradeResult result;
  result.state = GradeState::graded;
  const auto add = [&](const std::string& name, const std::vector<std::string>& said,
                       GradeWord word = GradeWord::memory_error) {
    GradedCase& one = result.cases.emplace_back();
    one.name = name;
    one.max_points = 1;
    for (const std::string& text : said) {
      GradedItem& item = one.items.emplace_back();
      item.case_id = name + std::to_string(one.items.size());
      item.word = word;
      item.explanation = text;
      item.reproduce = "try " + item.case_id;
    }
  };
  const std::string tail = " It was thread 7 of block 0.";
  add("a", {"Line 4 reads `x[32]`, but `x` has only 32 elements (index 0 to 31)." + tail,
            "Line 4 reads `x[1]`, but `x` has only 1 element (index 0 to 0). The first to do so …",
            "Line 5 reads `x[32]`, but `x` has only 32 elements (index 0 to 31)." + tail});
  add("b", {"Line 4 reads `x[-257]`, but `x` has only 9 elements (index 0 to 8)." + tail});
  add("c",
      {"`y[3]` is 1.5e-07, but 2 was expected. All 9 elements are wrong.",
       "`y[0]` is -1, but 0.25 was expected. All 12 elements are wrong.",
       "`y[0]` is 1, but 2 was expected. All 12 elements are wrong. They are all 0.",
       "`z[0]` is 1, but 2 was expected. All 12 elements are wrong."},
      GradeWord::wrong);
  const auto lost = [&](size_t i) {
    return lost_text(result, result.cases[i], result.cases[i].word());
  };
  EXPECT_EQ(lost(0), "a1: Line 4 reads `x[32]`, but `x` has only 32 elements (index 0 to 31)." +
                         tail +
                         "\n  reproduce: try a1\n"
                         "a3: Line 5 reads `x[32]`, but `x` has only 32 elements (index 0 to 31)." +
                         tail +
                         "\n  reproduce: try a3\n"
                         "a2: the same as a1.");
  EXPECT_EQ(lost(1), "b1: the same as a1 of `a`.\n  reproduce: try b1");
  // Wrong values must all be the same, for nobody knows why they are wrong.
  EXPECT_THAT(lost(2), testing::EndsWith("c2: the same as c1."));
  EXPECT_THAT(lost(2), testing::HasSubstr("c3: `y[0]` is 1, but 2 was expected."));
  EXPECT_THAT(lost(2), testing::HasSubstr("c4: `z[0]` is 1, but 2 was expected."));
  // Another word, and it is another mistake.
  result.cases[1].items[0].word = GradeWord::race;
  EXPECT_THAT(lost(1), testing::StartsWith("b1: Line 4 reads"));
}

TEST(TextLine, WrapsAtBlanks) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("äöü äöü", 7), (Lines{"äöü äöü"})) << "columns, not bytes";
  EXPECT_EQ(wrapped("muchtoolong a\n  b", 5), (Lines{"muchtoolong", "a", "b"}));
  EXPECT_EQ(wrapped("", 5), (Lines{""}));
}

}  // namespace
}  // namespace warpmark
