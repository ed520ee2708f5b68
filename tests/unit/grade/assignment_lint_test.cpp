// Assignments that give points to kernels that compute nothing, and solutions that must not pass.
#include "grade/assignment/assignment_lint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/grade/assignment_text.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing_assignments::AssignmentFolder;

// The lines of a suite that tests change; its kernel is only compiled.
struct Lines {
  std::string n = "[4, 9]";
  std::string x = "rng.random(n)";
  std::string out = "n";
  std::string reference = "2 * x";
  std::string tolerance = "exact";
  std::string more = "";
};

std::string suite(const Lines& lines) {
  return "warpmark: 1\n"
         "kernel: {file: scale.cu, entry: scale}\n"
         "axes: {n: " +
         lines.n +
         "}\n"
         "arguments:\n"
         "  z: {out: " +
         lines.out +
         "}\n"
         "  x: {in: \"" +
         lines.x +
         "\"}\n"
         "launch: {block: 32}\n"
         "reference: {z: \"" +
         lines.reference +
         "\"}\n"
         "tolerance: " +
         lines.tolerance + "\n" + lines.more;
}

const std::string kHead = "warpmark: 1\nassignment: double-it\nsuite: scale.yaml\n";
const std::string kProved = "self_test: {must_pass: [solutions/good.cu]}\n";
const std::string kAll = kHead + "cases: [{name: all, points: 5}]\n" + kProved;

/// One interpreter for the process, on the CPU device.
class LintTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      session().require();
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
    folder.write("scale.cu", "extern \"C\" __global__ void scale(float *z, const float *x) {}\n");
  }

  static Interpreter& python() {
    static Interpreter interpreter;
    return interpreter;
  }

  static Session& session() {
    static Session cpu(python(), [] {
      SessionOptions options;
      options.device = "cpu";
      return options;
    }());
    return cpu;
  }

  AssignmentLint lint(const Lines& lines, const std::string& text = kAll) {
    folder.write("scale.yaml", suite(lines));
    // Having one size only is another mistake, with separate tests.
    const bool sizes = lines.n.find(',') != std::string::npos;
    assignment =
        folder.parse(text + (sizes || text.find("fixed") != text.npos ? "" : "fixed: [n]\n"));
    PluginLoader plugins;
    return lint_assignment(*assignment, session(), python(), plugins);
  }

  /// "LINE message | hint" of the one problem.
  std::string problem(const Lines& lines, const std::string& text = kAll) {
    const AssignmentLint found = lint(lines, text);
    if (found.problems.size() != 1) return std::to_string(found.problems.size()) + " problems";
    const Error& error = found.problems.front();
    EXPECT_EQ(error.code(), ExitCode::usage);
    return std::to_string(error.where().line) + " " + error.message() + " | " + error.hint();
  }

  AssignmentFolder folder;
  std::shared_ptr<const Assignment> assignment;
};

TEST_F(LintTest, AGoodAssignmentHasNoProblem) {
  const AssignmentLint found = lint({});
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_THAT(found.notes, IsEmpty());
  ASSERT_EQ(found.weakest.size(), 1U);
  EXPECT_TRUE(std::isinf(found.weakest.front().margin.times));
  EXPECT_EQ(lint_summary(*assignment, found),
            "double-it: 5 points in 1 case, 2 items, 3 trials each\n"
            "weakest margin: none, every value must be equal to the expected one\n");
}

TEST_F(LintTest, RefusesWhatNeedsNoKernel) {
  EXPECT_EQ(problem({.reference = "0 * x"}),
            "4 a kernel that wrote zeros gets 5 of the 5 points of `all`: scale.n=4 and 1 more | "
            "choose inputs that lead to another answer; `rng` does");
  EXPECT_THAT(problem({.reference = "x"}), HasSubstr("a kernel that copied `x` gets 5 of the 5"));
  EXPECT_THAT(problem({.reference = "np.full(n, 7)"}), HasSubstr("wrote 7 everywhere gets 5"));
  EXPECT_THAT(problem({.reference = "x * np.nan"}), HasSubstr("that wrote NaN gets 5 of the 5"));
}

TEST_F(LintTest, RefusesAKernelThatWritesNothing) {
  folder.write("scale.cu", testing_assignments::kernel());
  folder.write("scale.yaml", testing_assignments::suite("[4, 9]").replace(
                                 testing_assignments::suite("[4, 9]").find("a * factor"), 10, "a"));
  const auto same = folder.parse(kAll + "fixed: [factor]\n");
  PluginLoader plugins;
  const AssignmentLint found = lint_assignment(*same, session(), python(), plugins);
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_THAT(found.problems[0].message(), StartsWith("a kernel that wrote nothing gets 5"));
}

