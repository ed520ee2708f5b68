// Verdicts on what a launch left behind, from made-up reports, results and counts.
#include "runtime/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Position kExpect{"suites/s.yaml", 9, 3};

PlannedCase planned_case() {
  PlannedCase planned;
  planned.positions.set("", {"suites/s.yaml", 1, 1});
  planned.positions.set("/expect", kExpect);
  return planned;
}

PlannedCase expecting_fault(const std::string& kind, const std::string& argument = "") {
  PlannedCase planned = planned_case();
  planned.plan.fault = Fault{kind, argument};
  return planned;
}

PlannedCase expecting_report(const std::string& kind, const std::string& argument = "") {
  PlannedCase planned = planned_case();
  planned.plan.report = Reports{{kind}, argument};
  return planned;
}

ordered_json report(const std::string& kind, const std::string& argument = "",
                    const std::string& severity = "") {
  ordered_json json = {{"kind", kind}, {"message", kind + " of a test " + argument}};
  if (!argument.empty()) json["argument"] = argument;
  if (!severity.empty()) json["severity"] = severity;
  return json;
}

// A launch that the device ended.
protocol::Failure ended(int result, std::vector<ordered_json> reports = {}) {
  protocol::Failure failure;
  failure.code = ExitCode::verdict;
  failure.message = "the driver's words";
  failure.hint = "a hint";
  failure.result = result;
  failure.sticky = true;
  failure.launched = true;
  failure.reports = std::move(reports);
  return failure;
}

Outcome judged(const PlannedCase& planned, const protocol::Failure& failure) {
  Outcome outcome;
  judge_fault(planned, failure, outcome);
  return outcome;
}

TEST(JudgeFault, AnExpectedFaultIsMetByItAlone) {
  const PlannedCase any = expecting_fault("illegal_address");
  const PlannedCase at = expecting_fault("illegal_address", "dest");
  const int code = CUDA_ERROR_ILLEGAL_ADDRESS;
  const ordered_json at_dest = report("illegal_address", "dest");
  const ordered_json at_a = report("illegal_address", "a");
  const ordered_json other = report("misaligned_address", "dest");
  const auto passes = [&](const PlannedCase& planned, std::vector<ordered_json> reports) {
    const Outcome outcome = judged(planned, ended(code, reports));
    EXPECT_EQ(outcome.findings, reports);
    if (outcome.verdict == Verdict::passed) return true;
    EXPECT_EQ(outcome.failure, FailureKind::no_fault);
    EXPECT_EQ(outcome.where, kExpect);
    return false;
  };
  EXPECT_TRUE(passes(any, {at_dest}));
  EXPECT_TRUE(passes(any, {at_dest, at_a})) << "of that kind both are";
  EXPECT_TRUE(passes(at, {at_dest}));
  EXPECT_FALSE(passes(at, {at_a}));
  EXPECT_FALSE(passes(at, {at_a, at_dest})) << "another came before it";
  EXPECT_FALSE(passes(at, {at_dest, at_a})) << "another came behind it";
  EXPECT_FALSE(passes(any, {other, at_dest}));
  EXPECT_FALSE(passes(any, {at_dest, report("race", "dest", "error")}));
  EXPECT_TRUE(passes(any, {report("race", "", "warning"), at_dest, report("x", "", "warning")}));
  EXPECT_FALSE(passes(any, {report("illegal_address", "dest", "warning")}));
}

TEST(JudgeFault, ReportsWhichFaultCameToo) {
  const Outcome outcome =
      judged(expecting_fault("illegal_address", "dest"),
             ended(CUDA_ERROR_ILLEGAL_ADDRESS, {report("illegal_address", "dest"), report("trap"),
                                                ordered_json{{"kind", "assert"}, {"message", 7}}}));
  EXPECT_EQ(outcome.reason,
            "expected the fault illegal_address at `dest` only, and there is another");
  EXPECT_THAT(outcome.message, HasSubstr("and there is another\ntrap of a test \nassert"));
  EXPECT_THAT(outcome.message, Not(HasSubstr("illegal_address of a test")));
  const Outcome missing = judged(expecting_fault("illegal_address"),
                                 ended(CUDA_ERROR_ASSERT, {report("trap"), report("limit")}));
  EXPECT_THAT(missing.message, HasSubstr("expected the fault illegal_address, and another happened"
                                         "\ntrap of a test \nlimit of a test "));
}

