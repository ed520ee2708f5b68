// A rank's answer to a request: a worker's reply, or the end of the case there.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/outcome.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

struct RankAnswer {
  std::optional<protocol::Reply> reply;  ///< nothing: the case ended there
  Outcome ended;                         ///< the outcome in that case
  bool spoilt = false;                   ///< the case is to be tried again: SpoiltWorker
};

/// The answer of `ask`, in whichever way it ends a case.
RankAnswer answer_of(const std::function<protocol::Reply(Outcome&)>& ask);

nlohmann::json to_json(const RankAnswer& answer);
/// Throws an internal error for a value that is no answer.
RankAnswer rank_answer_from(const nlohmann::json& json);

/// A rank's part of a run, as its worker gets it: that of one device.
protocol::Verify request_of_rank(protocol::Verify part);

}  // namespace warpmark