TEST_F(LintTest, AnEasySizeEarnsNothingAlone) {
  const Lines sum = {.n = "[1]", .out = "1", .reference = "x.sum()", .tolerance = "{rtol: 1e-5}"};
  EXPECT_EQ(problem(sum),
            "4 a kernel that copied `x` gets 5 of the 5 points of `all`: scale.n=1 | put a further "
            "size into the case: with `credit: all` an easy one then earns nothing alone");
  Lines more = sum;
  more.n = "[1, 33]";
  EXPECT_THAT(lint(more).problems, IsEmpty());
  EXPECT_THAT(problem(more, kHead + "cases: [{name: all, points: 5, credit: each}]\n"),
              AllOf(HasSubstr("gets 2.5 of the 5 points of `all`: scale.n=1 | use `credit: all`")));
}

TEST_F(LintTest, RefusesResultsThatNeverChange) {
  const std::string hint =
      "every student and every trial gets the same numbers: let `rng` make the inputs";
  EXPECT_EQ(problem({.x = "np.sin(np.arange(n))"}),
            "4 a kernel that held the results, the same in every trial, gets 5 of the 5 points of "
            "`all`: scale.n=4 and 1 more | " +
                hint);
  // An `rng` that does not affect the results does not help.
  EXPECT_THAT(problem({.reference = "np.sin(np.arange(n)) + 0 * x"}),
              HasSubstr("the same in every"));
  // One of several items is an easy one.
  const std::string one = "np.arange(n) ** 2 if n == 4 else 2 * x";
  EXPECT_THAT(lint({.reference = one}).problems, IsEmpty());
  EXPECT_THAT(
      problem({.reference = one}, kHead + "cases: [{name: all, points: 5, credit: each}]\n"),
      HasSubstr("gets 2.5 of the 5 points of `all`: scale.n=4 | every student"));
}

TEST_F(LintTest, RefusesIndices) {
  EXPECT_THAT(problem({.x = "np.arange(n)", .reference = "x + 1"}),
              HasSubstr("a kernel that wrote each element's index plus 1 gets 5 of the 5"));
  EXPECT_THAT(problem({.reference = "np.arange(n) + 0 * x"}),
              HasSubstr("a kernel that wrote each element's index gets 5 of the 5"));
  EXPECT_THAT(problem({.x = "np.arange(n) + 1e-4 * rng.random(n)",
                       .reference = "x + 1",
                       .tolerance = "{atol: 1e-3}"}),
              AllOf(HasSubstr("a kernel that wrote each element's index plus 1 gets 5 of the 5"),
                    HasSubstr("| the tolerance lets it")));
  EXPECT_THAT(problem({.x = "rng.random((n, n))",
                       .out = "[n, n]",
                       .reference = "np.arange(n * n).reshape(n, n) // n + 0 * x"}),
              HasSubstr("wrote each element's row gets 5 of the 5"));
  EXPECT_THAT(lint({.reference = "np.argsort(x)"}).problems, IsEmpty());
}

TEST_F(LintTest, RefusesASizeThatCanBeBuiltIn) {
  folder.write("scale.yaml", suite({.n = "[9]"}));
  const auto one = folder.parse(kAll);
  PluginLoader plugins;
  const AssignmentLint found = lint_assignment(*one, session(), python(), plugins);
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(found.problems[0].message(),
            "`n` is 9 in every case and trial: a kernel that has 9 built in gets all 5 points");
  EXPECT_EQ(found.problems[0].hint(),
            "give `n` other values in some cases; if kernels may know it, say `fixed: [n]`");
}

TEST_F(LintTest, RefusesANumberThatCanBeBuiltIn) {
  folder.write("scale.cu",
               "extern \"C\" __global__ void scale(float *z, const float *x, float f) {}\n");
  const auto with = [&](const std::string& factor, const std::string& fixed = "") {
    std::string text = suite({.reference = "f * x"});
    const std::string x = "  x: {in: \"rng.random(n)\"}\n";
    text.insert(text.find(x) + x.size(), "  f: {scalar: '" + factor + "'}\n");
    folder.write("scale.yaml", text);
    const auto parsed = folder.parse(kAll + fixed);
    PluginLoader plugins;
    return lint_assignment(*parsed, session(), python(), plugins);
  };
  const AssignmentLint same = with("3");
  ASSERT_EQ(same.problems.size(), 1U);
  EXPECT_THAT(same.problems[0].message(), StartsWith("`f` is 3 in every case and trial"));
  EXPECT_THAT(with("3", "fixed: [f]\n").problems, IsEmpty());
  EXPECT_THAT(with("rng.random()").problems, IsEmpty());
  EXPECT_THAT(with("n / 2").problems, IsEmpty());
  EXPECT_THAT(with("n / 2", "fixed: [f]\n").notes,
              ElementsAre("`fixed` names `f`, which has several values"));
}

