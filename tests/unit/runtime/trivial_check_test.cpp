// Each answer that needs no kernel, against cases that let it pass and cases that do not.
#include "runtime/trivial_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plugin_loader.hpp"
#include "runtime/trivial_findings.hpp"
#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The lines that tests change.
struct Lines {
  std::string axes = "n: [100]";
  std::string out = "{out: n, dtype: float32}";
  std::string x = "{in: rng.standard_normal(n), dtype: float32}";
  std::string reference = "2 * x";
  std::string tolerance = "exact";
  std::string more = "";
};

class TrivialTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      python().require_numpy();
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
  }

  static std::shared_ptr<const Suite> suite(const Lines& lines) {
    return parse_suite(
        "warpmark: 1\n"
        "kernel: {source: void k();, entry: k}\n"
        "axes: {" +
            lines.axes +
            "}\n"
            "arguments:\n"
            "  z: " +
            lines.out +
            "\n"
            "  x: " +
            lines.x +
            "\n"
            "launch: {block: 1}\n" +
            (lines.reference.empty() ? "" : "reference: {z: \"" + lines.reference + "\"}\n") +
            "tolerance: " + lines.tolerance + "\n" + lines.more,
        "/nowhere/suites/s.yaml");
  }

  // Prepares a case as a Session's examine does, without a compiler: every dtype is the suite's.
  ReadyCase ready(const Case& which, uint64_t trial) {
    ReadyCase made{make_plan(which, plugins_), {}};
    ArgumentTypes types;
    Facts facts;
    for (const Buffer& buffer : made.planned.plan.buffers) {
      types.dtypes.emplace(buffer.name, buffer.dtype.value());
    }
    made.inputs =
        evaluate_inputs(python(), made.planned, types, {7, which.suite->name, which.id, "", trial});
    for (const Buffer& buffer : made.planned.plan.buffers) {
      ArrayFacts array{{}, *buffer.dtype};
      if (buffer.value) array.shape = made.inputs.arrays.at(buffer.name).shape();
      facts.arrays.emplace(buffer.name, array);
    }
    made.planned.plan = resolve(made.planned.plan, facts, made.planned.positions);
    return made;
  }

  TrivialCheck check(const Case& which) {
    TrivialCheck tried(python(), nearly_right_);
    trials_ = 0;
    while (tried.look(ready(which, trials_++))) {
    }
    return tried;
  }

  // "zeros", "copy x"; with "~" what only the tolerance lets pass.
  std::vector<std::string> passes(const Lines& lines) {
    std::vector<std::string> all;
    for (const TrivialPass& pass : check(cases(suite(lines)).front()).passes()) {
      EXPECT_EQ(pass.output, "z");
      all.push_back(std::string(to_text(pass.answer)) +
                    (pass.detail.empty() ? "" : " " + pass.detail) +
                    (pass.by_tolerance ? " ~" : ""));
    }
    return all;
  }

  // The findings of a suite: "n=1 zeros".
  std::vector<std::string> findings(const Lines& lines) {
    suite_ = suite(lines);
    found_ = TrivialFindings(suite_);
    for (const Case& which : cases(suite_)) found_.add(which, check(which));
    std::vector<std::string> all;
    for (const TrivialFinding& one : found_.findings()) {
      all.push_back(one.case_id.substr(2) + " " + std::string(to_text(one.pass.answer)));
    }
    return all;
  }

  std::vector<std::string> unneeded() {
    std::vector<std::string> all;
    for (const auto& one : found_.unneeded()) all.emplace_back(to_text(one.answer));
    return all;
  }

  PluginLoader plugins_;
  bool nearly_right_ = false;
  uint64_t trials_ = 0;
  std::shared_ptr<const Suite> suite_;
  TrivialFindings found_{nullptr};
};

TEST_F(TrivialTest, AGoodCaseRefutesAllInItsFirstTrial) {
  EXPECT_THAT(passes({}), IsEmpty());
  EXPECT_EQ(trials_, 1U);
  EXPECT_THAT(passes({.out = "{out: n, dtype: int32}",
                      .x = "{in: 'rng.integers(-9, 9, n)', dtype: int32}"}),
              IsEmpty());
  EXPECT_THAT(passes({.out = "{out: n, dtype: bool}", .reference = "x > 0"}), IsEmpty());
}

