#include "cli/session_runner.hpp"

namespace warpmark {

Outcome SessionRunner::verify(const Case& which, const PlannedCase& planned, uint64_t trial) {
  artifacts_ = {};
  if (!which.skip) return session_->verify(which, planned, trial, keep_ ? &artifacts_ : nullptr);
  Outcome outcome;
  outcome.suite = which.suite->name;
  outcome.case_id = which.id;
  outcome.verdict = Verdict::skipped;
  outcome.reason = *which.skip;
  return outcome;
}

void SessionRunner::close() {
  artifacts_ = {};
  live_ = nullptr;
  session_.reset();
}

void SessionRunner::interrupt() noexcept {
  if (Session* session = live_) session->interrupt();
}

}  // namespace warpmark
