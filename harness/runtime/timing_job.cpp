#include "runtime/timing_job.hpp"

#include <utility>

#include "suite/companions.hpp"
#include "suite/suite.hpp"

namespace warpmark {

PlannedCase without_counters(const Case& which, PlannedCase planned) {
  if (!uses_baseline(*which.suite)) planned.baseline = nullptr;
  planned.smaller = nullptr;
  planned.compares_counters = false;
  planned.plan.composites = {};
  planned.plan.counters.clear();
  return planned;
}

std::shared_ptr<TimedBaseline> timed_baseline(const TimingJob& job) {
  if (!job.which->suite->bench.against_baseline || !job.planned->baseline || job.options.profile ||
      job.options.modes.empty())
    return nullptr;
  auto timed = std::make_shared<TimedBaseline>();
  timed->planned = without_counters(*job.which, *job.planned->baseline);
  timed->planned.baseline = nullptr;  // it is held against nothing but what it must write
  timed->job.which = job.which;
  timed->job.planned = &timed->planned;
  timed->job.options = job.options;
  timed->job.options.budget_s /= static_cast<double>(job.options.modes.size());
  timed->job.options.modes.resize(1);
  return timed;
}

}  // namespace warpmark