TEST_F(LintTest, NotesWhatASuiteLeavesOpen) {
  EXPECT_THAT(lint({.n = "[32]"}).notes,
              ElementsAre(StartsWith("every launch has exactly as many threads")));
  EXPECT_THAT(lint({.n = "[32, 9]"}).notes, IsEmpty());
  EXPECT_THAT(lint({}, kHead + "cases: [{name: all, points: 5}]\n").notes,
              ElementsAre(StartsWith("`self_test` has no `must_pass`")));
}

TEST_F(LintTest, RefusesAToleranceThatSwallowsAnswers) {
  EXPECT_THAT(problem({.tolerance = "{atol: 10}"}),
              AllOf(HasSubstr("a kernel that wrote zeros or copied `x` gets 5"),
                    HasSubstr("| the tolerance lets it: make it tighter")));
  // A single item is refused even with credit for all: no one would notice that it is of no use.
  EXPECT_THAT(problem({.tolerance = "{atol: \"np.where(n == 4, 10, 0)\"}"}),
              StartsWith("4 in `all`, `z` of scale.n=4 would pass if the kernel wrote "));
}

TEST_F(LintTest, RefusesACaseThatComparesNothing) {
  folder.write("scale.cu", "extern \"C\" __global__ void scale(const float *x) {}\n");
  folder.write("scale.yaml",
               "warpmark: 1\nkernel: {file: scale.cu, entry: scale}\narguments:\n"
               "  x: {in: rng.random(3)}\nlaunch: {block: 32}\n");
  const auto empty = folder.parse(kAll);
  PluginLoader plugins;
  const AssignmentLint found = lint_assignment(*empty, session(), python(), plugins);
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(found.problems[0].message(),
            "any kernel gets 5 of the 5 points of `all`: no output is compared");
}

TEST_F(LintTest, TheWeakestMarginIsTheNearestAnswersErrorOverTheBound) {
  // The middle, 101, is 1 off where 0.25 is allowed; all else is further away.
  const AssignmentLint found =
      lint({.n = "[2]", .reference = "np.array([100, 102]) + 0 * x", .tolerance = "{atol: 0.25}"});
  ASSERT_EQ(found.weakest.size(), 1U);
  EXPECT_NEAR(found.weakest.front().margin.times, 4, 0.1);
  EXPECT_EQ(found.weakest.front().margin.answer, "one value everywhere");
  EXPECT_THAT(lint_summary(*assignment, found),
              HasSubstr("times the bound, by one value everywhere as `z` in `all` (scale.n=2)"));
  // A copy is 1 % off everywhere, in units of a bound of 0.1 %.
  const AssignmentLint copied =
      lint({.x = "1 + rng.random(n)", .reference = "1.01 * x", .tolerance = "{rtol: 0.001}"});
  ASSERT_EQ(copied.weakest.size(), 1U);
  EXPECT_NEAR(copied.weakest.front().margin.times, 10 / 1.01, 0.1);
  EXPECT_EQ(copied.weakest.front().margin.answer, "a copy of `x`");
}

TEST_F(LintTest, WhatFailsAnItemIsReported) {
  EXPECT_THAT(problem({.x = "rng.rondom(n)"}), HasSubstr("scale.n=4: "));
  folder.write("scale.cu",
               "extern \"C\" __global__ void __launch_bounds__(16)\n"
               "scale(float *z, const float *x) {}\n");
  EXPECT_THAT(problem({}), AllOf(HasSubstr("scale.n=4: no CUDA device can launch `scale`"),
                                 HasSubstr("the block has 32 threads"), HasSubstr("allows 16")));
  folder.write("scale.cu",
               "extern \"C\" __global__ void scale(float *z, const float *x) {\n  oops;\n}\n");
  EXPECT_THAT(problem({}), HasSubstr("oops"));
}

