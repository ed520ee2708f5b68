#include "runtime/case_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "base/clock.hpp"
#include "base/dtype.hpp"
#include "runtime/case_fit.hpp"
#include "runtime/judge.hpp"
#include "runtime/replayed_time.hpp"
#include "runtime/requests.hpp"
#include "runtime/turns.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

namespace {

// The widest float type, for the plain cores whose peak the flops of a case may be compared with;
// "" without floating arrays.
std::string widest_float(const Plan& plan) {
  std::optional<DType> widest;
  for (const Buffer& buffer : plan.buffers) {
    const std::optional<DType> dtype = buffer.dtype;
    if (!dtype || dtype->kind != DTypeKind::floating) continue;
    if (!widest || dtype->bytes > widest->bytes) widest = dtype;
  }
  return widest ? std::string(widest->name) : "";
}

// The longest first verdict, in seconds, after which the same is done once more with other inputs:
// a measurement takes about ten times as long.
constexpr double kMostForOther = 0.15;
// The number of additional rounds if outputs differ from run to run, each of which is judged; and
// the bytes of results up to which this is done, and up to which every process hands over its own
// results.
constexpr int kFurtherRounds = 4;
constexpr uint64_t kMostJudgedBytes = uint64_t{64} << 20;

bool has_other_inputs(const ReadyCase& one, const ReadyCase& other) {
  return !std::ranges::all_of(one.inputs.arrays, [&](const auto& array) {
    const auto found = other.inputs.arrays.find(array.first);
    return found != other.inputs.arrays.end() &&
           std::ranges::equal(array.second.bytes(), found->second.bytes());
  });
}

void refuse_replayed(CaseTiming::Ongoing& one) {
  const auto found = replayed_time(one.job.processes);
  if (!found) return;
  const PlannedCase& planned = one.ready->planned;
  const bool restores = planned.plan.restore == Restore::each ||
                        std::ranges::none_of(planned.plan.buffers, [](const Buffer& buffer) {
                          return buffer.direction == ArgumentKind::inout;
                        });
  fail(one.job.outcome, FailureKind::replayed,
       verdict_error(replayed_text(*found, restores), planned.positions.find("/kernel")));
}

uint64_t result_bytes(const Results& results) {
  uint64_t all = 0;
  for (const auto& [name, array] : results) all += array.bytes().size();
  return all;
}

void add_costs(CaseTiming::Ongoing& one) {
  const Plan& plan = one.ready->planned.plan;
  for (Measurement& measured : one.job.processes) {
    measured.bytes = known_amount(plan.bytes);
    measured.flops = known_amount(plan.flops);
    measured.given_peak = known_amount(plan.peak_flops_per_s);
    if (!one.uncounted.flops) measured.peak_dtype = widest_float(plan);
    for (std::string& missing : missing_work(measured, one.uncounted))
      one.job.outcome.notices.push_back(std::move(missing));
  }
}

}  // namespace

uint64_t CaseTiming::Ongoing::bytes() const {
  uint64_t all = 0;
  for (const auto& [name, array] : ready->inputs.arrays) all += array.bytes().size();
  all += 2 * result_bytes(results);
  return other ? 2 * all : all;
}

CaseTiming::~CaseTiming() {
  for (const std::unique_ptr<TimingWorker>& one : further_) one->link.close();
}

void CaseTiming::start_for(const TimingJob& job) {
  start_further(processes_for(job) - 1);
}

void CaseTiming::begin(Ongoing& one, const LoadTrial& load, Outcome& outcome) {
  one.ready.emplace(load(0, outcome));
  const auto start = Clock::now();
  one.results = CaseLaunch::make_results(*one.ready);
  launch_.check_results(*one.ready, one.results, outcome);
  if (outcome.verdict != Verdict::passed) return;
  one.results = launch_.seen(*one.ready, one.results);
  one.on_device = launch_.on_device();
  one.last = CaseLaunch::make_results(*one.ready);
  const bool counts = worker_.facts().has("counters");
  const bool on_several = one.ready->planned.plan.devices.has_value();
  if (!counts && !on_several && !one.job.options.profile &&
      one.ready->inputs_s + seconds_since(start) < kMostForOther)
    add_other(one, load);
}

// A case that cannot be made ready with other inputs gets no verdict from them.
void CaseTiming::add_other(Ongoing& one, const LoadTrial& load) {
  Outcome ignored;
  try {
    ReadyCase other = load(1, ignored);
    if (!has_other_inputs(other, *one.ready)) return;
    for (const auto& placed : other.placed) placed.second.spread(kFirstPoison);
    one.other.emplace(std::move(other));
    one.other_results = CaseLaunch::make_results(*one.other);
    one.other_last = CaseLaunch::make_results(*one.other);
  } catch (const CaseEnded&) {
  }
}

uint64_t CaseTiming::processes_for(const TimingJob& job) const {
  const bool counts = worker_.facts().has("counters");
  if (counts || options_.in_process || job.options.profile) return 1;
  return std::max<uint64_t>(1, job.options.processes);
}

