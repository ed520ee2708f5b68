// A case that is to be timed, and what came of it.
#pragma once

#include <memory>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "runtime/outcome.hpp"
#include "suite/case.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

struct TimedBaseline;

struct TimingJob {
  const Case* which = nullptr;
  const PlannedCase* planned = nullptr;
  TimingOptions options;
  /// Of verifying it before and after it was timed. What takes longer than the budget allows is no
  /// failure, but a hanging launch is.
  Outcome outcome;
  /// What each process measured, in the order of time; none unless the outcome is a pass.
  std::vector<Measurement> processes;
  /// The suite's baseline, timed by turns with the case in its first mode, process by process. Null
  /// unless `bench.against_baseline` asks for it and the device takes times.
  std::shared_ptr<TimedBaseline> baseline = {};
};

/// A plan without what its counters are held against; that cannot be timed.
PlannedCase without_counters(const Case& which, PlannedCase planned);

/// The baseline that is to be timed with the case; null if there is none, or the job takes no times.
std::shared_ptr<TimedBaseline> timed_baseline(const TimingJob& job);

struct TimedBaseline {
  PlannedCase planned;
  TimingJob job;  ///< of `planned`, without a baseline
};

}  // namespace warpmark
