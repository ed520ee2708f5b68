// When a series of times has enough samples.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "runtime/measurement.hpp"

namespace warpmark {

class StoppingRule {
 public:
  using Clock = std::chrono::steady_clock;

  /// Samples may be taken until `deadline`, by the host's clock.
  StoppingRule(const TimingOptions& options, Clock::time_point deadline)
      : options_(options), deadline_(deadline) {}

  /// Adds a sample, in seconds of one run, that took the device `busy_s`.
  void add(double seconds, double busy_s);
  const std::vector<double>& samples() const { return samples_; }

  /// Why no more samples are to be taken; nothing while more are. At least one always is.
  std::optional<StopReason> stop(Clock::time_point now) const;

  /// How many samples may be taken before the next question, if one takes about `cycle_s` of the
  /// host's time: so many that the deadline is overrun by one sample at the most, and 1 at least.
  uint64_t most_next(Clock::time_point now, double cycle_s) const;

 private:
  TimingOptions options_;
  Clock::time_point deadline_;
  std::vector<double> samples_;
  double busy_s_ = 0;
};

}  // namespace warpmark
