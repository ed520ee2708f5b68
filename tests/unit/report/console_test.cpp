#include "report/run/console.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <sstream>

#include "report/run/case_text.hpp"
#include "unit/results/example_outcome.hpp"

namespace warpmark {
namespace {

using testing_results::outcome;

/// A run of three suites, the last interrupted.
std::string check_text(const ConsoleStyle& style,
                       const RunContext& context = testing_results::context(),
                       Verdict last = Verdict::interrupted) {
  std::ostringstream out;
  ConsoleReport report(out, style, {{"doublify", 2}, {"reductions/dot", 3}, {"scan", 2}}, context);
  const auto add = [&](const Outcome& each) {
    report.start_case(each.case_id);
    report.end_case({each, "warpmark check suites/" + each.suite + ".yaml --case " + each.case_id});
  };
  add(testing_results::wrong_outcome());
  add(outcome("doublify", "n=400", Verdict::passed));
  Outcome noticed = outcome("reductions/dot", "n=1", Verdict::passed);
  noticed.notices = {"dot.cu(3): warning: `x` is never used"};
  add(noticed);
  noticed.case_id = "reductions/dot.n=2";
  add(noticed);
  Outcome skipped = outcome("reductions/dot", "n=3", Verdict::skipped);
  skipped.reason = "needs 80 GiB, the device has 4 GiB";
  add(skipped);
  add(outcome("scan", "n=1", last));
  RunEnd end;
  end.seconds = 61;
  end.notes = {"kept the files of 1 case in kept"};
  report.finish(end);
  return out.str();
}

TEST(Console, Golden) {
  EXPECT_EQ(check_text({}),
            "warpmark check: 3 suites, 7 cases on NVIDIA H200 (sm_90, driver 13.0, NVRTC 13.0), "
            "seed 0\n"
            "device: using NVIDIA H200 (sm_90)\n"
            "\n"
            "suite            cases  passed  failed  skipped         time\n"
            "doublify             2       1       1        -       0.25 s\n"
            "reductions/dot       3       2       -        1       0.38 s\n"
            "scan                 2       -       -        -       0.12 s  (2 interrupted)\n"
            "\n"
            "FAILED doublify.n=16\n"
            "  suites/doublify.yaml:14:3: 2 of 16 elements of `z` are wrong\n"
            "  first: z[1, 2] = 0.5, expected 1, error 0.5, bound 0\n"
            "  reproduce: warpmark check suites/doublify.yaml --case doublify.n=16\n"
            "\n"
            "NOTICE reductions/dot.n=1 and 1 more case\n"
            "  dot.cu(3): warning: `x` is never used\n"
            "\n"
            "SKIPPED reductions/dot.n=3: needs 80 GiB, the device has 4 GiB\n"
            "\n"
            "kept the files of 1 case in kept\n"
            "\n"
            "3 passed, 1 failed, 1 skipped, 1 interrupted in 1 min 01 s\n");
}

TEST(Console, VerboseGolden) {
  ConsoleStyle style;
  style.verbosity = Verbosity::verbose;
  style.durations = 2;
  RunContext context = testing_results::context();
  context.deselected = 1200;
  context.trials = 3;
  context.notes = {"last failed: running 7 cases"};
  const std::string text = check_text(style, context, Verdict::not_run);
  EXPECT_TRUE(text.starts_with(
      "warpmark check: 3 suites, 7 cases (1,200 deselected) on NVIDIA H200 (sm_90, driver 13.0, "
      "NVRTC 13.0), seed 0, 3 trials of each case\n"
      "device: using NVIDIA H200 (sm_90)\n"
      "last failed: running 7 cases\n"
      "\n"
      "failed      doublify.n=16  0.12 s\n"
      "passed      doublify.n=400  0.12 s\n"
      "passed      reductions/dot.n=1  0.12 s\n"
      "passed      reductions/dot.n=2  0.12 s\n"
      "skipped     reductions/dot.n=3  0.12 s\n"
      "not run     scan.n=1  0.12 s\n"
      "\nFAILED doublify.n=16\n"))
      << text;
  EXPECT_NE(text.find("\n\nslowest 2 cases\n     0.12 s  "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(
      "\n\n3 passed, 1 failed, 1 skipped, 1 not run, 1,200 deselected in 1 min 01 s\n"))
      << text;
}

TEST(Console, QuietGolden) {
  ConsoleStyle style;
  style.verbosity = Verbosity::quiet;
  style.durations = 2;
  EXPECT_EQ(check_text(style),
            "\nFAILED doublify.n=16\n"
            "  suites/doublify.yaml:14:3: 2 of 16 elements of `z` are wrong\n"
            "  first: z[1, 2] = 0.5, expected 1, error 0.5, bound 0\n"
            "  reproduce: warpmark check suites/doublify.yaml --case doublify.n=16\n"
            "\nNOTICE reductions/dot.n=1 and 1 more case\n"
            "  dot.cu(3): warning: `x` is never used\n"
            "\n3 passed, 1 failed, 1 skipped, 1 interrupted in 1 min 01 s\n");
}

TEST(Console, ColoursChangeNothingElse) {
  const std::string coloured = check_text({true, false, 80});
  std::string plain;
  for (size_t at = 0; at < coloured.size(); ++at) {
    if (coloured[at] == '\033') {
      at = coloured.find('m', at);
    } else {
      plain += coloured[at];
    }
  }
  EXPECT_NE(coloured, plain);
  EXPECT_EQ(plain, check_text({}));
}

TEST(Console, ProgressIsErasedAndFitsTheLine) {
  const std::string text = check_text({false, true, 12});
  EXPECT_NE(text.find("[1/7] doubl\r\033[K"), std::string::npos) << text;
  EXPECT_EQ(text.find("[1/7] doubli"), std::string::npos);
  // Without what was erased, it is what a pipe gets.
  std::string kept;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string_view line = rest.substr(0, end + 1);
    const size_t erased = line.rfind("\r\033[K");
    kept += erased == std::string_view::npos ? line : line.substr(erased + 4);
    rest.remove_prefix(end + 1);
  }
  EXPECT_EQ(kept, check_text({}));
}

TEST(Console, NeitherColourNorProgressInAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const ConsoleStyle style = console_style(ends[1]);
  EXPECT_FALSE(style.colour);
  EXPECT_FALSE(style.progress);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Console, TerminalsAndNoColor) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) GTEST_SKIP() << "no pseudo-terminals here";
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(console_style(terminal).colour);
  EXPECT_TRUE(console_style(terminal).progress);
  ::setenv("NO_COLOR", "", 1);  // an empty one does not count
  EXPECT_TRUE(console_style(terminal).colour);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(console_style(terminal).colour);
  EXPECT_TRUE(console_style(terminal).progress);
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(console_style(terminal).progress);
  ::close(terminal);
}

