// A worker's statements about the module's variables are believed only where they can be.
#include "runtime/case_fit.hpp"

#include <gtest/gtest.h>

#include "runtime/case_dialogue.hpp"

namespace warpmark {
namespace {

class SmallVariables : public testing::Test {
 protected:
  SmallVariables() {
    for (const char* name : {"table", "y"}) {
      Buffer buffer;
      buffer.name = name;
      buffer.direction = ArgumentKind::out;
      buffer.shape = {int64_t{4}, int64_t{4}};
      if (buffer.name == "table") buffer.symbol = "ns::table";
      planned_.plan.buffers.push_back(buffer);
      inputs_.dtypes.emplace(name, *find_dtype("float32"));
    }
  }

  // "" if the case goes on.
  std::string said(const std::optional<protocol::SmallVariable>& variable) {
    Outcome outcome;
    try {
      end_small_variable(planned_, inputs_, variable, outcome);
      EXPECT_EQ(outcome.verdict, Verdict::passed);
      return "";
    } catch (const CaseEnded&) {
      EXPECT_EQ(outcome.failure, FailureKind::signature);
      return outcome.reason;
    }
  }

  PlannedCase planned_;
  CaseInputs inputs_;
};

TEST_F(SmallVariables, AreSaidInElements) {
  EXPECT_EQ(said({{"table", 32}}),
            "the variable `ns::table` has 8 elements, and the suite gives 16");
  EXPECT_EQ(said({{"table", 7}}), "the variable `ns::table` has 1 element, and the suite gives 16");
  EXPECT_EQ(said({{"table", 0}}),
            "the variable `ns::table` has 0 elements, and the suite gives 16");
  EXPECT_EQ(said({{"table", std::nullopt}}), "the variable `ns::table` is not in the module");
}

TEST_F(SmallVariables, AStrangersWordIsNotTaken) {
  EXPECT_EQ(said(std::nullopt), "");
  EXPECT_EQ(said({{"table", 64}}), "") << "it is large enough";
  EXPECT_EQ(said({{"table", UINT64_MAX}}), "");
  EXPECT_EQ(said({{"y", 0}}), "") << "it is no variable";
  EXPECT_EQ(said({{"nothing", 0}}), "");
  EXPECT_EQ(said({{"", 0}}), "");
}

TEST(SmallVariable, CrossesToTheFront) {
  for (const std::optional<uint64_t> bytes : {std::optional<uint64_t>(32), {}}) {
    protocol::Failure failure = protocol::Failure::of(verdict_error("too small"));
    failure.variable = {"table", bytes};
    const protocol::Reply reply = protocol::reply_from_json(protocol::to_json(failure));
    const auto& read = std::get<protocol::Failure>(reply).variable;
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->name, "table");
    EXPECT_EQ(read->bytes, bytes);
  }
  nlohmann::json forged = protocol::to_json(protocol::Failure::of(verdict_error("too small")));
  for (const char* variable : {"3", "{}", R"({"name": 1})", R"({"name": "a", "bytes": "b"})"}) {
    forged["variable"] = nlohmann::json::parse(variable);
    EXPECT_THROW(protocol::reply_from_json(forged), Error) << variable;
  }
}

}  // namespace
}  // namespace warpmark
