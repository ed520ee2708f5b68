#include "cli/session_runner.hpp"

namespace warpmark {

Outcome SessionRunner::verify(const Case& which, const PlannedCase& planned, uint64_t trial) {
  artifacts_ = {};
  if (!which.skip) return session_.verify(which, planned, trial, keep_ ? &artifacts_ : nullptr);
  Outcome outcome;
  outcome.suite = which.suite->name;
  outcome.case_id = which.id;
  outcome.verdict = Verdict::skipped;
  outcome.reason = *which.skip;
  return outcome;
}

}  // namespace warpmark
