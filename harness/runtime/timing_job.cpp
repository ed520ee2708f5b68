#include "runtime/timing_job.hpp"

#include "suite/companions.hpp"

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
  const PlannedCase* planned = nullptr;
  if (job.rival) {
    planned = &*job.rival->planned;
  } else if (job.which->suite->bench.against_baseline) {
    planned = job.planned->baseline.get();
  }
  if (planned == nullptr || job.options.profile) return nullptr;
  // The host's clock times work of several devices, and turns are a device's.
  if (planned->plan.devices || job.planned->plan.devices) return nullptr;
  auto timed = std::make_shared<TimedBaseline>();
  timed->name = job.rival ? job.rival->name : "its baseline";
  timed->which = job.rival ? job.rival->which : *job.which;
  timed->planned = without_counters(timed->which, *planned);
  // The suite's own is held against nothing but what it must write.
  if (!job.rival) timed->planned.baseline = nullptr;
  timed->job.which = &timed->which;
  timed->job.planned = &timed->planned;
  timed->job.options = job.options;
  return timed;
}

}  // namespace warpmark
