// A case to be timed, and its results.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "runtime/outcome.hpp"
#include "suite/case.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

struct TimedBaseline;

/// A case that another one is held against: it has the other's id and suite name, so that both have
/// the same inputs.
struct Rival {
  std::string name;  ///< in reports: "its baseline", "old.cu"
  Case which;
  std::shared_ptr<const PlannedCase> planned;
};

struct TimingJob {
  const Case* which = nullptr;
  const PlannedCase* planned = nullptr;
  TimingOptions options;
  /// The outcome of verifying it before and after it was timed. Exceeding the budget is no failure,
  /// but a hanging launch is.
  Outcome outcome;
  /// The measurements of each process, in the order of time; none unless the outcome is a pass.
  std::vector<Measurement> processes;
  /// Null: the suite's baseline, if `bench.against_baseline` asks for it and the device takes times.
  std::shared_ptr<const Rival> rival = {};
  /// The other side, once it was measured; null if there is none.
  std::shared_ptr<TimedBaseline> baseline = {};
};

/// A plan without its expectations of counters and the kernels for them, which cannot be timed.
PlannedCase without_counters(const Case& which, PlannedCase planned);

/// The other side of a job; null if there is none, or the job is for a profiler.
std::shared_ptr<TimedBaseline> timed_baseline(const TimingJob& job);

/// Both sides' series of a loading of their modules, in which they took turns.
struct TimedRound {
  std::vector<TimedSeries> own, baseline;
};

struct TimedBaseline {
  std::string name;
  Case which;
  PlannedCase planned;
  TimingJob job;  ///< the job of `planned`, without a baseline
  std::vector<TimedRound> rounds = {};
};

}  // namespace warpmark
