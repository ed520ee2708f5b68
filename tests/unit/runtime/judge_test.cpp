// Verdicts on what a launch left behind, from made-up reports, results and counts.
#include "runtime/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
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
  planned.plan.report = Fault{kind, argument};
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

TEST(JudgeFault, TellsWhichFaultCameToo) {
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

TEST(JudgeFault, WithoutReportsTheDriversResultTells) {
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
    EXPECT_THAT(at.reason, HasSubstr("does not tell at which array"));
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
  const Outcome told = judged(expecting_fault("illegal_address"), before);
  EXPECT_EQ(told.failure, FailureKind::no_fault);
  EXPECT_THAT(told.message, HasSubstr("there is another\nthe driver's words"));
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
  failure.where = {"told", 4, 5};
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

TEST(JudgeClean, ErrorsFailAndWarningsAreTold) {
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

TEST(JudgeCounters, EachBrokenBoundIsTold) {
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

// What outputs hold after a launch, and what they should.
class JudgeResults : public testing::Test {
 protected:
  void SetUp() override {
    try {
      python().require_numpy();
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
    planned_ = planned_case();
  }

  void add(const std::string& name, ArgumentKind direction, std::string_view dtype,
           const std::string& reference, Tolerance tolerance = {}) {
    Buffer buffer;
    buffer.name = name;
    buffer.direction = direction;
    buffer.dtype = find_dtype(dtype);
    buffer.at = "/arguments/" + name;
    planned_.plan.buffers.push_back(buffer);
    if (direction == ArgumentKind::in) return;
    const std::string at = "/reference/" + name;
    planned_.positions.set(at, {"at " + name, 1, 1});
    planned_.plan.expected.push_back({name, {reference, at}, tolerance});
  }

  template <typename T>
  void leave(const std::string& name, const std::vector<T>& values, Shape shape = {}) {
    const DType dtype = *planned_.plan.find_buffer(name)->dtype;
    if (shape.empty()) shape = {static_cast<int64_t>(values.size())};
    Array array(dtype, shape);
    if (!values.empty()) std::memcpy(array.bytes().data(), values.data(), array.nbytes());
    results_.insert_or_assign(name, array);
  }

  bool judge(std::byte poison = kFirstPoison, const EarlierResults& earlier = {}) {
    outcome_ = {};
    return judge_results(python(), planned_, inputs_, results_, poison, earlier, outcome_);
  }

  static Tolerance close(const char* atol, const char* rtol = nullptr) {
    Tolerance tolerance;
    tolerance.kind = ToleranceKind::close;
    tolerance.atol = NumpyText{atol, "/tolerance"};
    if (rtol != nullptr) tolerance.rtol = NumpyText{rtol, "/tolerance"};
    return tolerance;
  }

  PlannedCase planned_;
  CaseInputs inputs_;
  std::map<std::string, Array> results_;
  Outcome outcome_;
};

TEST_F(JudgeResults, EachOutputHasItsBound) {
  add("y", ArgumentKind::out, "float32", "np.float32([1, 2])", close("0.5"));
  add("z", ArgumentKind::out, "float32", "np.float32([1, 2])", close("0.0625"));
  leave<float>("y", {1.25F, 2});
  leave<float>("z", {1, 2.03125F});
  EXPECT_TRUE(judge());
  EXPECT_EQ(outcome_.verdict, Verdict::passed) << outcome_.message;
  ASSERT_EQ(outcome_.outputs.size(), 2U);
  EXPECT_EQ(outcome_.outputs[1].output, "z");
  leave<float>("z", {1, 2.125F});  // within the bound of the first
  EXPECT_TRUE(judge());
  EXPECT_EQ(outcome_.failure, FailureKind::wrong);
  EXPECT_EQ(outcome_.where.file, "at z");
  EXPECT_THAT(outcome_.reason, HasSubstr("elements of `z` is wrong"));
  planned_.plan.expected[0].tolerance = close("0.0625");
  planned_.plan.expected[1].tolerance = close("0.5");
  judge();
  EXPECT_EQ(outcome_.where.file, "at y");
}

TEST_F(JudgeResults, WrongIsTheWordIfAnyElementIs) {
  add("y", ArgumentKind::out, "int32", "[1, 2]");
  add("z", ArgumentKind::out, "int32", "[1, 2]");
  const int poison = static_cast<int>(0xCBCBCBCB);
  const auto failure = [&](int y, int z) {
    leave<int>("y", {1, y});
    leave<int>("z", {1, z});
    EXPECT_TRUE(judge());
    return outcome_.failure;
  };
  EXPECT_EQ(failure(2, 2), FailureKind::none);
  EXPECT_EQ(failure(poison, 2), FailureKind::unwritten);
  EXPECT_EQ(outcome_.where.file, "at y");
  EXPECT_EQ(failure(2, poison), FailureKind::unwritten);
  EXPECT_EQ(failure(poison, poison), FailureKind::unwritten);
  EXPECT_EQ(failure(poison, 3), FailureKind::wrong);
  EXPECT_EQ(outcome_.where.file, "at y");
  EXPECT_EQ(failure(3, poison), FailureKind::wrong);
  EXPECT_THAT(outcome_.message, HasSubstr("`y` is wrong"));
  EXPECT_THAT(outcome_.message, HasSubstr("\n1 of 2 elements of `z` were never written"));
}

TEST_F(JudgeResults, OnlyAnOutIsPoisoned) {
  add("y", ArgumentKind::inout, "uint8", "np.uint8([0xCB, 1])");
  leave<uint8_t>("y", {0xCB, 1});
  EXPECT_TRUE(judge()) << "its own value, not the poison";
  leave<uint8_t>("y", {0xCB, 0xCB});
  judge();
  EXPECT_EQ(outcome_.failure, FailureKind::wrong);
}

TEST_F(JudgeResults, ADoubtInAnyOutputWantsASecondLaunch) {
  add("y", ArgumentKind::out, "uint8", "np.uint8([0xCB, 1])");
  add("z", ArgumentKind::out, "uint8", "np.uint8([2, 3])");
  leave<uint8_t>("y", {0xCB, 1});
  leave<uint8_t>("z", {2, 3});
  EXPECT_FALSE(judge());
  EXPECT_EQ(outcome_.verdict, Verdict::passed);
  EXPECT_FALSE(judge(kFirstPoison));
  // The second launch left the same, which is not its poison: it was written.
  const EarlierResults earlier{kFirstPoison, {{"y", {std::byte{0xCB}, std::byte{1}}}}};
  EXPECT_TRUE(judge(kSecondPoison, earlier));
  EXPECT_EQ(outcome_.verdict, Verdict::passed);
}

TEST_F(JudgeResults, WhatIsPoisonInBothLaunchesIsUnwrittenWhateverTheTolerance) {
  add("y", ArgumentKind::out, "float16", "np.float16([-8, 1])", close("16"));
  leave<uint16_t>("y", {0xCBCB, 0x3C00});  // −15.59 and 1
  EXPECT_FALSE(judge());
  const auto bytes = results_.at("y").bytes();
  const EarlierResults earlier{kFirstPoison, {{"y", {bytes.begin(), bytes.end()}}}};
  leave<uint16_t>("y", {0x3434, 0x3C00});  // 0.263
  EXPECT_TRUE(judge(kSecondPoison, earlier));
  EXPECT_EQ(outcome_.failure, FailureKind::unwritten);
  EXPECT_THAT(
      outcome_.reason,
      HasSubstr("1 of 2 elements of `y` were never written; the first is y[0], expected -8"));
  leave<uint16_t>("y", {0x3434, 0x3C00});
  EXPECT_TRUE(judge(kSecondPoison, {kFirstPoison, {{"y", std::vector<std::byte>(4)}}}));
  EXPECT_EQ(outcome_.verdict, Verdict::passed) << "the first launch wrote it";
}

TEST_F(JudgeResults, ForbiddenNansAreToldAsSuch) {
  Tolerance forbid;
  forbid.nan = NanPolicy::forbid;
  add("y", ArgumentKind::out, "float32", "np.float32([np.nan, 2])", forbid);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  leave<float>("y", {nan, 2});
  judge();
  EXPECT_THAT(outcome_.reason,
              HasSubstr("the first is y[0] = nan, which `nan: forbid` does not allow, though it is "
                        "what the reference has"));
  planned_.plan.expected[0].value.text = "np.float32([1, 2])";
  judge();
  EXPECT_THAT(outcome_.reason, HasSubstr("y[0] = nan, expected 1"));
}

TEST_F(JudgeResults, TellsFirstAndWorstWithTheirDistances) {
  add("y", ArgumentKind::out, "float32", "np.float32([[1, 1], [1, 1]])", close("0.5"));
  leave<float>("y", {1, 2, 5, 1}, {2, 2});
  judge();
  EXPECT_THAT(outcome_.message,
              HasSubstr("2 of 4 elements of `y` are wrong; the first is y[0, 1] = 2, expected 1 "
                        "(off by 1, allowed 0.5)\nthe worst is y[1, 0] = 5, expected 1 (off by 4, "
                        "allowed 0.5)"));
  leave<float>("y", {1, 1, 5, 1}, {2, 2});
  judge();
  EXPECT_THAT(outcome_.message, Not(HasSubstr("the worst")));
  planned_.plan.expected[0].tolerance = close("4 - 2.0**-20");
  judge();
  EXPECT_THAT(outcome_.message, HasSubstr("(off by 4, allowed 3.9999990463256836)"))
      << "four digits would show no difference";
  planned_.plan.expected[0].tolerance = {};
  judge();
  EXPECT_THAT(outcome_.message, HasSubstr("(off by 4, must be equal)"));
  leave<float>("y", {1, 1, 1.123456F, std::numeric_limits<float>::infinity()}, {2, 2});
  judge();
  EXPECT_THAT(outcome_.message, HasSubstr("(off by 0.1235, must be equal)"));
}

TEST_F(JudgeResults, AnElementThatStandsAloneHasNoIndex) {
  add("y", ArgumentKind::out, "int64", "2**40");
  leave<int64_t>("y", {(int64_t{1} << 40) + 12345678});
  results_.clear();
  Array one(*find_dtype("int64"), {});
  const int64_t value = (int64_t{1} << 40) + 12345678;
  std::memcpy(one.bytes().data(), &value, sizeof value);
  results_.insert_or_assign("y", one);
  judge();
  EXPECT_THAT(outcome_.message, HasSubstr("the first is y = 1099523973454, expected 1099511627776 "
                                          "(off by 12345678, must be equal)"));
}

TEST_F(JudgeResults, WhereNoToleranceHoldsTheMessageSaysSo) {
  Tolerance none = close("0");
  add("y", ArgumentKind::out, "int32", "[1, 2]", none);
  leave<int>("y", {1, 3});
  judge();
  EXPECT_THAT(outcome_.reason,
              HasSubstr("(off by 1, must be equal: no tolerance holds for int32)"));
  planned_.plan.expected[0].tolerance = {};
  judge();
  EXPECT_THAT(outcome_.reason, HasSubstr("(off by 1, must be equal)"));
}

TEST_F(JudgeResults, SomeWrongAndSomeNeverWritten) {
  add("y", ArgumentKind::out, "int32", "[1, 2, 3, 4]");
  const int poison = static_cast<int>(0xCBCBCBCB);
  leave<int>("y", {1, poison, 5, 4});
  judge();
  EXPECT_THAT(outcome_.message,
              HasSubstr("2 of 4 elements of `y` are wrong; the first is y[1] = never written, "
                        "expected 2"));
  EXPECT_THAT(outcome_.message, HasSubstr("\n1 was never written"));
  leave<int>("y", {1, poison, 3, poison});
  judge();
  EXPECT_THAT(outcome_.reason, HasSubstr("2 of 4 elements of `y` were never written; the first is "
                                         "y[1], expected 2"));
}

TEST_F(JudgeResults, ElementsThatWereWrittenInPart) {
  add("y", ArgumentKind::out, "float32", "np.float32([1, 1, 1])", close("0.5"));
  leave<uint32_t>("y", {0x3f80cbcb, 0x3f800000, 0x3f80cbcb});  // 1.006, but for its low half
  EXPECT_FALSE(judge());
  const auto bytes = results_.at("y").bytes();
  const EarlierResults earlier{kFirstPoison, {{"y", {bytes.begin(), bytes.end()}}}};
  leave<uint32_t>("y", {0x3f803434, 0x3f800000, 0x3f803434});
  EXPECT_TRUE(judge(kSecondPoison, earlier));
  EXPECT_EQ(outcome_.failure, FailureKind::unwritten);
  EXPECT_THAT(outcome_.message, HasSubstr("2 were never written as a whole, only in part"));
  EXPECT_THAT(outcome_.reason, HasSubstr("the first is y[0] = 1.0015"));
  leave<uint32_t>("y", {0x3f803434, 0x3f800000, 0x34343434});
  judge(kSecondPoison, earlier);
  EXPECT_THAT(outcome_.message, HasSubstr("2 were never written, 1 of them only in part"));
}

TEST_F(JudgeResults, AChangedInputIsNamedWithItsElement) {
  add("a", ArgumentKind::in, "int16", "");
  add("empty", ArgumentKind::in, "int16", "");
  add("b", ArgumentKind::inout, "int16", "[7, 7, 7, 7]");
  add("late", ArgumentKind::in, "int16", "");
  leave<int16_t>("late", {5});
  leave<int16_t>("a", {1, 2, 3, 4}, {2, 2});
  leave<int16_t>("b", {7, 7, 7, 7});
  leave<int16_t>("empty", {}, {0});
  inputs_.arrays = results_;
  EXPECT_TRUE(judge());
  EXPECT_EQ(outcome_.verdict, Verdict::passed) << outcome_.message;
  leave<int16_t>("a", {1, 2, 3, 4 + 256}, {2, 2});
  EXPECT_TRUE(judge());
  EXPECT_EQ(outcome_.failure, FailureKind::input_changed);
  EXPECT_EQ(outcome_.reason, "the kernel changed its input `a`: a[1, 1] was 4 and is 260");
  EXPECT_THAT(outcome_.outputs, IsEmpty());
  leave<int16_t>("a", {1, 2, 3, 4}, {2, 2});
  leave<int16_t>("late", {6});
  judge();
  EXPECT_EQ(outcome_.reason, "the kernel changed its input `late`: late[0] was 5 and is 6");
}

}  // namespace
}  // namespace warpmark
