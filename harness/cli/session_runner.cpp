#include "cli/session_runner.hpp"

#include "cli/job_setup.hpp"

namespace warpmark {

Outcome SessionRunner::verify(const Case& which, const PlannedCase& planned, uint64_t trial) {
  artifacts_ = {};
  if (!which.skip) return session_.verify(which, planned, trial, keep_ ? &artifacts_ : nullptr);
  return skipped_outcome(which);
}

}  // namespace warpmark
