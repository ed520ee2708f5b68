#include "grade/grader/session_timer.hpp"

#include <algorithm>
#include <utility>

#include "report/bench/impossible_text.hpp"
#include "results/measurement_record.hpp"
#include "results/possible_time.hpp"

namespace warpmark {

namespace {

// The options of one turn, which is short since there are many.
TimingOptions timing_of_a_turn() {
  TimingOptions options;
  options.processes = 1;
  options.modes = {TimingMode::cold};
  options.budget_s = 0.5;
  options.min_seconds = 0.02;
  options.min_samples = 20;
  options.max_samples = 500;
  return options;
}

}  // namespace

SessionRoundTimer::SessionRoundTimer(Interpreter& python, SessionOptions submission,
                                     SessionOptions baseline, Kernels kernels,
                                     std::function<void(Session*)> watch)
    : kernels_{kernels.which, without_counters(*kernels.which, std::move(kernels.submission)),
               without_counters(*kernels.which, std::move(kernels.baseline))},
      watch_(std::move(watch)),
      submission_(python, std::move(submission)),
      baseline_(python, std::move(baseline)) {}

SessionRoundTimer::~SessionRoundTimer() {
  watch_(nullptr);
}

TimedRun SessionRoundTimer::submission() {
  return time(submission_, kernels_.submission);
}

TimedRun SessionRoundTimer::baseline() {
  return time(baseline_, kernels_.baseline);
}

TimedRun SessionRoundTimer::time(Session& session, const PlannedCase& planned) {
  watch_(&session);
  const DeviceFacts& facts = session.require();
  // The ceilings are measured in the session of the baseline, whose code is the course's.
  watch_(&baseline_);
  const std::optional<Ceilings> ceilings = baseline_.ceilings();
  watch_(&session);
  TimingJob job{kernels_.which, &planned, timing_of_a_turn(), {}, {}};
  session.measure({&job, 1});
  TimedRun run;
  run.outcome = std::move(job.outcome);
  if (run.outcome.verdict != Verdict::passed) return run;
  const auto timed = timed_case(planned, "", job.options, std::move(job.processes), ceilings);
  if (!timed) return run;
  run.seconds = timed->series.front().summary.median;
  const auto cache = facts.attributes.find("l2_bytes");
  const auto impossible = impossible_time(
      *timed, ceilings,
      cache == facts.attributes.end() ? 0
                                      : static_cast<uint64_t>(std::max<int64_t>(0, cache->second)),
      planned.plan.steps.size());
  if (impossible) run.impossible = impossible_text(*impossible, kernels_.which->id);
  return run;
}

}  // namespace warpmark
