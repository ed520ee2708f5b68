// The requests of a case to the worker: each has its reply, or the case has ended.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "runtime/outcome.hpp"
#include "runtime/worker_link.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// Thrown to end a case from within nested calls: the outcome has been filled in.
struct CaseEnded {};

/// The worker became useless before the case's kernel ran, because of an earlier case, or was ended
/// from outside.
struct SpoiltWorker {};

/// Fails the case, and ends it.
[[noreturn]] void end_case(Outcome& outcome, FailureKind kind, const Error& error);
/// The same for an error while a case is made ready; an error of the harness itself is thrown on.
[[noreturn]] void end_unready(Outcome& outcome, FailureKind kind, const Error& error);
/// Skips the case, and ends it.
[[noreturn]] void end_skipped(Outcome& outcome, const std::string& reason,
                              const Position& where = {});
[[noreturn]] void end_interrupted(Outcome& outcome);

class CaseDialogue {
 public:
  /// The options' `timeout_s` is the limit of a request unless the case has its own limit.
  CaseDialogue(WorkerLink& worker, const SessionOptions& options);

  /// Forgets the previous case.
  void begin_case() { killed_ = false; }

  /// Sends one request and returns its reply; the end of the worker ends the case. `more_s` is the
  /// time that the request may take in addition to the case's `limit_s`. A device that
  /// `keeps_limits` ends longer launches itself, and gets time to report it; any other answer would
  /// then come too late. A worker that a signal from outside ended, sent by an administrator or for
  /// lack of memory, says nothing about the case: SpoiltWorker is thrown once. The second time the
  /// case fails, or, for untrusted code, an environment error is thrown: points do not depend on
  /// it. `late` is the error of a request that takes too long for another reason than its kernel.
  protocol::Reply ask(const nlohmann::json& request, const std::vector<int>& fds, Outcome& outcome,
                      std::optional<double> limit_s = {}, double more_s = 0,
                      bool keeps_limits = false, const Error* late = nullptr);

  /// Ends the worker if the failure leaves it useless. A sticky error may appear when a case's
  /// memory is released, after its verdict: then SpoiltWorker is thrown, since the next case must
  /// not fail because of it.
  void end_spoilt_worker(const protocol::Failure& failure);

  /// Ends worker and case for a reply that does not answer the request.
  [[noreturn]] void end_garbled(Outcome& outcome);

 private:
  WorkerLink& worker_;
  double timeout_s_;
  double report_s_;
  bool confined_;
  bool killed_ = false;
};

}  // namespace warpmark
