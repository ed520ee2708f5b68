// What a rank says of a request: a worker's reply, or how the case ended there.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/outcome.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

struct RankAnswer {
  std::optional<protocol::Reply> reply;  ///< nothing: the case ended there
  Outcome ended;                         ///< how, then
  bool spoilt = false;                   ///< it is to be tried again: SpoiltWorker
};

/// The answer that `ask` has, whichever way it ends a case.
RankAnswer answer_of(const std::function<protocol::Reply(Outcome&)>& ask);

nlohmann::json to_json(const RankAnswer& answer);
/// Throws an internal error for what is none.
RankAnswer rank_answer_from(const nlohmann::json& json);

/// The part of a run that a rank has, as its worker gets it: that of one device.
protocol::Verify request_of_rank(protocol::Verify part);

}  // namespace warpmark
