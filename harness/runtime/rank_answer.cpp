#include "runtime/rank_answer.hpp"

#include <variant>

#include "base/error_json.hpp"
#include "runtime/case_dialogue.hpp"
#include "runtime/judge.hpp"

namespace warpmark {

RankAnswer answer_of(const std::function<protocol::Reply(Outcome&)>& ask) {
  RankAnswer answer;
  try {
    answer.reply = ask(answer.ended);
  } catch (const CaseEnded&) {
  } catch (const SpoiltWorker&) {
    answer.spoilt = true;
  }
  return answer;
}

nlohmann::json to_json(const RankAnswer& answer) {
  if (answer.spoilt) return {{"spoilt", true}};
  if (!answer.reply) {
    // Nothing but a failure, with its error, ends what a rank asks its worker.
    return {{"failure", static_cast<int>(answer.ended.failure)},
            {"why", error_json(answer.ended.error.value())}};
  }
  return {{"reply",
           std::visit([](const auto& reply) { return protocol::to_json(reply); }, *answer.reply)}};
}

RankAnswer rank_answer_from(const nlohmann::json& json) {
  RankAnswer answer;
  try {
    if (json.contains("error")) throw error_from(json.at("error"));
    answer.spoilt = json.contains("spoilt");
    if (json.contains("reply")) {
      answer.reply = protocol::reply_from_json(json.at("reply"));
    } else if (!answer.spoilt) {
      fail(answer.ended, static_cast<FailureKind>(json.at("failure").get<int>()),
           error_from(json.at("why")));
    }
  } catch (const nlohmann::json::exception& error) {
    throw internal_error(std::string("a rank sent what is no answer: ") + error.what());
  }
  return answer;
}

protocol::Verify request_of_rank(protocol::Verify part) {
  for (protocol::BufferBytes& buffer : part.run.buffers) buffer.partition = false;
  part.run.devices = 1;
  return part;
}

}  // namespace warpmark