// Self-tests need no device: what grading gives is made up here.
class SelfTestTest : public testing::Test {
 protected:
  static GradeResult graded(double small, double large, GradeWord word) {
    GradeResult result;
    result.state = GradeState::graded;
    result.max_points = 25;
    result.points = small + large;
    const auto item = [&](bool passed) {
      GradedItem one;
      one.word = passed ? GradeWord::pass : word;
      if (!passed) one.explanation = "It is wrong.";
      return one;
    };
    result.cases.resize(2);
    result.cases[0].name = "small";
    result.cases[0].max_points = 5;
    result.cases[0].points = small;
    result.cases[0].items = {item(small == 5)};
    result.cases[1].name = "large";
    result.cases[1].max_points = 20;
    result.cases[1].points = large;
    result.cases[1].items = {item(true), item(large == 20)};
    return result;
  }

  /// "LINE message | hint" of the problem with `test` when grading gives `result`; "" for none.
  std::string problem(const std::string& test, const GradeResult& result) {
    const auto assignment =
        folder.parse(testing_assignments::good() + "self_test:\n  " + test + "\n");
    const std::vector<Error> problems =
        run_self_tests(*assignment, [&](const std::filesystem::path& file) {
          EXPECT_TRUE(std::filesystem::is_regular_file(file));
          return result;
        });
    if (problems.empty()) return "";
    EXPECT_EQ(problems[0].where().line, 10);
    return problems[0].message() + " | " + problems[0].hint();
  }

  AssignmentFolder folder;
};

TEST_F(SelfTestTest, WhatMustPassGetsAllPoints) {
  const std::string test = "must_pass: [solutions/good.cu]";
  EXPECT_EQ(problem(test, graded(5, 20, GradeWord::wrong)), "");
  EXPECT_EQ(problem(test, graded(5, 0, GradeWord::race)),
            "`solutions/good.cu` must pass, and gets 5 of 25 points | `large` says race: It is "
            "wrong.");
  GradeResult refused = graded(5, 20, GradeWord::wrong);
  refused.state = GradeState::compile_error;
  refused.message = "It does not compile.";
  EXPECT_THAT(problem(test, refused), HasSubstr("| compile_error: It does not compile."));
}

TEST_F(SelfTestTest, WhatMustFailLosesPointsWhereItIsSaid) {
  EXPECT_EQ(problem("must_fail: [wrong/bad.cu]", graded(0, 20, GradeWord::wrong)), "");
  EXPECT_EQ(problem("must_fail: [wrong/bad.cu]", graded(5, 20, GradeWord::wrong)),
            "`wrong/bad.cu` must lose points, and loses none | add or change a case so that this "
            "mistake shows");
  const std::string at_large = "must_fail: [{file: wrong/bad.cu, case: large}]";
  EXPECT_EQ(problem(at_large, graded(5, 0, GradeWord::wrong)), "");
  EXPECT_THAT(problem(at_large, graded(0, 20, GradeWord::wrong)),
              StartsWith("`wrong/bad.cu` must lose points in `large`, and loses none"));
  const std::string race = "must_fail: [{file: wrong/bad.cu, case: large, word: race}]";
  EXPECT_EQ(problem(race, graded(5, 10, GradeWord::race)), "");
  EXPECT_THAT(problem(race, graded(5, 0, GradeWord::wrong)),
              StartsWith("`wrong/bad.cu` must say race in `large`, and says wrong"));
  const std::string either =
      "must_fail: [{file: wrong/bad.cu, case: large, word: [barrier, limit]}]";
  EXPECT_EQ(problem(either, graded(5, 10, GradeWord::limit)), "");
  EXPECT_THAT(problem(either, graded(5, 0, GradeWord::wrong)),
              StartsWith("`wrong/bad.cu` must say barrier or limit in `large`, and says wrong"));
  EXPECT_EQ(
      problem("must_fail: [{file: wrong/bad.cu, word: race}]", graded(0, 20, GradeWord::race)), "");
}

TEST_F(SelfTestTest, AGraderErrorIsNoVerdict) {
  GradeResult broken = graded(0, 0, GradeWord::not_launched);
  broken.state = GradeState::grader_error;
  broken.staff = "the device is gone";
  for (const char* test : {"must_fail: [wrong/bad.cu]", "must_pass: [wrong/bad.cu]"}) {
    EXPECT_EQ(problem(test, broken), "`wrong/bad.cu` could not be graded | the device is gone");
  }
}

}  // namespace
}  // namespace warpmark
