#include "worker/stopping_rule.hpp"

#include <algorithm>
#include <cmath>

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

std::optional<StopReason> stop_of_turns(const StoppingRule& one, const StoppingRule& other,
                                        const std::vector<double>& empty_seconds,
                                        StoppingRule::Clock::time_point now) {
  // About what an empty kernel takes of a time, of which the events around it are left out.
  constexpr double kLaunch = 1.4e-6;
  constexpr double kLeastShare = 0.25;  // of a sample that is the run's own
  constexpr double kNormal = 1.96;      // standard errors to either end of an interval of 95 %
  const auto first = one.stop(now), second = other.stop(now);
  if (first != StopReason::precise || second != StopReason::precise)
    return first && second ? std::max(first, second) : std::nullopt;
  const PairedLevels levels = paired_levels(one.samples(), other.samples());
  const double least = std::min(levels.first, levels.second);
  const double empty = empty_seconds.empty() ? 0 : summarize(empty_seconds).median;
  const double run_s = std::clamp(least - empty + kLaunch, kLeastShare * least, least);
  // The difference of two times that are each known to the precision.
  const double most = std::sqrt(2.0) * one.options().precision * run_s;
  if (kNormal * levels.error <= most) return StopReason::precise;
  if (one.samples().size() >= one.options().max_samples) return StopReason::samples;
  return std::nullopt;
}

}  // namespace warpmark
