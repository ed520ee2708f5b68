// When a series of times has enough samples.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "worker/measurement.hpp"

namespace warpmark {

class StoppingRule {
 public:
  using Clock = std::chrono::steady_clock;

  /// Samples are taken from `begin` on and may be until `deadline`, by the host's clock.
  StoppingRule(const TimingOptions& options, Clock::time_point begin, Clock::time_point deadline)
      : options_(options), begin_(begin), deadline_(deadline) {}

  /// Adds a sample, in seconds of one run.
  void add(double seconds) { samples_.push_back(seconds); }
  const std::vector<double>& samples() const { return samples_; }
  const TimingOptions& options() const { return options_; }

  /// Why no more samples are to be taken; nothing while more are. At least one always is.
  std::optional<StopReason> stop(Clock::time_point now) const;

  /// How many samples may be taken before the next question, if one takes about `cycle_s` of the
  /// host's time: so many that the deadline is overrun by one sample at the most, and 1 at least.
  uint64_t most_next(Clock::time_point now, double cycle_s) const;

 private:
  TimingOptions options_;
  Clock::time_point begin_, deadline_;
  std::vector<double> samples_;
};

/// The same of two whose samples were taken by turns: each must be precise, and so must be what the
/// times of a run differ by. `empty_seconds` are of an empty kernel, timed in the same way.
std::optional<StopReason> stop_of_turns(const StoppingRule& one, const StoppingRule& other,
                                        const std::vector<double>& empty_seconds,
                                        StoppingRule::Clock::time_point now);

}  // namespace warpmark
