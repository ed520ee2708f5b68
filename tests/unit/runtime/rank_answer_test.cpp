// Answers of ranks survive their way to rank 0, and what is no answer is refused.
#include "runtime/rank_answer.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/error_json.hpp"
#include "runtime/case_dialogue.hpp"
#include "runtime/judge.hpp"
#include "runtime/rank_group.hpp"

namespace warpmark {
namespace {

RankAnswer again(const RankAnswer& answer) {
  return rank_answer_from(to_json(answer));
}

TEST(RankAnswer, IsAReply) {
  const RankAnswer answer = again(answer_of([](Outcome&) -> protocol::Reply {
    protocol::Verified reply;
    reply.misfit.text = "is too large";
    return reply;
  }));
  ASSERT_TRUE(answer.reply);
  EXPECT_EQ(std::get<protocol::Verified>(*answer.reply).misfit.text, "is too large");
  EXPECT_FALSE(answer.spoilt);
}

TEST(RankAnswer, IsTheEndOfACase) {
  const RankAnswer answer = again(answer_of([](Outcome& outcome) -> protocol::Reply {
    end_case(outcome, FailureKind::crash, verdict_error("the worker died"));
  }));
  EXPECT_FALSE(answer.reply);
  EXPECT_EQ(answer.ended.verdict, Verdict::failed);
  EXPECT_EQ(answer.ended.failure, FailureKind::crash);
  EXPECT_EQ(answer.ended.reason, "the worker died");
}

TEST(RankAnswer, AsksToTryAgain) {
  const RankAnswer answer =
      again(answer_of([](Outcome&) -> protocol::Reply { throw SpoiltWorker{}; }));
  EXPECT_TRUE(answer.spoilt);
  EXPECT_FALSE(answer.reply);
}

TEST(RankAnswer, IsAnErrorOfTheRun) {
  const nlohmann::json said = {{"error", error_json(environment_error("no device"))}};
  try {
    rank_answer_from(said);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_EQ(error.message(), "no device");
  }
}

TEST(RankAnswer, MayBeNone) {
  for (const char* text : {"{}", "[]", "null", R"({"failure": "x"})", R"({"reply": 3})"}) {
    try {
      rank_answer_from(nlohmann::json::parse(text));
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::internal) << text;
    }
  }
}

TEST(RankAnswer, NamesItsRank) {
  Outcome outcome;
  blame_rank(outcome, 3);
  EXPECT_EQ(outcome.reason, "");
  fail(outcome, FailureKind::fault,
       verdict_error("an illegal access\nin line 3", {"a.yaml", 2, 1}));
  blame_rank(outcome, 3);
  EXPECT_EQ(outcome.reason, "rank 3: an illegal access");
  EXPECT_EQ(outcome.failure, FailureKind::fault);
  EXPECT_EQ(outcome.where.line, 2);
  skip(outcome, "does not fit");
  blame_rank(outcome, 1);
  EXPECT_EQ(outcome.reason, "rank 1: does not fit");
}

TEST(RankAnswer, ARequestOfARankIsThatOfOneDevice) {
  protocol::Verify part;
  part.run.devices = 4;
  part.run.buffers.resize(2);
  part.run.buffers[1].partition = true;
  part.run.buffers[1].bytes = 12;
  const protocol::Verify own = request_of_rank(part);
  EXPECT_EQ(own.run.devices, 1U);
  EXPECT_FALSE(own.run.buffers[1].partition);
  EXPECT_EQ(own.run.buffers[1].bytes, 12U);
}

}  // namespace
}  // namespace warpmark