TEST(CaseText, AFailureWithoutMessageStillSaysWhereAndWhy) {
  Outcome failed = testing_results::wrong_outcome();
  failed.message.clear();
  EXPECT_EQ(failure_text(failed, "again"),
            "suites/doublify.yaml:14:3: 2 of 16 elements of z are wrong\nreproduce: again");
  failed.reason.clear();
  failed.where = {};
  EXPECT_EQ(failure_text(failed, ""), "wrong");
}

TEST(CaseText, CannotForgeATerminal) {
  Outcome failed = testing_results::wrong_outcome();
  failed.message = "\033]0;title\007\x9b";
  EXPECT_EQ(failure_text(failed, "").find_first_of("\033\007\x9b"), std::string::npos);
}

TEST(CaseText, CountsAndTimes) {
  EXPECT_EQ(count_text(1, "case"), "1 case");
  EXPECT_EQ(count_text(0, "case"), "0 cases");
  EXPECT_EQ(count_text(1000003, "case"), "1,000,003 cases");
  EXPECT_EQ(totals_text({.passed = 12, .failed = 1, .skipped = 1}, 0.8),
            "12 passed, 1 failed, 1 skipped in 0.80 s");
  EXPECT_EQ(totals_text({}, 9.996), "0 passed in 10.0 s");
  EXPECT_EQ(duration_text(59.96), "1 min 00 s");
  EXPECT_EQ(duration_text(3725), "62 min 05 s");
  EXPECT_EQ(duration_text(-1), "?");
}

TEST(CaseText, HeaderLeavesOutWhatIsUnknown) {
  RunContext context = testing_results::context();
  context.device = {};
  context.seed = 9;
  EXPECT_EQ(run_text(1, 1, context), "1 suite, 1 case, seed 9");
}

TEST(CaseText, TheToleranceThatWouldDoIsBehindTheMessage) {
  Outcome outcome = testing_results::wrong_outcome();
  outcome.outputs[0].sufficient = "{ulp: 2}";
  EXPECT_NE(failure_text(outcome, "r")
                .find("bound 0\nit would pass with `tolerance: {ulp: 2}`\n"
                      "reproduce: r"),
            std::string::npos);
  outcome.outputs.push_back({"y", "float32", {1}, {}});
  EXPECT_NE(
      failure_text(outcome, "").find("\n`z` would pass with `tolerance: {outputs: {z: {ulp: 2}}}`"),
      std::string::npos);
  outcome.outputs[1].has_reference = false;
  EXPECT_NE(failure_text(outcome, "").find("\nit would pass"), std::string::npos);
}

TEST(CaseText, BarsOfErrors) {
  Outcome outcome = testing_results::wrong_outcome();
  EXPECT_EQ(error_bars(outcome), "");
  const double infinity = std::numeric_limits<double>::infinity();
  outcome.outputs[0].histogram = {"ulp", {{0.5, 1, 1}, {1, 2, 80}, {2, 4, 0}, {4, 8, 40}}};
  EXPECT_EQ(error_bars(outcome),
            "errors of `z`, in ulp:\n"
            "  2^-1 to 1  #                                         1\n"
            "     1 to 2  ########################################  80\n"
            "     2 to 4                                            0\n"
            "     4 to 8  ####################                      40");
  outcome.outputs[0].histogram = {"bound", {{1 << 30, infinity, 1}}};
  EXPECT_EQ(error_bars(outcome),
            "errors of `z`, in multiples of what is allowed:\n"
            "  no bound  ########################################  1");
}

TEST(Console, BarsAreForTheVerbose) {
  Outcome outcome = testing_results::wrong_outcome();
  outcome.outputs[0].histogram = {"ulp", {{1, 2, 8}}};
  for (const Verbosity verbosity : {Verbosity::quiet, Verbosity::normal, Verbosity::verbose}) {
    ConsoleStyle style;
    style.verbosity = verbosity;
    std::ostringstream out;
    ConsoleReport report(out, style, {{"doublify", 1}}, testing_results::context());
    report.end_case({outcome, "r"});
    report.finish({});
    EXPECT_EQ(out.str().find("\n  errors of `z`, in ulp:\n") != std::string::npos,
              verbosity == Verbosity::verbose);
  }
}

}  // namespace
}  // namespace warpmark
