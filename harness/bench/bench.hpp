// The bench front: one Google Benchmark benchmark for each case, and its reports.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "report/style.hpp"
#include "results/run_context.hpp"
#include "runtime/measurement.hpp"
#include "runtime/outcome.hpp"
#include "suite/case.hpp"

namespace warpmark {

/// What measures the cases: a Session, or a test's stand-in.
class CaseTimer {
 public:
  virtual ~CaseTimer() = default;
  /// Verifies, times and verifies again. What it throws ends the run.
  virtual Outcome measure(const Case& which, const PlannedCase& planned,
                          const TimingOptions& options, Measurement& into) = 0;
  /// Ends a `measure` that runs with Verdict::interrupted. Called in a signal handler.
  virtual void interrupt() noexcept = 0;
};

}  // namespace warpmark
