#include "cli/session_timer.hpp"

#include "cli/job_setup.hpp"

namespace warpmark {

Outcome SessionTimer::measure(const Case& which, const PlannedCase& planned,
                              const TimingOptions& options, Measurement& into) {
  return which.skip ? skipped_outcome(which) : session_.measure(which, planned, options, into);
}

}  // namespace warpmark