TEST_F(TrivialTest, Zeros) {
  EXPECT_THAT(passes({.reference = "0 * x"}), ElementsAre("zeros"));  // -0 among them
  EXPECT_THAT(passes({.tolerance = "{atol: 20}"}), ElementsAre("zeros ~", "copy x ~"));
  // One element that is not 0, the last of several pieces.
  const std::string last = "np.where(np.arange(n) == n - 1, 1, 0.0)";
  EXPECT_THAT(passes({.axes = "n: [20000]", .reference = last}), IsEmpty());
  EXPECT_THAT(passes({.axes = "n: [20000]", .reference = last, .tolerance = "{atol: 0.4}"}),
              IsEmpty());
  EXPECT_THAT(passes({.axes = "n: [20000]", .reference = last, .tolerance = "{atol: 1}"}),
              ElementsAre("zeros ~"));
  EXPECT_THAT(passes({.out = "{out: n, dtype: bool}", .reference = "x > 99"}),
              ElementsAre("zeros"));
}

TEST_F(TrivialTest, Ones) {
  EXPECT_THAT(passes({.reference = "x / x"}), ElementsAre("ones"));
  EXPECT_THAT(passes({.out = "{out: n, dtype: bool}",
                      .x = "{in: np.arange(n), dtype: float32}",
                      .reference = "x < 199"}),
              ElementsAre("ones"));
  EXPECT_THAT(passes({.out = "{out: n, dtype: uint8}", .reference = "np.ones(n, int)"}),
              ElementsAre("ones"));
}

TEST_F(TrivialTest, ACopyOfAnInput) {
  EXPECT_THAT(passes({.reference = "x"}), ElementsAre("copy x"));
  EXPECT_THAT(passes({.reference = "np.where(np.arange(n) == 77, 2 * x, x)"}), IsEmpty());
  // Cast to the output's dtype.
  EXPECT_THAT(passes({.out = "{out: n, dtype: float64}", .reference = "x"}), ElementsAre("copy x"));
  EXPECT_THAT(passes({.out = "{out: n, dtype: int32}",
                      .x = "{in: rng.random(n) * 99, dtype: "
                           "float32}",
                      .reference = "np.trunc(x).astype(int)"}),
              ElementsAre("copy x"));
  // Its first elements.
  EXPECT_THAT(passes({.out = "{out: 50, dtype: float32}", .reference = "x[:50]"}),
              ElementsAre("copy x"));
  EXPECT_THAT(passes({.out = "{out: 50, dtype: float32}", .reference = "x[1:51]"}), IsEmpty());
  EXPECT_THAT(passes({.out = "{out: 2 * n, dtype: float32}", .reference = "np.tile(x, 2)"}),
              IsEmpty());
  // In memory a vector is its own transpose.
  EXPECT_THAT(passes({.out = "{out: [1, n], dtype: float32}",
                      .x = "{in: 'rng.random((n, 1))', dtype: float32}",
                      .reference = "x.T"}),
              ElementsAre("copy x"));
}

TEST_F(TrivialTest, AConstant) {
  EXPECT_THAT(passes({.reference = "np.full(n, 2.5)"}), ElementsAre("constant 2.5"));
  EXPECT_THAT(passes({.reference = "np.full(n, x[0])"}), IsEmpty());  // another in each trial
  EXPECT_THAT(passes({.reference = "np.full(n, np.inf)"}), ElementsAre("constant inf"));
  EXPECT_THAT(passes({.reference = "1 + 0.001 * x", .tolerance = "{rtol: 0.01}"}),
              ElementsAre("ones ~"));
  EXPECT_THAT(passes({.out = "{out: n, dtype: uint8}", .reference = "np.full(n, 0xCB)"}),
              ElementsAre("constant 203"));
}

