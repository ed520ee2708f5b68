#include "cli/jobs/session_timer.hpp"

#include <algorithm>

#include "cli/request/planned_work.hpp"

namespace warpmark {

size_t SessionTimer::measure(std::span<TimingJob> jobs) {
  TimingJob& first = jobs.front();
  if (first.which->skip) {
    first.outcome = skipped_outcome(*first.which);
    return 1;
  }
  const auto skipped =
      std::find_if(jobs.begin(), jobs.end(), [](const TimingJob& job) { return job.which->skip; });
  return session_->measure({jobs.begin(), skipped});
}

void SessionTimer::close() {
  live_ = nullptr;
  session_.reset();
}

void SessionTimer::interrupt() noexcept {
  if (Session* session = live_) session->interrupt();
}

}  // namespace warpmark
