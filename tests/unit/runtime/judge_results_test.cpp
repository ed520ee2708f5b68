// Verdicts on what a launch left in inputs and outputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "runtime/judge.hpp"
#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The values of outputs after a launch, and the expected ones.
class JudgeResults : public testing::Test {
 protected:
  void SetUp() override {
    try {
      python().require_numpy();
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
    planned_.positions.set("", {"suites/s.yaml", 1, 1});
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

TEST_F(JudgeResults, ForbiddenNansAreReportedAsSuch) {
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

TEST_F(JudgeResults, ReportsFirstAndWorstWithTheirDistances) {
  add("y", ArgumentKind::out, "float32", "np.float32([[1, 1], [1, 1]])", close("0.5"));
  leave<float>("y", {1, 2, 5, 1}, {2, 2});
  judge();
  EXPECT_THAT(
      outcome_.message,
      HasSubstr("2 of 4 elements of `y` are wrong; the first is y[0, 1] = 2, expected 1 "
                "(off by 1, 8.389e+06 ulp, allowed 0.5)\nthe worst is y[1, 0] = 5, expected 1 "
                "(off by 4, 3.355e+07 ulp, allowed 0.5)"));
  leave<float>("y", {1, 1, 5, 1}, {2, 2});
  judge();
  EXPECT_THAT(outcome_.message, Not(HasSubstr("the worst")));
  planned_.plan.expected[0].tolerance = close("4 - 2.0**-20");
  judge();
  EXPECT_THAT(outcome_.message, HasSubstr("(off by 4, 3.355e+07 ulp, allowed 3.9999990463256836)"))
      << "four digits would show no difference";
  planned_.plan.expected[0].tolerance = {};
  judge();
  EXPECT_THAT(outcome_.message, HasSubstr("(off by 4, 3.355e+07 ulp, must be equal)"));
  leave<float>("y", {1, 1, 1.123456F, std::numeric_limits<float>::infinity()}, {2, 2});
  judge();
  EXPECT_THAT(outcome_.message, HasSubstr("(off by 0.1235, 1.036e+06 ulp, must be equal)"));
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

TEST_F(JudgeResults, StoresOfANarrowerTypeAreToldWhereAllThatIsWrongIsSo) {
  add("y", ArgumentKind::out, "int32", "[1, 2, 3, 4]");
  leave<uint32_t>("y", {0xcbcb0001, 0xcbcb0002, 3, 0xcbcbcbcb});
  judge();
  EXPECT_EQ(outcome_.failure, FailureKind::wrong);
  EXPECT_THAT(outcome_.message, HasSubstr("\n2 were written in part: the rest is what was there"));
  leave<uint32_t>("y", {0xcbcb0001, 7, 3, 4});
  judge();
  EXPECT_THAT(outcome_.message, testing::Not(HasSubstr("written in part")));
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

TEST_F(JudgeResults, AnInputOfOneByteIsLookedAt) {
  add("a", ArgumentKind::in, "int8", "");
  leave<int8_t>("a", {5});
  inputs_.arrays = results_;
  leave<int8_t>("a", {6});
  EXPECT_TRUE(judge());
  EXPECT_EQ(outcome_.reason, "the kernel changed its input `a`: a[0] was 5 and is 6");
}

TEST_F(JudgeResults, ListsUpToFiveWrongElements) {
  add("y", ArgumentKind::out, "int32", "np.zeros(8, np.int32)");
  leave<int>("y", {0, 1, 2, 3, 4, 9, 6, 7});
  judge();
  EXPECT_EQ(outcome_.reason,
            "7 of 8 elements of `y` are wrong; the first is y[1] = 1, expected 0 (off by 1, must "
            "be equal)");
  EXPECT_THAT(outcome_.message,
              testing::EndsWith("\nalso y[2] = 2, expected 0 (off by 2, must be equal)"
                                "\nalso y[3] = 3, expected 0 (off by 3, must be equal)"
                                "\nalso y[4] = 4, expected 0 (off by 4, must be equal)"
                                "\nthe worst is y[5] = 9, expected 0 (off by 9, must be equal)"));
  const int poison = static_cast<int>(0xCBCBCBCB);
  leave<int>("y", {0, poison, poison, 0, 0, 0, 0, 0});
  judge();
  EXPECT_THAT(outcome_.message, testing::EndsWith("the first is y[1], expected 0\nalso y[2] = "
                                                  "never written, expected 0"));
}

TEST_F(JudgeResults, TheToleranceThatWouldDoIsKeptOutOfTheMessage) {
  add("y", ArgumentKind::out, "float32", "np.float32([1, 2])");
  leave<float>("y", {1 + 0x1p-22F, 2});
  judge();
  EXPECT_EQ(outcome_.outputs.at(0).sufficient, "{ulp: 2}");
  EXPECT_EQ(outcome_.outputs.at(0).histogram.buckets.at(0).count, 1U);
  EXPECT_THAT(outcome_.message, Not(HasSubstr("ulp: 2")));
  EXPECT_THAT(outcome_.message, HasSubstr("off by 2.384e-07, 2 ulp, must be equal"));
  leave<float>("y", {1 + 0x1p-22F, std::numeric_limits<float>::infinity()});
  judge();
  EXPECT_EQ(outcome_.outputs.at(0).sufficient, "");
  EXPECT_THAT(outcome_.outputs.at(0).histogram.buckets, IsEmpty());
}

}  // namespace
}  // namespace warpmark