// 1 and 3 are within rtol of one value for rtol >= 1/2 only, and that value is 1.5: the first
// element, the mean and any other fail.
TEST_F(TrivialTest, TheConstantOfARelativeBoundIsTheHarmonicMean) {
  const std::string two = "np.where(np.arange(n) % 2, 1.0, 3)";
  EXPECT_THAT(passes({.reference = two, .tolerance = "{rtol: 0.5}"}),
              ElementsAre("constant 1.5 ~"));
  EXPECT_THAT(passes({.reference = two, .tolerance = "{rtol: 0.49}"}), IsEmpty());
  EXPECT_THAT(passes({.reference = two, .tolerance = "{atol: 1}"}), ElementsAre("constant 2 ~"));
  EXPECT_THAT(passes({.reference = two, .tolerance = "{atol: 0.99}"}), IsEmpty());
}

TEST_F(TrivialTest, Nan) {
  EXPECT_THAT(passes({.reference = "np.full(n, np.nan)"}), ElementsAre("nan"));
  EXPECT_THAT(passes({.reference = "np.where(x > 0, np.nan, 1)"}), IsEmpty());
  EXPECT_THAT(passes({.reference = "np.full(n, np.nan)", .tolerance = "{rtol: 1, nan: forbid}"}),
              IsEmpty());
}

TEST_F(TrivialTest, WhatWasThereBefore) {
  const std::string inout = "{inout: rng.standard_normal(n), dtype: float32}";
  EXPECT_THAT(passes({.out = inout, .reference = "2 * z"}), IsEmpty());
  EXPECT_THAT(passes({.out = inout, .reference = "z"}), ElementsAre("unwritten"));
  EXPECT_THAT(passes({.out = inout, .reference = "x"}), ElementsAre("copy x"));
  EXPECT_THAT(passes({.out = inout, .reference = "1.001 * z", .tolerance = "{rtol: 0.01}"}),
              ElementsAre("unwritten ~"));
}

// An element that is poison after two launches was never written, however loose the bound.
TEST_F(TrivialTest, AnOutThatNobodyWritesPassesNowhere) {
  EXPECT_THAT(passes({.tolerance = "{atol: 1e9}"}), ElementsAre("zeros ~", "copy x ~"));
  // Either poison by itself is a value like others.
  EXPECT_THAT(passes({.out = "{out: n, dtype: uint8}", .reference = "np.full(n, 0x34)"}),
              ElementsAre("constant 52"));
}

TEST_F(TrivialTest, WhatIsAllowedByLuckOnlyIsNoFinding) {
  // The greater of two is the first in half of all trials.
  const Lines two{.axes = "n: [2]", .out = "{out: 1, dtype: float32}", .reference = "x.max()"};
  EXPECT_THAT(passes(two), IsEmpty());
  // A coin.
  EXPECT_THAT(passes({.axes = "n: [1]",
                      .out = "{out: n, dtype: bool}",
                      .x = "{in: 'rng.integers(0, 2, n)', dtype: int32}",
                      .reference = "x == 0"}),
              IsEmpty());
}

TEST_F(TrivialTest, TrialsEndWhereNothingIsToBeLearnt) {
  passes({.reference = "x"});
  EXPECT_EQ(trials_, 16U);
  passes({.x = "{in: np.arange(n), dtype: float32}", .reference = "x"});
  EXPECT_EQ(trials_, 1U);
  passes({.axes = "n: [4000000]", .reference = "x"});
  EXPECT_EQ(trials_, 2U);
  // A name that only ends in those letters is no generator.
  passes({.x = "{in: 'np.array([1 for xrng in range(n)])', dtype: float32}", .reference = "x"});
  EXPECT_EQ(trials_, 1U);
}

TEST_F(TrivialTest, AnOutputWithoutElementsIsNotJudged) {
  EXPECT_THAT(passes({.axes = "n: [0]", .tolerance = "{atol: 1e30}"}), IsEmpty());
}

TEST_F(TrivialTest, BoundsForEachElement) {
  EXPECT_THAT(passes({.axes = "n: [9000]", .tolerance = "{atol: 'np.full(n, 20.0)'}"}),
              ElementsAre("zeros ~", "copy x ~"));
  EXPECT_THAT(passes({.axes = "n: [9000]",
                      .tolerance = "{atol: 'np.where(np.arange(n) == 8999, 0, 20.0)'}"}),
              IsEmpty());
}