TEST(JudgeFault, WarningsBesideAnExpectedFaultAreNotices) {
  const Outcome outcome =
      judged(expecting_fault("trap"),
             ended(CUDA_ERROR_LAUNCH_FAILED, {report("trap"), report("race", "", "warning")}));
  EXPECT_EQ(outcome.verdict, Verdict::passed);
  EXPECT_THAT(outcome.notices, ElementsAre("race of a test "));
}

TEST(JudgeFault, WhereThreadsWaitedBelongsToALimitOnly) {
  const std::vector<ordered_json> reports = {report("limit"), report("waiting"), report("waiting")};
  EXPECT_EQ(judged(expecting_fault("limit"), ended(CUDA_ERROR_LAUNCH_TIMEOUT, reports)).verdict,
            Verdict::passed);
  EXPECT_EQ(judged(expecting_fault("barrier"),
                   ended(CUDA_ERROR_LAUNCH_TIMEOUT, {report("barrier"), report("waiting")}))
                .failure,
            FailureKind::no_fault);
  EXPECT_EQ(judged(expecting_fault("limit"), ended(CUDA_ERROR_LAUNCH_TIMEOUT, {report("waiting")}))
                .failure,
            FailureKind::no_fault);
}

TEST(JudgeFault, WithoutReportsTheDriversResultDecides) {
  const std::pair<int, std::string> kinds[] = {
      {CUDA_ERROR_ILLEGAL_ADDRESS, "illegal_address"},
      {CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned_address"},
      {CUDA_ERROR_LAUNCH_TIMEOUT, "limit"},
      {CUDA_ERROR_ASSERT, "assert"},
      {CUDA_ERROR_INVALID_PC, "invalid_pc"},
      {CUDA_ERROR_LAUNCH_FAILED, "trap"}};
  for (const auto& [result, kind] : kinds) {
    for (const auto& [other, wanted] : kinds) {
      const Outcome outcome = judged(expecting_fault(wanted), ended(result));
      EXPECT_EQ(outcome.verdict, kind == wanted ? Verdict::passed : Verdict::failed)
          << kind << " for " << wanted;
    }
    // At which array it was such a device does not say, and another one may have been meant.
    const Outcome at = judged(expecting_fault(kind, "dest"), ended(result));
    EXPECT_EQ(at.verdict, Verdict::skipped);
    EXPECT_THAT(at.reason, HasSubstr("does not report at which array"));
  }
  EXPECT_EQ(judged(expecting_fault("trap", "dest"), ended(CUDA_ERROR_ASSERT)).failure,
            FailureKind::no_fault);
  EXPECT_EQ(judged(expecting_fault("trap"), ended(CUDA_ERROR_OUT_OF_MEMORY)).failure,
            FailureKind::no_fault);
}

TEST(JudgeFault, AFaultOfNoLaunchMeetsNothing) {
  protocol::Failure before = ended(CUDA_ERROR_ILLEGAL_ADDRESS);
  before.launched = false;
  EXPECT_EQ(judged(expecting_fault("illegal_address"), before).failure, FailureKind::no_fault);
  before.reports = {report("illegal_address")};
  const Outcome outcome = judged(expecting_fault("illegal_address"), before);
  EXPECT_EQ(outcome.failure, FailureKind::no_fault);
  EXPECT_THAT(outcome.message, HasSubstr("there is another\nthe driver's words"));
}

TEST(JudgeFault, WhatNobodyExpectsIsTheKernelsOrTheDrivers) {
  const PlannedCase planned = planned_case();
  const auto kind = [&](int result, bool launched, bool sticky) {
    protocol::Failure failure = ended(result);
    failure.launched = launched;
    failure.sticky = sticky;
    const Outcome outcome = judged(planned, failure);
    EXPECT_EQ(outcome.verdict, Verdict::failed);
    EXPECT_THAT(outcome.message, HasSubstr("the driver's words"));
    EXPECT_THAT(outcome.message, HasSubstr("hint: a hint"));
    return outcome.failure;
  };
  EXPECT_EQ(kind(CUDA_ERROR_ILLEGAL_ADDRESS, true, true), FailureKind::fault);
  EXPECT_EQ(kind(CUDA_ERROR_ILLEGAL_ADDRESS, false, true), FailureKind::driver)
      << "no kernel had run";
  EXPECT_EQ(kind(CUDA_ERROR_OUT_OF_MEMORY, true, false), FailureKind::driver);
  EXPECT_EQ(kind(0, true, true), FailureKind::driver) << "no call of the driver failed";
  EXPECT_EQ(kind(0, false, false), FailureKind::driver);
  EXPECT_EQ(kind(CUDA_ERROR_LAUNCH_TIMEOUT, true, false), FailureKind::limit);
  EXPECT_EQ(kind(CUDA_ERROR_LAUNCH_TIMEOUT, false, true), FailureKind::driver);
}

TEST(JudgeFault, HintsAtTheBytesOfDynamicSharedMemory) {
  const auto message = [&](const std::string& what, const std::string& hint = "") {
    protocol::Failure failure = ended(CUDA_ERROR_ILLEGAL_ADDRESS);
    failure.message = what;
    failure.hint = hint;
    return judged(planned_case(), failure).message;
  };
  const std::string both = "a write to shared memory of the block, which has 0 bytes";
  EXPECT_THAT(message(both), HasSubstr("`launch.shared`"));
  EXPECT_THAT(message(both, "another"), HasSubstr("hint: another"));
  EXPECT_THAT(message("a write to shared memory"), Not(HasSubstr("launch.shared")));
  EXPECT_THAT(message("a write to x, which has 0 bytes"), Not(HasSubstr("launch.shared")));
  EXPECT_THAT(message("a write to x"), Not(HasSubstr("launch.shared")));
}

TEST(JudgeFault, ReportsSayMoreThanTheDriver) {
  const Outcome outcome =
      judged(planned_case(),
             ended(CUDA_ERROR_ILLEGAL_ADDRESS,
                   {report("illegal_address", "a"), ordered_json{{"kind", "x"}}, report("trap")}));
  EXPECT_THAT(outcome.message, HasSubstr("illegal_address of a test a\ntrap of a test "));
  EXPECT_THAT(outcome.message, Not(HasSubstr("driver's words")));
}

// The line that is to blame, from reports with whatever in them.
TEST(JudgeFault, NamesTheLineOfTheFirstReportThatHasOne) {
  const TemporaryFolder folder{"warpmark-judge"};
  PlannedCase planned;
  planned.positions.set("", {(folder.path() / "s.yaml").string(), 1, 1});
  write_file_atomically(folder.path() / "k.cu", "");
  write_file_atomically(folder.path() / "l.cu", "");
  const auto where = [&](std::vector<ordered_json> reports) {
    return judged(planned, ended(CUDA_ERROR_ILLEGAL_ADDRESS, std::move(reports))).where;
  };
  const auto in_folder = [&](const std::string& name, int line) {
    return Position{(folder.path() / name).string(), line, 0};
  };
  const ordered_json own = {{"file", "k.cu"}, {"line", 3U}};
  EXPECT_EQ(where({own}), in_folder("k.cu", 3));
  EXPECT_EQ(where({{{"file", ""}, {"line", 2U}}, own}), in_folder("k.cu", 3));
  EXPECT_FALSE(where({}).known());
  for (const ordered_json& lacks :
       {ordered_json(7), ordered_json::object(), ordered_json{{"file", "k.cu"}},
        ordered_json{{"file", "k.cu"}, {"line", -3}}, ordered_json{{"file", "k.cu"}, {"line", "3"}},
        ordered_json{{"file", 3}, {"line", 3U}}, ordered_json{{"line", 3U}}}) {
    if (lacks.is_object()) {
      EXPECT_EQ(where({lacks, own}), in_folder("k.cu", 3)) << lacks;
    }
    ordered_json called = {{"file", "/x.h"}, {"line", 1U}};
    called["inlined_at"] = {lacks, {{"file", "l.cu"}, {"line", 8U}}, own};
    EXPECT_EQ(where({called}), in_folder("l.cu", 8)) << lacks;
  }
  ordered_json called = {{"file", "x.h"}, {"line", 1U}};
  EXPECT_EQ(where({called}), in_folder("x.h", 1)) << "nobody of the suite called it";
  called["inlined_at"] = 7;
  EXPECT_EQ(where({called}), in_folder("x.h", 1));
  called["inlined_at"] = {{{"file", "/y.h"}, {"line", 2U}}, own};
  EXPECT_EQ(where({called}), in_folder("k.cu", 3));
  ordered_json from_own = own;
  from_own["inlined_at"] = {{{"file", "l.cu"}, {"line", 8U}}};
  EXPECT_EQ(where({from_own}), in_folder("k.cu", 3)) << "it is the suite's own already";
  protocol::Failure failure = ended(CUDA_ERROR_ILLEGAL_ADDRESS, {own});
  failure.where = {"given", 4, 5};
  EXPECT_EQ(judged(planned, failure).where, failure.where);
  // A stranger's text stands for a file: no other name is looked for.
  Unit unit;
  unit.file = "hidden.cu";
  planned.plan.units.push_back(unit);
  unit.file = "handed.cu";
  unit.source = "text";
  planned.plan.units.push_back(unit);
  called["inlined_at"] = {own, {{"file", "handed.cu"}, {"line", 5U}}};
  EXPECT_EQ(where({called}), in_folder("handed.cu", 5));
  EXPECT_EQ(where({{{"file", "handed.cu"}, {"line", 6U}}}), in_folder("handed.cu", 6));
}

TEST(JudgeSilence, IsAnExpectedLimitAndNoOther) {
  const auto end = [](const PlannedCase& planned, FailureKind kind) {
    Outcome outcome;
    fail(outcome, kind, verdict_error("no answer", {"f", 1, 1}));
    judge_silence(planned, outcome);
    if (outcome.verdict == Verdict::passed) {
      EXPECT_EQ(outcome.failure, FailureKind::none);
      EXPECT_EQ(outcome.reason + outcome.message, "");
      EXPECT_FALSE(outcome.where.known() || outcome.error);
    }
    return outcome.verdict == Verdict::passed;
  };
  EXPECT_TRUE(end(expecting_fault("limit"), FailureKind::limit));
  EXPECT_FALSE(end(expecting_fault("limit"), FailureKind::crash));
  EXPECT_FALSE(end(expecting_fault("limit", "a"), FailureKind::limit));
  EXPECT_FALSE(end(expecting_fault("trap"), FailureKind::limit));
  EXPECT_FALSE(end(planned_case(), FailureKind::limit));
  Outcome interrupted;
  interrupted.verdict = Verdict::interrupted;
  interrupted.failure = FailureKind::limit;
  judge_silence(expecting_fault("limit"), interrupted);
  EXPECT_EQ(interrupted.verdict, Verdict::interrupted);
}

Outcome found(const PlannedCase& planned, std::vector<ordered_json> findings) {
  Outcome outcome;
  outcome.findings = std::move(findings);
  const bool good =
      planned.plan.report ? judge_findings(planned, outcome) : judge_clean(planned, outcome);
  EXPECT_EQ(good, outcome.verdict == Verdict::passed);
  return outcome;
}

TEST(JudgeFindings, AnExpectedReportIsMetByErrorsOfItsKindAlone) {
  const PlannedCase race = expecting_report("race");
  const ordered_json error = report("race", "a", "error"), warning = report("race", "b", "warning");
  EXPECT_EQ(found(race, {error}).verdict, Verdict::passed);
  EXPECT_EQ(found(race, {error, error}).verdict, Verdict::passed);
  const Outcome both = found(race, {warning, error});
  EXPECT_EQ(both.verdict, Verdict::passed);
  EXPECT_THAT(both.notices, ElementsAre("race of a test b"));
  const Outcome harmless = found(race, {warning});
  EXPECT_EQ(harmless.failure, FailureKind::no_fault);
  EXPECT_EQ(harmless.reason, "expected the report race, and the device gave none");
  EXPECT_THAT(harmless.notices, ElementsAre("race of a test b"));
  EXPECT_EQ(found(race, {}).failure, FailureKind::no_fault);
  const Outcome other = found(race, {error, report("sync", "", "error")});
  EXPECT_EQ(other.reason, "expected the report race only, and there is another");
  EXPECT_EQ(other.where, kExpect);
  EXPECT_THAT(other.message, Not(HasSubstr("race of a test")));
  EXPECT_EQ(found(race, {report("sync", "", "error")}).reason,
            "expected the report race, and there is another");
  EXPECT_EQ(found(expecting_report("race", "b"), {error}).failure, FailureKind::no_fault);
  EXPECT_EQ(found(expecting_report("race", "a"), {error}).verdict, Verdict::passed);
}

TEST(JudgeFindings, SeveralExpectedReportsAreMetByOneOfEachKind) {
  PlannedCase planned = expecting_report("race");
  planned.plan.report->kinds.emplace_back("sync");
  const ordered_json race = report("race", "a", "error"), sync = report("sync", "", "error");
  EXPECT_EQ(found(planned, {race, sync}).verdict, Verdict::passed);
  EXPECT_EQ(found(planned, {sync, race, sync}).verdict, Verdict::passed);
  EXPECT_EQ(found(planned, {}).reason,
            "expected the reports race and sync, and the device gave none");
  const Outcome one = found(planned, {race});
  EXPECT_EQ(one.failure, FailureKind::no_fault);
  EXPECT_EQ(one.reason, "expected the reports race and sync, and the device gave no sync");
  EXPECT_EQ(found(planned, {race, report("sync", "", "warning")}).reason, one.reason);
  const ordered_json other = report("uninitialised", "a", "error");
  EXPECT_EQ(found(planned, {race, sync, other}).reason,
            "expected the reports race and sync only, and there is another");
  EXPECT_EQ(found(planned, {race, other}).reason,
            "expected the reports race and sync, and there is another");
  planned.plan.report->argument = "a";
  EXPECT_EQ(found(planned, {race, sync}).failure, FailureKind::no_fault);
  EXPECT_EQ(found(planned, {race, report("sync", "a", "error")}).verdict, Verdict::passed);
}

TEST(JudgeFindings, AValueThatWasNeverWrittenIsOfTheArrayThatLacksIt) {
  const auto finding = [](const char* origin, const char* source, const char* hazard) {
    ordered_json json = report("uninitialised", "out", "error");
    if (*origin != 0) json["origin"] = origin;
    if (*source != 0) json["source"] = source;
    if (*hazard != 0) json["hazard"] = hazard;
    return json;
  };
  const auto is_about = [](const ordered_json& json, const char* argument) {
    return found(expecting_report("uninitialised", argument), {json}).verdict == Verdict::passed;
  };
  const ordered_json stored = finding("global", "c", "stored");
  EXPECT_TRUE(is_about(stored, "c"));
  EXPECT_FALSE(is_about(stored, "out")) << "it is only what took the value";
  EXPECT_TRUE(is_about(finding("", "c", "stored"), "c"));
  EXPECT_FALSE(is_about(finding("global", "", "stored"), "out")) << "read who knows where";
  EXPECT_FALSE(is_about(finding("shared", "c", "stored"), "c")) << "a variable of that name";
  EXPECT_FALSE(is_about(finding("shared", "", "read"), "out"));
  EXPECT_FALSE(is_about(finding("register", "", "stored"), "out"));
  const ordered_json changed = finding("global", "", "changed by an atomic operation");
  EXPECT_TRUE(is_about(changed, "out"));
  EXPECT_FALSE(is_about(changed, "c"));
  EXPECT_TRUE(is_about(finding("global", "", ""), "out")) << "as compute-sanitizer's are";
}

TEST(JudgeFindings, OfAnEndedLaunch) {
  const int code = CUDA_ERROR_ILLEGAL_ADDRESS;
  PlannedCase planned = expecting_report("illegal_address");
  const ordered_json fits = report("illegal_address");
  EXPECT_EQ(judged(planned, ended(code, {fits})).verdict, Verdict::passed);
  EXPECT_EQ(judged(planned, ended(code, {fits, report("trap")})).failure, FailureKind::no_fault);
  EXPECT_EQ(judged(planned, ended(code)).failure, FailureKind::driver);
  protocol::Failure before = ended(code, {fits});
  before.launched = false;
  EXPECT_EQ(judged(planned, before).failure, FailureKind::no_fault);
  planned.plan.expected.push_back({});
  const Outcome nothing = judged(planned, ended(code, {fits}));
  EXPECT_EQ(nothing.failure, FailureKind::fault);
  EXPECT_THAT(nothing.message, HasSubstr("no output to compare\nillegal_address of a test"));
  // A race ends no launch, so that something else did.
  const Outcome race = judged(expecting_report("race"), ended(code, {report("race", "", "error")}));
  EXPECT_EQ(race.failure, FailureKind::no_fault);
  EXPECT_THAT(race.message, HasSubstr("and the launch failed\nthe driver's words"));
}

TEST(JudgeClean, ErrorsFailAndWarningsAreReported) {
  const PlannedCase planned = planned_case();
  EXPECT_EQ(found(planned, {}).verdict, Verdict::passed);
  const Outcome warned = found(planned, {report("race", "a", "warning")});
  EXPECT_EQ(warned.verdict, Verdict::passed);
  EXPECT_THAT(warned.notices, ElementsAre("race of a test a"));
  const Outcome failed = found(planned, {report("race", "a", "warning"), report("x", "b", "error"),
                                         report("y", "c", "error")});
  EXPECT_EQ(failed.failure, FailureKind::finding);
  EXPECT_EQ(failed.reason, "x of a test b");
  EXPECT_THAT(failed.message, HasSubstr("x of a test b\ny of a test c"));
  EXPECT_EQ(found(planned, {report("x")}).failure, FailureKind::finding) << "no severity is one";
}

TEST(JudgeRefusal, TheTextMustBeTheCompilers) {
  PlannedCase planned = planned_case();
  const Error refusal = verdict_error(
      "k.cu does not compile\n"
      "k.cu(3): error: identifier \"oops\" is undefined\n"
      "    oops + wurst;\n"
      "    ^\n\n"
      "1 error detected in the compilation of \"k.cu\".");
  const auto passes = [&](const std::string& text) {
    planned.plan.compile_error = CompileError{text};
    Outcome outcome;
    judge_refusal(planned, refusal, outcome);
    if (outcome.verdict == Verdict::passed) return true;
    EXPECT_EQ(outcome.failure, FailureKind::no_fault);
    EXPECT_EQ(outcome.where, kExpect);
    EXPECT_THAT(outcome.message, HasSubstr("\"oops\" is undefined"));
    return false;
  };
  EXPECT_TRUE(passes(""));
  EXPECT_TRUE(passes("\"oops\" is undefined"));
  for (const char* text : {"wurst", "does not compile", "k.cu", "detected in", "no such"}) {
    EXPECT_FALSE(passes(text)) << text;
  }
  planned.plan.compile_error = CompileError{"x"};
  Outcome outcome;
  judge_refusal(planned, verdict_error("x"), outcome);
  EXPECT_EQ(outcome.failure, FailureKind::no_fault) << "there is no log";
  Outcome compiles;
  judge_missing_refusal(planned, compiles);
  EXPECT_EQ(compiles.failure, FailureKind::no_fault);
  EXPECT_EQ(compiles.where, kExpect);
  Outcome missing;
  judge_missing_fault(expecting_fault("trap"), missing);
  EXPECT_EQ(missing.reason, "expected the fault trap, and the kernel ran without one");
  EXPECT_EQ(missing.failure, FailureKind::no_fault);
}

Outcome counted(const std::vector<CounterBound>& bounds,
                const std::vector<ordered_json>& launches) {
  PlannedCase planned = planned_case();
  planned.plan.counters = bounds;
  planned.positions.set("/expect/counters/global_load_sectors", {"s", 11, 1});
  planned.positions.set("/expect/counters/global_load_sectors/1", {"s", 12, 1});
  Outcome outcome;
  judge_counters(planned, launches, outcome);
  return outcome;
}

TEST(JudgeCounters, BoundsHoldAsTheyAreWritten) {
  const std::vector<ordered_json> launches = {{{"global_load_sectors", 4}},
                                              {{"global_load_sectors", 6}}};
  const auto holds = [&](const char* comparison, const Amount& bound) {
    return counted({{"global_load_sectors", comparison, bound}}, launches).verdict ==
           Verdict::passed;
  };
  const struct {
    const char* comparison;
    bool at_9, at_10, at_11;
  } all[] = {{"<", false, false, true}, {"<=", false, true, true},  {">", true, false, false},
             {">=", true, true, false}, {"==", false, true, false}, {"!=", true, false, true}};
  for (const auto& [comparison, at_9, at_10, at_11] : all) {
    SCOPED_TRACE(comparison);
    EXPECT_EQ(holds(comparison, int64_t{9}), at_9);
    EXPECT_EQ(holds(comparison, int64_t{10}), at_10);
    EXPECT_EQ(holds(comparison, int64_t{11}), at_11);
    EXPECT_EQ(holds(comparison, 9.5), at_9);
    EXPECT_EQ(holds(comparison, 10.0), at_10);
    EXPECT_EQ(holds(comparison, 10.5), at_11);
  }
}

// Whole numbers are compared as such: as doubles these two are one.
TEST(JudgeCounters, WholeNumbersStayWhole) {
  constexpr int64_t kPast = (int64_t{1} << 53) + 1;
  const std::vector<ordered_json> launches = {{{"global_load_sectors", kPast}}};
  EXPECT_EQ(counted({{"global_load_sectors", "==", kPast - 1}}, launches).failure,
            FailureKind::counter);
  EXPECT_EQ(counted({{"global_load_sectors", "==", kPast}}, launches).verdict, Verdict::passed);
}

TEST(JudgeCounters, ConflictsAreWavefrontsBeyondTheIdeal) {
  const std::vector<ordered_json> launches = {
      {{"shared_load_wavefronts", 9}, {"shared_load_ideal_wavefronts", 5}}};
  EXPECT_EQ(counted({{"shared_load_conflicts", "==", int64_t{4}}}, launches).verdict,
            Verdict::passed);
  EXPECT_EQ(counted({{"shared_load_conflicts", "<", int64_t{4}}}, launches).reason,
            "the counter shared_load_conflicts is 4, and must be < 4");
}

TEST(JudgeCounters, EachBrokenBoundIsReported) {
  const std::vector<ordered_json> launches = {{{"global_load_sectors", 10}}};
  const Outcome outcome = counted({{"global_load_sectors", ">=", int64_t{10}},
                                   {"global_load_sectors", "<", 9.5},
                                   {"global_store_sectors", "==", int64_t{1}}},
                                  launches);
  EXPECT_EQ(outcome.failure, FailureKind::counter);
  EXPECT_THAT(outcome.message,
              HasSubstr("the counter global_load_sectors is 10, and must be < 9.5\n"
                        "the counter global_store_sectors is 0, and must be == 1"));
  EXPECT_EQ(outcome.where.line, 12) << "the second bound of that counter";
  EXPECT_EQ(counted({{"global_load_sectors", "<", int64_t{10}}}, launches).where.line, 11);
}

TEST(JudgeCounters, AllBrokenBoundsAreReported) {
  const Outcome outcome = counted({{"global_load_sectors", "==", int64_t{1}},
                                   {"global_store_sectors", "==", int64_t{2}},
                                   {"shared_load_wavefronts", "==", int64_t{3}}},
                                  {});
  EXPECT_THAT(outcome.message,
              HasSubstr("the counter global_load_sectors is 0, and must be == 1\n"
                        "the counter global_store_sectors is 0, and must be == 2\n"
                        "the counter shared_load_wavefronts is 0, and must be == 3"));
}

TEST(JudgeCounters, OccupancyIsAShare) {
  const std::vector<ordered_json> launches = {{{"occupancy", {{"warps", 24}, {"most_warps", 64}}}},
                                              {{"occupancy", {{"warps", 48}, {"most_warps", 64}}}}};
  EXPECT_EQ(counted({{"occupancy", ">=", 0.375}}, launches).verdict, Verdict::passed);
  EXPECT_EQ(counted({{"occupancy", ">", int64_t{0}}}, launches).verdict, Verdict::passed);
  EXPECT_EQ(counted({{"occupancy", ">=", 0.5}}, launches).reason,
            "the counter occupancy is 0.375, and must be >= 0.5");
  EXPECT_EQ(counted({{"occupancy", ">=", int64_t{1}}}, launches).reason,
            "the counter occupancy is 0.375, and must be >= 1");
}

}  // namespace
}  // namespace warpmark
