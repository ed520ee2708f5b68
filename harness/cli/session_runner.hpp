// A session as what runs the cases of a check.
#pragma once

#include "check/check.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/session.hpp"

namespace warpmark {

class SessionRunner : public CaseRunner {
 public:
  /// With `keep`, the last case's artifacts stay until the next case.
  SessionRunner(Session& session, bool keep) : session_(session), keep_(keep) {}

  Outcome verify(const Case& which, const PlannedCase& planned, uint64_t trial) override;
  void interrupt() noexcept override { session_.interrupt(); }

  /// Of the case that was verified last, as far as it got.
  const CaseArtifacts& artifacts() const { return artifacts_; }

 private:
  Session& session_;
  bool keep_;
  CaseArtifacts artifacts_;
};

}  // namespace warpmark