TEST_F(TrivialTest, AReferenceThatRaisesIsTheCasesFailure) {
  try {
    passes({.reference = "x[:5]"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::verdict);
    EXPECT_EQ(error.where().line, 8);
  }
}

TEST_F(TrivialTest, OneElementMustPassInEveryCase) {
  const std::string one = "{out: 1, dtype: float32}";
  EXPECT_THAT(findings({.axes = "n: [1, 2]", .out = one, .reference = "x.sum()"}), IsEmpty());
  EXPECT_THAT(findings({.axes = "n: [1]", .out = one, .reference = "x.sum()"}),
              ElementsAre("n=1 copy"));
  EXPECT_THAT(findings({.axes = "n: [1, 2]", .out = one, .reference = "0 * x.sum()"}),
              ElementsAre("n=1 zeros", "n=2 zeros"));
  // A tolerance that is too wide is found in its own case.
  EXPECT_THAT(findings({.axes = "n: [1, 9]",
                        .out = one,
                        .reference = "x.sum() + 100",
                        .tolerance = "{atol: '500 if n > 1 else 0'}"}),
              ElementsAre("n=9 zeros", "n=9 copy"));
}

TEST_F(TrivialTest, MoreElementsStandForThemselves) {
  EXPECT_THAT(findings({.axes = "f: [0, 1, 2], n: [9]", .reference = "f * x"}),
              ElementsAre("f=0,n=9 zeros", "f=1,n=9 copy"));
}

TEST_F(TrivialTest, TheRightConstantOfFixedInputs) {
  const std::string fixed = "{in: np.arange(8), dtype: float32}";
  const Lines decision{.axes = "yes: [True, False], n: [8]",
                       .out = "{out: 1, dtype: bool}",
                       .x = fixed,
                       .reference = "(x[0] < x[1]) == yes"};
  EXPECT_THAT(findings(decision), IsEmpty());
  EXPECT_THAT(findings({.axes = "f: [2, 3], n: [8]", .x = fixed, .reference = "np.full(n, f)"}),
              IsEmpty());
  EXPECT_THAT(findings({.axes = "f: [2, 3], n: [8]", .x = fixed, .reference = "np.full(n, 5)"}),
              ElementsAre("f=2,n=8 constant", "f=3,n=8 constant"));
  // With random inputs nothing speaks for one answer.
  EXPECT_THAT(findings({.axes = "f: [2, 3], n: [8]", .reference = "np.full(n, f)"}),
              ElementsAre("f=2,n=8 constant", "f=3,n=8 constant"));
}

TEST_F(TrivialTest, WhatAnotherCaseExpects) {
  const std::string fixed = "{in: np.arange(n), dtype: float32}";
  EXPECT_THAT(findings({.axes = "b: [1, 2], n: [8, 9]", .x = fixed}),
              ElementsAre("b=2,n=8 stale", "b=2,n=9 stale"));
  EXPECT_THAT(findings({.axes = "b: [1, 2], n: [8]"}), IsEmpty());  // rng
  EXPECT_THAT(findings({.axes = "b: [1, 2], n: [1]", .x = fixed, .reference = "x + b"}), IsEmpty());
}

TEST_F(TrivialTest, Exceptions) {
  const auto with = [&](const std::string& more) {
    return findings({.axes = "f: [0, 1, 2], n: [9]", .reference = "f * x", .more = more});
  };
  EXPECT_THAT(with("lint: {allow: [zeros, copy], reason: r}\n"), IsEmpty());
  EXPECT_THAT(unneeded(), IsEmpty());
  EXPECT_THAT(with("lint: {allow: [zeros, nan], reason: r}\n"), ElementsAre("f=1,n=9 copy"));
  EXPECT_THAT(unneeded(), ElementsAre("nan"));
  EXPECT_THAT(with("lint: [{allow: [copy], when: f == 1, reason: r},"
                   " {allow: [zeros, copy], when: f == 2, reason: r}]\n"),
              ElementsAre("f=0,n=9 zeros"));
  EXPECT_THAT(unneeded(), ElementsAre("zeros", "copy"));
  EXPECT_THROW(with("lint: {allow: [zeros], when: f, reason: r}\n"), Error);
}

// A finding that the other cases refute needs no exception.
TEST_F(TrivialTest, AnExceptionForWhatIsNoFindingIsNotNeeded) {
  EXPECT_THAT(findings({.axes = "n: [1, 2]",
                        .out = "{out: 1, dtype: float32}",
                        .reference = "x.sum()",
                        .more = "lint: {allow: [copy], when: n == 1, reason: r}\n"}),
              IsEmpty());
  EXPECT_THAT(unneeded(), ElementsAre("copy"));
}

TEST_F(TrivialTest, ACaseThatComparesNothing) {
  suite_ = suite({});
  found_ = TrivialFindings(suite_);
  found_.add_without_outputs(cases(suite_).front());
  const std::vector<Error> problems = trivial_problems(*suite_, found_.findings());
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].message(), "s.n=100: no output is compared, so that any kernel passes");
}

