// A session as what runs the cases of a check.
#pragma once

#include <atomic>
#include <memory>

#include "check/check.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/session.hpp"

namespace warpmark {

class SessionRunner : public CaseRunner {
 public:
  /// With `keep`, the last case's artifacts stay until the next case.
  SessionRunner(std::unique_ptr<Session> session, bool keep)
      : session_(std::move(session)), live_(session_.get()), keep_(keep) {}

  Outcome verify(const Case& which, const PlannedCase& planned, uint64_t trial) override;
  void close() override;
  void interrupt() noexcept override;

  /// Of the case that was verified last, as far as it got.
  const CaseArtifacts& artifacts() const { return artifacts_; }

 private:
  std::unique_ptr<Session> session_;
  std::atomic<Session*> live_;  ///< what a signal may interrupt
  bool keep_;
  CaseArtifacts artifacts_;
};

}  // namespace warpmark
