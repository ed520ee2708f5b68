// A case that is to be timed, and what came of it.
#pragma once

#include <vector>

#include "plan/plugin_loader.hpp"
#include "runtime/outcome.hpp"
#include "suite/case.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

struct TimingJob {
  const Case* which = nullptr;
  const PlannedCase* planned = nullptr;
  TimingOptions options;
  /// Of verifying it before and after it was timed. What takes longer than the budget allows is no
  /// failure, but a hanging launch is.
  Outcome outcome;
  /// What each process measured, in the order of time; none unless the outcome is a pass.
  std::vector<Measurement> processes;
};

}  // namespace warpmark