TEST_F(TrivialTest, OneProblemForCasesThatAreAlike) {
  findings({.axes = "f: [0, 1], n: [5, 6, 7, 8]", .reference = "f * x"});
  const std::vector<Error> problems = trivial_problems(*suite_, found_.findings());
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].message(),
            "`z` would pass if the kernel wrote zeros, in 4 cases: s.f=0,n=5 s.f=0,n=6 s.f=0,n=7 "
            "…");
  EXPECT_EQ(problems[0].where().text(), "/nowhere/suites/s.yaml:8:17");
  EXPECT_EQ(problems[0].hint(),
            "choose inputs that lead to another answer; if it is meant so: `lint: {allow: "
            "[zeros], reason: …}`");
  findings({.axes = "n: [5]", .tolerance = "{atol: 1000}"});
  const Error loose = trivial_problems(*suite_, found_.findings()).at(0);
  EXPECT_EQ(loose.message(), "s.n=5: `z` would pass if the kernel wrote zeros or copied `x`");
  EXPECT_EQ(loose.where().line, 9);
}

class NearlyRightTest : public TrivialTest {
 protected:
  void SetUp() override {
    TrivialTest::SetUp();
    nearly_right_ = true;
  }
  static Lines lines(const std::string& tolerance,
                     const std::string& x = "{in: rng.random(100) + 1, dtype: float32}") {
    Lines all;
    all.x = x;
    all.out = "{out: 100, dtype: float32}";
    all.reference = "3 * x";
    all.tolerance = tolerance;
    return all;
  }
};

TEST_F(NearlyRightTest, ATightToleranceRefutesThemAll) {
  EXPECT_THAT(passes(lines("{rtol: 1e-4}")), testing::IsEmpty());
  EXPECT_THAT(passes(lines("{rtol: 1e-3}")), testing::UnorderedElementsAre("float16 ~", "tf32 ~"));
  EXPECT_THAT(passes(lines("exact")), testing::IsEmpty());
}

// The `atol` allows an error of 3.7 %, with values of 3 to 6.
TEST_F(NearlyRightTest, ALooseAtol) {
  EXPECT_THAT(passes(lines("{atol: 0.111}")),
              testing::UnorderedElementsAre("low_precision ~", "one_percent ~"));
  EXPECT_THAT(passes(lines("{rtol: 5e-3}")), testing::ElementsAre("low_precision ~"));
  EXPECT_THAT(passes(lines("{rtol: 0.011}")),
              testing::UnorderedElementsAre("low_precision ~", "one_percent ~"));
}

TEST_F(NearlyRightTest, WhatIsExactThereIsNoFinding) {
  EXPECT_THAT(
      passes(lines("{rtol: 5e-3}",
                   "{in: 'np.full(100, 2.0) + rng.integers(3, size=100)', dtype: float32}")),
      testing::IsEmpty())
      << "small integers have eight bits";
  Lines zeros = lines("{atol: 1e-3}");
  zeros.reference = "0 * x";
  EXPECT_THAT(passes(zeros), testing::Not(testing::Contains("one_percent ~")));
}

