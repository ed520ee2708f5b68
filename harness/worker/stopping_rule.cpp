#include "worker/stopping_rule.hpp"

#include <algorithm>

#include "base/statistics.hpp"

namespace warpmark {

std::optional<StopReason> StoppingRule::stop(Clock::time_point now) const {
  if (samples_.empty()) return std::nullopt;
  const double lasted = std::chrono::duration<double>(now - begin_).count();
  const bool enough = samples_.size() >= options_.min_samples && lasted >= options_.min_seconds;
  if (enough && summarize(samples_).half_width() <= options_.precision) return StopReason::precise;
  if (samples_.size() >= options_.max_samples) return StopReason::samples;
  if (now >= deadline_) return StopReason::budget;
  return std::nullopt;
}

uint64_t StoppingRule::most_next(Clock::time_point now, double cycle_s) const {
  const uint64_t left =
      options_.max_samples > samples_.size() ? options_.max_samples - samples_.size() : 1;
  const double seconds = std::chrono::duration<double>(deadline_ - now).count();
  if (!(cycle_s > 0) || seconds <= cycle_s) return 1;
  return std::max<uint64_t>(1, std::min(left, static_cast<uint64_t>(seconds / cycle_s)));
}

}  // namespace warpmark
