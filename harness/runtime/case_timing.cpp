#include "runtime/case_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "base/dtype.hpp"
#include "runtime/case_fit.hpp"
#include "runtime/judge.hpp"
#include "runtime/requests.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

namespace {

// Whose plain cores the flops of a case may be held against; "" without floating arrays.
std::string widest_float(const Plan& plan) {
  std::optional<DType> widest;
  for (const Buffer& buffer : plan.buffers) {
    const std::optional<DType> dtype = buffer.dtype;
    if (!dtype || dtype->kind != DTypeKind::floating) continue;
    if (!widest || dtype->bytes > widest->bytes) widest = dtype;
  }
  return widest ? std::string(widest->name) : "";
}

void add_costs(CaseTiming::Ongoing& one) {
  const Plan& plan = one.ready->planned.plan;
  for (Measurement& measured : one.job.processes) {
    measured.bytes = known_amount(plan.bytes);
    measured.flops = known_amount(plan.flops);
    measured.given_peak = known_amount(plan.peak_flops_per_s);
    if (!one.has_matrix_units) measured.peak_dtype = widest_float(plan);
  }
}

}  // namespace

uint64_t CaseTiming::Ongoing::bytes() const {
  uint64_t all = 0;
  for (const auto& [name, array] : ready->inputs.arrays) all += array.bytes().size();
  for (const auto& [name, array] : results) all += array.bytes().size();
  return all;
}

void CaseTiming::begin(Ongoing& one, ReadyCase ready, Outcome& outcome) {
  one.ready.emplace(std::move(ready));
  one.results = CaseLaunch::make_results(*one.ready);
  one.doubtful = launch_.check_results(*one.ready, one.results, outcome);
}

uint64_t CaseTiming::processes_for(const TimingJob& job) const {
  const bool counts = worker_.facts().has("counters");
  if (counts || options_.in_process || job.options.profile) return 1;
  return std::max<uint64_t>(1, job.options.processes);
}

void CaseTiming::time_by_turns(std::vector<Ongoing>& group, const DoSteps& do_steps) {
  uint64_t most = 0;
  for (const Ongoing& one : group) most = std::max(most, processes_for(one.job));
  if (most > 1) start_further(most - 1);
  std::vector<size_t> order(group.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (uint64_t process = 0; process < most; ++process) {
    std::shuffle(order.begin(), order.end(), order_);
    for (const size_t i : order) {
      Ongoing& one = group[i];
      const bool goes_on = one.job.outcome.verdict == Verdict::passed;
      if (goes_on && process < processes_for(one.job)) {
        take_turn(one, process, group.size() > 1, do_steps);
      }
    }
  }
  for (Ongoing& one : group) {
    if (one.job.outcome.verdict == Verdict::passed) {
      add_costs(one);
    } else {
      one.job.processes.clear();
    }
  }
}

void CaseTiming::take_turn(Ongoing& one, uint64_t process, bool others_came_between,
                           const DoSteps& do_steps) {
  // Once, not at each attempt: it is what counts them.
  if (process > 0) further_[process - 1]->dialogue.begin_case();
  Outcome more = do_steps(*one.job.which, [&](Outcome& outcome) {
    if (process == 0) return time_and_verify(one, others_came_between, outcome);
    TimingWorker& worker = *further_[process - 1];
    worker.link.greet();
    worker.units.prepare(*one.job.which, *one.job.planned, true, nullptr, outcome);
    time(one, worker.dialogue, outcome);
    worker.link.case_was_run();
  });
  Outcome& outcome = one.job.outcome;
  const double seconds = outcome.seconds + more.seconds;
  if (more.verdict != Verdict::passed) outcome = std::move(more);
  outcome.seconds = seconds;
  if (process > 0 && outcome.verdict == Verdict::failed) {
    outcome.message = fmt::format("in process {} of {}: {}", process + 1, processes_for(one.job),
                                  outcome.message);
  }
}

// All of them before the first is greeted, so that their devices start at the same time.
void CaseTiming::start_further(uint64_t count) {
  if (further_.size() >= count) return;
  further_are_there_ = false;
  while (further_.size() < count) further_.push_back(std::make_unique<TimingWorker>(options_));
  further_are_there_ = true;
  if (worker_.interrupted()) interrupt();
}

void CaseTiming::interrupt() noexcept {
  if (!further_are_there_) return;
  for (const std::unique_ptr<TimingWorker>& one : further_) one->link.interrupt();
}

// What was right before may not be after: of a module's variables, say. So nothing is loaded
// between the last timed run and the one that is looked at.
void CaseTiming::time_and_verify(Ongoing& one, bool others_came_between, Outcome& outcome) {
  // A worker that something else ended is replaced, and knows nothing of the case.
  if (others_came_between || !worker_.runs()) {
    worker_.greet();
    units_.prepare(*one.job.which, *one.job.planned, true, nullptr, outcome);
  }
  time(one, dialogue_, outcome);
  const ReadyCase& ready = *one.ready;
  const Results& results = one.results;
  const Results again = CaseLaunch::make_results(ready);
  bool look = one.doubtful;
  // Right results that hold no poison need no second look at the reference if the same bytes come
  // over that poison once more.
  if (!look) {
    launch_.launch(ready, again, kFirstPoison, outcome, CaseLaunch::Begin::as_it_is);
    look = !std::all_of(again.begin(), again.end(), [&](const auto& result) {
      const Array& other = results.at(result.first);
      return std::equal(other.bytes().begin(), other.bytes().end(), result.second.bytes().begin());
    });
  }
  if (look) launch_.check_results(ready, again, outcome, CaseLaunch::Begin::as_it_is);
  if (outcome.verdict != Verdict::passed) {
    outcome.message = "it was right before it was timed, and is not after: " + outcome.message;
  }
}

// Where its kernels are loaded.
void CaseTiming::time(Ongoing& one, CaseDialogue& dialogue, Outcome& outcome) {
  const ReadyCase& ready = *one.ready;
  TimingOptions options = share_of(one.job.options, processes_for(one.job));
  // What one mode does to caches and clocks falls on all others in turn.
  std::shuffle(options.modes.begin(), options.modes.end(), order_);
  const Plan& plan = ready.planned.plan;
  protocol::Time request{launch_.run_with_limits(ready), std::to_integer<uint8_t>(kFirstPoison),
                         options, plan.restore};
  protocol::Reply reply =
      dialogue.ask(protocol::to_json(request), descriptors(request.run, ready), outcome,
                   plan.limits.timeout_s, options.budget_s, launch_.keeps_limits());
  if (const auto* failure = std::get_if<protocol::Failure>(&reply)) {
    dialogue.end_spoilt_worker(*failure);
    judge_fault(ready.planned, *failure, outcome);
    throw CaseEnded{};
  }
  if (!std::holds_alternative<protocol::Timed>(reply)) dialogue.end_garbled(outcome);
  auto& timed = std::get<protocol::Timed>(reply);
  end_misfit(ready.planned, timed.misfit, outcome);
  std::vector<TimedSeries>& series = timed.measurement.series;
  const std::vector<TimingMode>& modes = one.job.options.modes;
  const auto place = [&](const TimedSeries& of) {
    return std::find(modes.begin(), modes.end(), of.mode) - modes.begin();
  };
  std::sort(series.begin(), series.end(),
            [&](const auto& left, const auto& right) { return place(left) < place(right); });
  one.job.processes.push_back(std::move(timed.measurement));
}

}  // namespace warpmark
