#include "cli/jobs/session_runner.hpp"

#include <utility>

#include "cli/request/planned_work.hpp"

namespace warpmark {

Outcome SessionRunner::verify(const CaseWork& work, uint64_t trial) {
  artifacts_ = {};
  if (work.which.skip) return skipped_outcome(work.which);
  if (work_ != &work) {  // its further trials have the same plan
    work_ = nullptr;
    planned_.reset();
    Planned made = plan_of(work, plugins_);
    if (made.error) return load_failure(*made.error);
    planned_ = std::move(made.planned);
    work_ = &work;
  }
  return session_->verify(work.which, *planned_, trial, keep_ ? &artifacts_ : nullptr);
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
