#include "runtime/rank_server.hpp"

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "base/error_json.hpp"
#include "base/exception.hpp"
#include "python/array.hpp"
#include "runtime/case_dialogue.hpp"
#include "runtime/rank_answer.hpp"
#include "runtime/requests.hpp"
#include "runtime/session.hpp"
#include "runtime/worker_link.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

namespace {

class RankServer {
 public:
  explicit RankServer(const std::shared_ptr<Ranks>& ranks) : ranks_(*ranks) {
    options_.ranks = ranks;
  }

  ExitCode serve() {
    for (;;) {
      const nlohmann::json message = ranks_.receive(0);
      const std::string what = message.at("do");
      if (what == "end") return static_cast<ExitCode>(message.at("code").get<int>());
      if (what == "start") {
        answer([&] { return start(message); });
      } else if (what == "prepare") {
        answer([&] { return prepare(message); });
      } else if (what == "run") {
        take_part(message);
        answer([&] { return run(message); });
      } else {
        gather();
      }
    }
  }

 private:
  // An error of this rank is an error of the run: rank 0 throws it.
  template <typename Steps>
  void answer(const Steps& steps) {
    nlohmann::json said;
    try {
      said = to_json(answer_of([&](Outcome& outcome) -> protocol::Reply {
        outcome_ = &outcome;
        return steps();
      }));
    } catch (...) {
      said = {{"error", error_json(to_error(std::current_exception()))}};
    }
    said["node"] = ranks_.place().node;
    ranks_.send(0, said);
  }

  protocol::Reply start(const nlohmann::json& message) {
    ranks_.share_cpu_devices();
    options_.device = message.at("device");
    options_.use_cache = message.at("use_cache");
    options_.timeout_s = message.at("timeout_s");
    options_.start_timeout_s = message.at("start_timeout_s");
    worker_.emplace(options_);
    dialogue_.emplace(*worker_, options_);
    return worker_->greet();
  }

  protocol::Reply prepare(const nlohmann::json& message) {
    worker_->greet();
    if (message.at("begins").get<bool>()) dialogue_->begin_case();
    return ask(message.at("request"), {}, {}, false);
  }

  // The bytes after the message must be received, even if the request is not carried out.
  void take_part(const nlohmann::json& message) {
    request_ = std::get<protocol::Verify>(protocol::request_from_json(message.at("request")));
    arrays_.clear();
    arrays_.reserve(2 * request_.run.buffers.size());
    buffers_.clear();
    for (const protocol::BufferBytes& buffer : request_.run.buffers) {
      const Shape shape{static_cast<int64_t>(buffer.bytes)};
      BufferArrays& one = buffers_.emplace_back();
      if (buffer.has_initial) {
        one.initial = &arrays_.emplace_back(*find_dtype("uint8"), shape);
        ranks_.receive_bytes(0, one.initial->bytes());
      }
      one.result = &arrays_.emplace_back(*find_dtype("uint8"), shape);
    }
  }

  protocol::Reply run(const nlohmann::json& message) {
    std::optional<double> limit_s;
    if (message.contains("limit_s")) limit_s = message.at("limit_s").get<double>();
    // The same as for a case that rank 0 runs alone.
    const bool keeps_limits = worker_->facts().has("reports");
    const std::vector<int> fds = descriptors(request_.run, buffers_);
    return ask(protocol::to_json(request_of_rank(request_)), fds, limit_s, keeps_limits);
  }

  protocol::Reply ask(const nlohmann::json& request, const std::vector<int>& fds,
                      std::optional<double> limit_s, bool keeps_limits) {
    protocol::Reply reply = dialogue_->ask(request, fds, *outcome_, limit_s, 0, keeps_limits);
    if (const auto* failure = std::get_if<protocol::Failure>(&reply)) {
      dialogue_->end_spoilt_worker(*failure);
    }
    worker_->case_was_run();
    return reply;
  }

  void gather() {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (request_.run.buffers[i].partition) ranks_.send_bytes(0, buffers_[i].result->bytes());
    }
  }

  Ranks& ranks_;
  SessionOptions options_;
  std::optional<WorkerLink> worker_;
  std::optional<CaseDialogue> dialogue_;
  Outcome* outcome_ = nullptr;  ///< outcome of the current request
  protocol::Verify request_;    ///< the last run
  std::vector<Array> arrays_;
  std::vector<BufferArrays> buffers_;  ///< buffers in `arrays_`
};

}  // namespace

ExitCode serve_rank(const std::shared_ptr<Ranks>& ranks) {
  // The launcher sends these signals to every rank, and rank 0 handles interrupts.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  const ExitCode code = RankServer(ranks).serve();
  ranks->leave();
  return code;
}

void end_ranks(Ranks& ranks, ExitCode code) noexcept {
  try {
    ranks.stop_waits_if({});
    if (ranks.whole()) {
      for (int rank = 1; rank < ranks.size(); ++rank) {
        ranks.send(rank, {{"do", "end"}, {"code", static_cast<int>(code)}});
      }
      ranks.leave();
      return;
    }
  } catch (...) {  // the ranks are ended then
  }
  ranks.abort(code);
}

}  // namespace warpmark
