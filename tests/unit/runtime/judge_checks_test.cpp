// Verdicts on outputs that checks are about, with and without references.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/file.hpp"
#include "runtime/judge.hpp"
#include "runtime/output_checks.hpp"
#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class JudgeChecks : public testing::Test {
 protected:
  void SetUp() override {
    try {
      python().require_numpy();
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
    planned_.positions.set("", {(folder_.path() / "s.yaml").string(), 1, 1});
  }

  void add(const std::string& name, ArgumentKind direction, const std::vector<float>& values) {
    Buffer buffer;
    buffer.name = name;
    buffer.direction = direction;
    buffer.dtype = find_dtype("float32");
    buffer.at = "/arguments/" + name;
    planned_.positions.set(buffer.at, {"argument " + name, 1, 1});
    planned_.plan.buffers.push_back(buffer);
    if (direction != ArgumentKind::out) inputs_.arrays.emplace(name, array(values));
    leave(name, values);
  }

  static Array array(const std::vector<float>& values) {
    Array made(*find_dtype("float32"), {static_cast<int64_t>(values.size())});
    std::memcpy(made.bytes().data(), values.data(), made.nbytes());
    return made;
  }

  void leave(const std::string& name, const std::vector<float>& values) {
    results_.insert_or_assign(name, array(values));
  }
  void leave_bytes(const std::string& name, std::byte byte) {
    std::ranges::fill(results_.at(name).bytes(), byte);
  }

  PlannedCheck& check(CheckKind kind, const std::string& subject) {
    PlannedCheck one;
    one.kind = kind;
    one.subject = subject;
    one.at = "/checks/" + std::to_string(planned_.plan.checks.size());
    planned_.positions.set(one.at, {"check " + subject, 1, 1});
    planned_.plan.checks.push_back(one);
    return planned_.plan.checks.back();
  }

  void function(const std::string& text) {
    const std::string file = "f" + std::to_string(++files_) + ".py";
    write_file_atomically(folder_.path() / file, text);
    check(CheckKind::function, file + ":f");
  }

  void expect(const std::string& output, const std::string& reference) {
    planned_.plan.expected.push_back({output, {reference, ""}, {}});
  }

  bool judge(std::byte poison = kFirstPoison, const EarlierResults& earlier = {}) {
    outcome_ = {};
    return judge_results(python(), planned_, inputs_, results_, poison, earlier, outcome_);
  }
  EarlierResults earlier() {
    EarlierResults kept{kFirstPoison, {}};
    for (const auto& [name, left] : results_) {
      kept.outputs[name] = {left.bytes().begin(), left.bytes().end()};
    }
    return kept;
  }

  const TemporaryFolder folder_{"checks"};
  int files_ = 0;
  PlannedCase planned_;
  CaseInputs inputs_;
  std::map<std::string, Array> results_;
  Outcome outcome_;
};

TEST_F(JudgeChecks, APropertyDecidesWithoutAReference) {
  add("z", ArgumentKind::out, {1, 2, 3});
  check(CheckKind::sorted, "z");
  EXPECT_TRUE(judge());
  EXPECT_EQ(outcome_.verdict, Verdict::passed) << outcome_.message;
  ASSERT_EQ(outcome_.outputs.size(), 1U);
  EXPECT_FALSE(outcome_.outputs[0].has_reference);
  EXPECT_EQ(outcome_.outputs[0].comparison.elements, 3U);
  leave("z", {1, 3, 2});
  EXPECT_TRUE(judge());
  EXPECT_EQ(outcome_.failure, FailureKind::check);
  EXPECT_EQ(outcome_.where.file, "check z");
  EXPECT_EQ(outcome_.reason, "`z` is not sorted: z[1] = 3.0 comes before z[2] = 2.0");
}

TEST_F(JudgeChecks, AllThatFailAreTold) {
  add("z", ArgumentKind::out, {1, 3, 2});
  check(CheckKind::sorted, "z");
  check(CheckKind::within, "z").values["high"] = {"3", ""};
  check(CheckKind::within, "z").values["low"] = {"2", ""};
  judge();
  EXPECT_THAT(outcome_.message, HasSubstr("z[2] = 2.0\n`z` is out of bounds: z[0] = 1.0, and must "
                                          "be at least 2"));
}

TEST_F(JudgeChecks, ValuesSeeInputsAsTheyWereBefore) {
  add("x", ArgumentKind::inout, {3, 1, 2});
  check(CheckKind::permutation, "x").values["of"] = {"x", ""};
  leave("x", {1, 2, 3});
  judge();
  EXPECT_EQ(outcome_.verdict, Verdict::passed) << outcome_.message;
  leave("x", {1, 2, 2});
  judge();
  EXPECT_THAT(outcome_.reason, HasSubstr("no permutation of `x`"));
}