void CaseTiming::time_by_turns(std::vector<Ongoing>& group, const DoSteps& do_steps) {
  uint64_t most = 0;
  for (const Ongoing& one : group) most = std::max(most, processes_for(one.job));
  start_further(most == 0 ? 0 : most - 1);
  take_turns(
      most, group.size(),
      [&](std::vector<size_t>& order) { std::shuffle(order.begin(), order.end(), order_); },
      [&](uint64_t process, size_t party) {
        Ongoing& one = group[party];
        const bool goes_on = one.job.outcome.verdict == Verdict::passed;
        if (goes_on && process < processes_for(one.job))
          take_turn(one, process, group.size() > 1, do_steps);
        return true;
      });
  for (Ongoing& one : group) {
    if (one.job.outcome.verdict == Verdict::passed) refuse_replayed(one);
    if (one.job.outcome.verdict == Verdict::passed) {
      add_costs(one);
    } else {
      one.job.processes.clear();
    }
  }
}

void CaseTiming::take_turn(Ongoing& one, uint64_t process, bool others_came_between,
                           const DoSteps& do_steps) {
  // The dialogue begins the case once, not at each attempt, because it counts the attempts.
  if (process > 0) further_[process - 1]->dialogue.begin_case();
  Outcome more = do_steps(*one.job.which, [&](Outcome& outcome) {
    if (process == 0) return time_here(one, others_came_between, outcome);
    TimingWorker& worker = *further_[process - 1];
    worker.link.greet();
    worker.units.prepare(*one.job.which, *one.job.planned, CaseUnits::Purpose::time, nullptr,
                         outcome);
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

// Starts all of them before the first is greeted, so that their devices start at the same time.
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

void CaseTiming::time_here(Ongoing& one, bool others_came_between, Outcome& outcome) {
  // A worker that was ended from outside is replaced, and does not have the case.
  if (others_came_between || !worker_.runs()) {
    worker_.greet();
    units_.prepare(*one.job.which, *one.job.planned, CaseUnits::Purpose::time, nullptr, outcome);
  }
  time(one, dialogue_, outcome);
}

// Times the case in a worker with its kernels loaded.
void CaseTiming::time(Ongoing& one, CaseDialogue& dialogue, Outcome& outcome) {
  TimingOptions options = share_of(one.job.options, processes_for(one.job));
  // Each mode changes caches and clocks for the next, so the order is random.
  std::shuffle(options.modes.begin(), options.modes.end(), order_);
  const bool is_first = one.job.processes.empty();
  const bool is_small = result_bytes(one.last) <= kMostJudgedBytes;
  // Large results are fetched once, or not at all if the device says that they are the checked ones.
  bool fetches = is_small || (is_first && (!one.on_device.digest || one.other));
  Measurement measured = ask(one, dialogue, options, fetches, outcome);
  const bool is_other = measured.digest != one.on_device.digest || measured.inputs_differ;
  if (!fetches && (is_other || (is_first && measured.outputs_differ))) {
    // The timed run must be the judged one: so it is timed again.
    fetches = true;
    measured = ask(one, dialogue, options, fetches, outcome);
  }
  if (fetches) judge_left(one, outcome);
  const bool is_unsteady = measured.outputs_differ && is_first;
  options.modes.clear();
  const int rounds = is_unsteady && is_small ? kFurtherRounds : 0;
  for (int round = 0; round < rounds && outcome.verdict == Verdict::passed; ++round) {
    ask(one, dialogue, options, true, outcome);
    judge_left(one, outcome);
  }
  if (outcome.verdict != Verdict::passed) return;
  if (fetches) one.on_device.digest = measured.digest;
  one.job.processes.push_back(std::move(measured));
}

Measurement CaseTiming::ask(Ongoing& one, CaseDialogue& dialogue, const TimingOptions& options,
                            bool fetch, Outcome& outcome) {
  const ReadyCase& ready = *one.ready;
  const Plan& plan = ready.planned.plan;
  protocol::Time request{launch_.run_with_limits(ready), std::to_integer<uint8_t>(kFirstPoison),
                         options, plan.restore};
  request.fetch = fetch;
  request.copies = one.on_device.copies;
  for (const auto& placed : ready.placed) placed.second.spread(kFirstPoison);
  std::vector<int> fds = descriptors(request.run, ready, &one.last);
  if (one.other) {
    request.other = launch_.run_with_limits(*one.other);
    const std::vector<int> more = descriptors(*request.other, *one.other, &one.other_last);
    fds.insert(fds.end(), more.begin(), more.end());
  }
  // Some runs come before and after those of the budget; each takes at most as long as the first.
  const double more_s = options.budget_s + 8 * one.job.outcome.seconds;
  protocol::Reply reply = dialogue.ask(protocol::to_json(request), fds, outcome,
                                       plan.limits.timeout_s, more_s, launch_.keeps_limits());
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
  return std::move(timed.measurement);
}

// A timed run's results are right if they equal those of the first run, which were judged. Those of
// the other inputs are judged here, once.
void CaseTiming::judge_left(Ongoing& one, Outcome& outcome) {
  launch_.judge_fetched(*one.ready, one.last, &one.results, outcome);
  if (one.other && outcome.verdict == Verdict::passed) {
    const Results* right = one.other_is_right ? &one.other_results : nullptr;
    launch_.judge_fetched(*one.other, one.other_last, right, outcome);
    if (outcome.verdict == Verdict::passed && !one.other_is_right) {
      std::swap(one.other_results, one.other_last);
      one.other_is_right = true;
    }
  }
  if (outcome.verdict != Verdict::passed)
    outcome.message =
        "it was right before it was timed, and what a timed launch left is not: " + outcome.message;
}

}  // namespace warpmark
