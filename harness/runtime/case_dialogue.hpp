// What a case asks of the worker: each request has its reply, or the case has ended.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "runtime/outcome.hpp"
#include "runtime/worker_link.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// Ends a case from the depth of it: the outcome has been filled in.
struct CaseEnded {};

/// The worker was of no use before the case's kernel ran, because of a case before, or something
/// else than the case ended it.
struct SpoiltWorker {};

/// Fails the case, and ends it.
[[noreturn]] void end_case(Outcome& outcome, FailureKind kind, const Error& error);
/// The same for an error while a case is made ready, which is thrown on if the harness itself is at
/// fault.
[[noreturn]] void end_unready(Outcome& outcome, FailureKind kind, const Error& error);
/// Skips the case, and ends it.
[[noreturn]] void end_skipped(Outcome& outcome, const std::string& reason,
                              const Position& where = {});
[[noreturn]] void end_interrupted(Outcome& outcome);

class CaseDialogue {
 public:
  /// The options' `timeout_s` is what a request may take unless the case has a limit of its own.
  CaseDialogue(WorkerLink& worker, const SessionOptions& options);

  /// What was before is forgotten.
  void begin_case() { killed_ = false; }

  /// One request and its reply; what ends the worker ends the case. `more_s` is what the request
  /// may take beside `limit_s`, which a case may take. A device that `keeps_limits` ends what takes
  /// longer itself, and gets time to say so; any other answer would then come too late. A worker
  /// that a signal from outside ended, as the system's want of memory or an administrator sends it,
  /// says nothing about the case: SpoiltWorker is thrown once. The second time the case fails, or
  /// where untrusted code is judged, an environment error is thrown: points do not depend on it.
  protocol::Reply ask(const nlohmann::json& request, const std::vector<int>& fds, Outcome& outcome,
                      std::optional<double> limit_s = {}, double more_s = 0,
                      bool keeps_limits = false);

  /// Ends the worker if the failure leaves it of no use. A sticky error may come to light when a
  /// case's memory is released, after its verdict: then SpoiltWorker is thrown, as the case after
  /// it must not fail of it.
  void end_spoilt_worker(const protocol::Failure& failure);

  /// Ends worker and case for a reply to another question than was asked.
  [[noreturn]] void end_garbled(Outcome& outcome);

 private:
  WorkerLink& worker_;
  double timeout_s_;
  double report_s_;
  bool confined_;
  bool killed_ = false;
};

}  // namespace warpmark