TEST_F(JudgeChecks, FunctionsSeeWhatIsThereAfterTheLaunchAndBefore) {
  add("x", ArgumentKind::inout, {3, 1, 2});
  add("i", ArgumentKind::in, {7});
  add("z", ArgumentKind::out, {5});
  leave("x", {6, 2, 4});
  function(
      "def f(x, z, i, before, np):\n"
      "  assert sorted(before) == ['i', 'x']\n"
      "  return bool((x == 2 * before['x']).all() and z[0] == 5 and i[0] == 7)\n");
  judge();
  EXPECT_EQ(outcome_.verdict, Verdict::passed) << outcome_.message;
  leave("x", {6, 2, 5});
  judge();
  EXPECT_EQ(outcome_.failure, FailureKind::check);
  EXPECT_THAT(outcome_.reason, HasSubstr("returned False"));
}

TEST_F(JudgeChecks, AnExceptionIsReportedAtItsLine) {
  add("z", ArgumentKind::out, {5});
  function("def f(z):\n  assert z[0] == 4, 'no four'\n  return True\n");
  judge();
  EXPECT_EQ(outcome_.failure, FailureKind::check);
  EXPECT_EQ(outcome_.where.line, 2);
  EXPECT_THAT(outcome_.where.file, testing::EndsWith("f1.py"));
  EXPECT_THAT(outcome_.reason, HasSubstr("AssertionError: no four"));
}

TEST_F(JudgeChecks, AReferenceComesFirst) {
  add("z", ArgumentKind::out, {3, 2});
  expect("z", "[1, 2]");
  check(CheckKind::sorted, "z");
  judge();
  EXPECT_EQ(outcome_.failure, FailureKind::wrong);
  leave("z", {1, 2});
  judge();
  EXPECT_EQ(outcome_.verdict, Verdict::passed);
  EXPECT_TRUE(outcome_.outputs.at(0).has_reference);
  planned_.plan.checks[0].word = "descending";
  judge();
  EXPECT_EQ(outcome_.failure, FailureKind::check) << "a right output is checked, too";
}

TEST_F(JudgeChecks, TwoLaunchesDecideWhatWasWritten) {
  add("z", ArgumentKind::out, {0, 0});
  check(CheckKind::within, "z").values["low"] = {"-1e30", ""};
  leave_bytes("z", kFirstPoison);
  EXPECT_FALSE(judge()) << "only a second launch can tell";
  EXPECT_EQ(outcome_.verdict, Verdict::passed);
  const EarlierResults first = earlier();
  EXPECT_TRUE(judge(kSecondPoison, first));
  EXPECT_EQ(outcome_.verdict, Verdict::passed) << "the kernel writes such values";
  leave_bytes("z", kSecondPoison);
  EXPECT_TRUE(judge(kSecondPoison, first));
  EXPECT_EQ(outcome_.failure, FailureKind::unwritten);
  EXPECT_EQ(outcome_.where.file, "argument z");
  EXPECT_EQ(outcome_.reason, "2 of 2 elements of `z` were never written; the first is z[0]");
  EXPECT_THAT(outcome_.message, HasSubstr("\nalso z[1] = never written"));
}

TEST_F(JudgeChecks, AnInoutNeedNotBeWritten) {
  add("x", ArgumentKind::inout, {0, 0});
  leave_bytes("x", kFirstPoison);
  check(CheckKind::within, "x").values["low"] = {"-1e30", ""};
  EXPECT_TRUE(judge());
  EXPECT_EQ(outcome_.verdict, Verdict::passed) << outcome_.message;
}

TEST_F(JudgeChecks, AnOutputThatNothingIsAboutFails) {
  add("z", ArgumentKind::out, {5});
  add("y", ArgumentKind::out, {5});
  function("def f(z, **rest): return True\n");
  const auto refusal = [&] {
    try {
      judge();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::verdict);
      return error.where().file + ": " + error.message() + " | " + error.hint();
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal(),
            "argument y: the output `y` has no reference, and no check is about it | add it to "
            "`reference`, or to the parameters of `f`");
  check(CheckKind::sorted, "y");
  EXPECT_EQ(refusal(), "none");
  planned_.plan.checks.pop_back();
  expect("y", "[5]");
  EXPECT_EQ(refusal(), "none");
}

TEST_F(JudgeChecks, AFunctionWithoutAVerdictIsAMistakeOfTheSuite) {
  add("z", ArgumentKind::out, {5});
  function("def f(z):\n  assert z[0] == 5\n");
  EXPECT_THROW(judge(), Error);
}

TEST_F(JudgeChecks, CheckedOutputsAreThoseWithoutAReference) {
  add("z", ArgumentKind::out, {5});
  add("y", ArgumentKind::out, {5});
  add("scratch", ArgumentKind::out, {5});
  planned_.plan.buffers.back().at.clear();
  add("i", ArgumentKind::in, {5});
  EXPECT_THAT(checked_outputs(planned_.plan), IsEmpty()) << "without checks";
  expect("y", "[5]");
  check(CheckKind::sorted, "z");
  EXPECT_THAT(checked_outputs(planned_.plan), ElementsAre(planned_.plan.find_buffer("z")));
}

}  // namespace
}  // namespace warpmark
