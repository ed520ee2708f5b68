// A case to be timed, and its results.
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
  /// The outcome of verifying it before and after it was timed. Exceeding the budget is no failure,
  /// but a hanging launch is.
  Outcome outcome;
  /// The measurements of each process, in the order of time; none unless the outcome is a pass.
  std::vector<Measurement> processes;
  /// The suite's baseline, timed by turns with the case in its first mode, process by process. Null
  /// unless `bench.against_baseline` asks for it and the device takes times.
  std::shared_ptr<TimedBaseline> baseline = {};
};

/// A plan without its expectations of counters and the kernels for them, which cannot be timed.
PlannedCase without_counters(const Case& which, PlannedCase planned);

/// The baseline to time with the case; null if there is none, or the job takes no times.
std::shared_ptr<TimedBaseline> timed_baseline(const TimingJob& job);

struct TimedBaseline {
  PlannedCase planned;
  TimingJob job;  ///< the job of `planned`, without a baseline
};

}  // namespace warpmark
