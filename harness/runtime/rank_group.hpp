// The ranks of a case with `devices`, as rank 0 sees them: each runs its part on a worker of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "ranks/ranks.hpp"
#include "runtime/rank_answer.hpp"
#include "runtime/requests.hpp"
#include "runtime/session.hpp"
#include "runtime/worker_link.hpp"
#include "worker/device_facts.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// Requests go to all ranks that take part before the first answer is waited for, so that they work
/// at the same time; and all answers are taken, so that one that fails leaves nobody waiting. An
/// interrupt ends the case.
class RankGroup {
 public:
  /// `own` is this rank's worker.
  RankGroup(const SessionOptions& options, const WorkerLink& own);

  int size() const { return ranks_.size(); }

  /// Starts the workers of all, and waits for them; `greet_own` does for this one. Throws what that
  /// throws, and environment errors: for a rank whose worker does not start, and if there are fewer
  /// devices than ranks.
  void require(const std::function<DeviceFacts()>& greet_own);

  void begin_case() { begins_ = true; }

  using AskOwn = std::function<protocol::Reply(Outcome&)>;
  /// The answers of `devices` ranks, this one's first. If one is to be tried again, SpoiltWorker is
  /// thrown, here and in `run`.
  std::vector<RankAnswer> prepare(const nlohmann::json& request, uint64_t devices,
                                  const AskOwn& ask_own, Outcome& outcome);

  using RunOwn = std::function<protocol::Reply(const nlohmann::json& request,
                                               const std::vector<int>& fds, Outcome&)>;
  /// Scatters, runs, and if it went well everywhere, gathers: `buffers` are those of the whole run.
  /// `limit_s` is what a case may take that has a limit of its own.
  std::vector<RankAnswer> run(const protocol::Verify& whole,
                              const std::vector<BufferArrays>& buffers,
                              std::optional<double> limit_s, const RunOwn& run_own,
                              Outcome& outcome);

 private:
  template <typename Steps>
  auto unless_interrupted(Outcome& outcome, const Steps& steps);
  std::vector<RankAnswer> answers(uint64_t devices, double limit_s, const AskOwn& ask_own);
  void scatter(const protocol::Verify& part, const std::vector<BufferArrays>& buffers,
               std::optional<double> limit_s);
  void gather(const protocol::Verify& part, const std::vector<BufferArrays>& buffers,
              const std::vector<BufferArrays>& mine);

  Ranks& ranks_;
  const SessionOptions& options_;
  bool begins_ = false;  ///< no request of this case was made yet
};

/// Ends the case if it has ended where the answer comes from.
void end_with_rank(const RankAnswer& answer, Outcome& outcome);

/// Names the rank in what an outcome says of a failure or a skip.
void blame_rank(Outcome& outcome, size_t rank);

}  // namespace warpmark