// Halves are as far off by themselves.
TEST_F(NearlyRightTest, NarrowFloatsAreNotAsked) {
  Lines narrow = lines("{rtol: 0.02}");
  narrow.out = "{out: 100, dtype: float16}";
  EXPECT_THAT(passes(narrow), testing::IsEmpty());
  narrow = lines("{rtol: 0.02}", "{in: rng.random(100) + 1, dtype: float16}");
  EXPECT_THAT(passes(narrow), testing::IsEmpty());
}

TEST_F(NearlyRightTest, ATermLess) {
  Lines sum = lines("{atol: 1.5}", "{in: 'rng.choice([-1.0, 1.0], n)', dtype: float32}");
  sum.axes = "n: [100]";
  sum.out = "{out: 1, dtype: float32}";
  sum.reference = "np.sum(x)";
  EXPECT_THAT(passes(sum), testing::Contains("dropped x ~"));
  EXPECT_THAT(findings(sum), testing::Contains(testing::HasSubstr("dropped")));
  // If one case refutes it, the others need not.
  sum.axes = "n: [100, 400]";
  sum.tolerance = "{atol: 'n / 200'}";
  EXPECT_THAT(findings(sum), testing::Not(testing::Contains(testing::HasSubstr("dropped"))));
  sum.tolerance = "{rtol: 1e-6}";
  EXPECT_THAT(findings(sum), testing::IsEmpty());
}

TEST_F(NearlyRightTest, OneElementWithoutABound) {
  EXPECT_THAT(passes(lines("{atol: 'np.where(np.arange(100) == 41, 100, 1e-6)'}")),
              testing::ElementsAre("one_wrong ~"));
}

TEST_F(NearlyRightTest, AReferenceThatRaisesWithoutAnElementSaysNothing) {
  Lines strict = lines("{rtol: 0.011}");
  strict.reference = "3 * x if x[-1] > 0 else 1 // 0";
  EXPECT_THAT(passes(strict), testing::Not(testing::Contains(testing::HasSubstr("dropped"))));
}

TEST_F(TrivialTest, ChecksAreAskedAboutTheAnswersToo) {
  const auto by = [&](const std::string& check,
                      const std::string& out = "{out: n, dtype: float32}") {
    return passes({.out = out, .reference = "", .more = "check: " + check + "\n"});
  };
  EXPECT_THAT(by("{sorted: z}"), ElementsAre("zeros", "nan"));
  EXPECT_THAT(by("{within: z, low: 1, high: 1}"), ElementsAre("ones"));
  EXPECT_THAT(by("{permutation: z, of: x}"), ElementsAre("copy x"));
  EXPECT_THAT(by("[{sorted: z}, {permutation: z, of: x}]"), IsEmpty());
  EXPECT_EQ(trials_, 1U);
  EXPECT_THAT(by("{permutation: z, of: z}", "{inout: rng.random(n), dtype: float32}"),
              ElementsAre("unwritten"));
  EXPECT_THAT(by("{moments: z, mean: 0, variance: 1}"), ElementsAre("copy x"));
  EXPECT_THAT(by("{moments: z, mean: 9}"), IsEmpty());
}

TEST_F(TrivialTest, AReferenceCountsBeforeChecks) {
  EXPECT_THAT(passes({.more = "check: {within: z, low: -100}\n"}), IsEmpty());
}

TEST_F(TrivialTest, WhatPassesTheChecksIsAFindingAtTheCheck) {
  EXPECT_THAT(
      findings(
          {.axes = "n: [5, 6]", .reference = "", .more = "check: {within: z, low: 0, high: 0}\n"}),
      ElementsAre("n=5 zeros", "n=6 zeros"));
  const Error problem = trivial_problems(*suite_, found_.findings()).at(0);
  EXPECT_EQ(problem.message(), "`z` would pass if the kernel wrote zeros, in 2 cases: s.n=5 s.n=6");
  EXPECT_EQ(problem.where().line, 9);
  EXPECT_THAT(problem.hint(), testing::HasSubstr("add a check that refuses it"));
  EXPECT_THAT(findings({.reference = "",
                        .more = "check: {sorted: z}\nlint: {allow: [zeros, nan], reason: r}\n"}),
              IsEmpty());
}

}  // namespace
}  // namespace warpmark
