#include "runtime/case_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "base/clock.hpp"
#include "base/dtype.hpp"
#include "base/turns.hpp"
#include "runtime/case_fit.hpp"
#include "runtime/judge.hpp"
#include "runtime/replayed_time.hpp"
#include "runtime/requests.hpp"
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

// How often a process loads what takes turns: where modules lie changes times by some percent, and
// another order puts them elsewhere.
constexpr uint64_t kLoadings = 2;

// Joins the measurements of two loadings in one process.
void add_loading(Measurement& all, Measurement more) {
  const auto add = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (TimedSeries& series : more.series) {
    const auto same = std::ranges::find(all.series, series.mode, &TimedSeries::mode);
    if (same == all.series.end()) {
      all.series.push_back(std::move(series));
      continue;
    }
    add(same->seconds, series.seconds);
    add(same->empty_seconds, series.empty_seconds);
    add(same->single_seconds, series.single_seconds);
    same->stop = std::max(same->stop, series.stop);
    same->latency_hidden = same->latency_hidden && series.latency_hidden;
    same->late += series.late;
  }
  all.after = more.after;
  all.seconds += more.seconds;
  add(all.honest.last_s, more.honest.last_s);
  all.outputs_differ = all.outputs_differ || more.outputs_differ;
}

// True for buffers that may be the same memory: alike in all that a run makes of them.
bool are_alike(const protocol::BufferBytes& one, const protocol::BufferBytes& other) {
  const auto is_plain = [](const protocol::BufferBytes& buffer) {
    return buffer.symbol.empty() && buffer.holder.empty() && buffer.pointers.empty() &&
           !buffer.image && !buffer.partition;
  };
  return is_plain(one) && is_plain(other) && one.bytes == other.bytes &&
         one.has_initial == other.has_initial && one.inout == other.inout &&
         one.lead == other.lead && one.row == other.row && one.pitch == other.pitch;
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
  return (other ? 2 * all : all) + (against ? against->bytes() : 0);
}

CaseTiming::~CaseTiming() {
  for (const std::unique_ptr<TimingWorker>& one : further_) one->link.close();
}

void CaseTiming::start_ahead(uint64_t processes) {
  if (processes > 1 && !options_.in_process) start_further(processes - 1);
}

void CaseTiming::end_further() {
  further_are_there_ = false;
  further_.clear();
}

void CaseTiming::greet_further() {
  for (const std::unique_ptr<TimingWorker>& one : further_) one->link.greet();
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
        // Its baseline was loaded after it, even one that is not right.
        const bool others_came_between = group.size() > 1 || one.job.baseline != nullptr;
        if (goes_on && process < processes_for(one.job))
          take_turn(one, process, others_came_between, do_steps);
        return true;
      });
  const auto finish = [](Ongoing& one) {
    if (one.job.outcome.verdict == Verdict::passed) refuse_replayed(one);
    if (one.job.outcome.verdict == Verdict::passed) {
      add_costs(one);
    } else {
      one.job.processes.clear();
    }
  };
  for (Ongoing& one : group) {
    finish(one);
    if (one.against) finish(*one.against);
  }
}

void CaseTiming::hold_against(Ongoing& one, Ongoing against) {
  const protocol::Run run = launch_.run_with_limits(*one.ready);
  const protocol::Run other = launch_.run_with_limits(*against.ready);
  const std::vector<BufferArrays> own = buffer_arrays(run, *one.ready);
  const std::vector<BufferArrays> others = buffer_arrays(other, *against.ready);
  for (size_t i = 0; i < other.buffers.size(); ++i) {
    const std::string& name = other.buffers[i].name;
    const auto found = std::ranges::find(run.buffers, name, &protocol::BufferBytes::name);
    if (found == run.buffers.end()) continue;
    const Array* mine = own[static_cast<size_t>(found - run.buffers.begin())].initial;
    const Array* its = others[i].initial;
    const bool same_values = (mine == nullptr) == (its == nullptr) &&
                             (mine == nullptr || std::ranges::equal(mine->bytes(), its->bytes()));
    if (!same_values) {
      one.job.outcome.notices.push_back(
          fmt::format("`{}` has other values in {}", name, one.job.baseline->name));
    } else if (are_alike(*found, other.buffers[i])) {
      one.shared.push_back(name);
    }
  }
  one.against = std::make_unique<Ongoing>(std::move(against));
}

void CaseTiming::take_turn(Ongoing& one, uint64_t process, bool others_came_between,
                           const DoSteps& do_steps) {
  // The dialogue begins the case once, not at each attempt, because it counts the attempts.
  if (process > 0) further_[process - 1]->dialogue.begin_case();
  Outcome more = do_steps(*one.job.which, [&](Outcome& outcome) {
    if (process == 0) return time_here(one, others_came_between, outcome);
    TimingWorker& worker = *further_[process - 1];
    worker.link.greet();
    prepare(one, worker.units, outcome);
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
    prepare(one, units_, outcome);
  }
  time(one, dialogue_, outcome);
}

void CaseTiming::prepare(Ongoing& one, CaseUnits& units, Outcome& outcome) {
  units.prepare(*one.job.which, *one.job.planned, CaseUnits::Purpose::time, nullptr, outcome);
  if (!one.against) return;
  TimingJob& against = one.against->job;
  try {
    Outcome ignored;  // with notices that it gave before
    units.prepare(*against.which, *against.planned, CaseUnits::Purpose::beside, nullptr, ignored);
    if (ignored.verdict != Verdict::passed) against.outcome = ignored;
  } catch (const CaseEnded&) {
    skip(against.outcome, "it cannot be loaded beside the case");
  }
  if (against.outcome.verdict != Verdict::passed) one.against.reset();
}

// Times the case in a worker with its kernels loaded.
void CaseTiming::time(Ongoing& one, CaseDialogue& dialogue, Outcome& outcome) {
  const uint64_t loadings = one.against ? kLoadings : 1;
  TimingOptions options = share_of(one.job.options, processes_for(one.job) * loadings);
  if (one.against) {  // each has the time that it would have alone
    options.budget_s *= 2;
    options.min_seconds *= 2;
  }
  // Each mode changes caches and clocks for the next, so the order is random.
  std::shuffle(options.modes.begin(), options.modes.end(), order_);
  std::vector<Measurement> all;
  std::vector<TimedRound> rounds;
  for (uint64_t loading = 0; loading < loadings; ++loading) {
    std::vector<Measurement> sides =
        time_loading(one, dialogue, options, loading % 2 == 1, outcome);
    if (outcome.verdict != Verdict::passed) return;
    if (sides.size() > 1) rounds.push_back({sides[0].series, sides[1].series});
    for (size_t i = 0; i < sides.size(); ++i) {
      if (i < all.size()) {
        add_loading(all[i], std::move(sides[i]));
      } else {
        all.push_back(std::move(sides[i]));
      }
    }
    if (!one.against) break;
  }
  one.job.processes.push_back(std::move(all[0]));
  if (!one.against) return;
  one.against->job.processes.push_back(std::move(all[1]));
  auto& known = one.job.baseline->rounds;
  known.insert(known.end(), rounds.begin(), rounds.end());
}

std::vector<Measurement> CaseTiming::time_loading(Ongoing& one, CaseDialogue& dialogue,
                                                  const TimingOptions& options, bool against_first,
                                                  Outcome& outcome) {
  const bool is_first = one.job.processes.empty();
  const auto is_small = [](const Ongoing& side) {
    return result_bytes(side.last) <= kMostJudgedBytes;
  };
  // Large results are fetched once, or not at all if the device says that they are the checked ones.
  for (Ongoing* side : {&one, one.against.get()}) {
    if (side == nullptr) continue;
    side->fetches = is_small(*side) || (is_first && (!side->on_device.digest || side->other));
  }
  const auto must_fetch = [&](const Ongoing& side, const Measurement& measured) {
    const bool is_other = measured.digest != side.on_device.digest || measured.inputs_differ;
    return !side.fetches && (is_other || (is_first && measured.outputs_differ));
  };
  std::vector<Measurement> sides = ask(one, dialogue, options, against_first, outcome);
  const bool own_again = must_fetch(one, sides[0]);
  const bool against_again = one.against && must_fetch(*one.against, sides[1]);
  if (own_again || against_again) {
    // The timed run must be the judged one: so it is timed again.
    one.fetches = one.fetches || own_again;
    if (one.against) one.against->fetches = one.against->fetches || against_again;
    sides = ask(one, dialogue, options, against_first, outcome);
  }
  judge_sides(one, outcome);
  TimingOptions once = options;
  once.modes.clear();
  const bool is_unsteady =
      is_first && is_small(one) && std::ranges::any_of(sides, &Measurement::outputs_differ);
  const int rounds = is_unsteady ? kFurtherRounds : 0;
  for (int round = 0; round < rounds && outcome.verdict == Verdict::passed; ++round) {
    ask(one, dialogue, once, against_first, outcome);
    judge_sides(one, outcome);
  }
  if (one.fetches) one.on_device.digest = sides[0].digest;
  if (one.against && one.against->fetches) one.against->on_device.digest = sides[1].digest;
  return sides;
}

protocol::TimedSide CaseTiming::side_of(Ongoing& one, std::vector<int>& fds,
                                        const Ongoing* sharer) const {
  const ReadyCase& ready = *one.ready;
  protocol::TimedSide side{launch_.run_with_limits(ready), ready.planned.plan.restore};
  side.fetch = one.fetches;
  side.copies = one.on_device.copies;
  for (const auto& placed : ready.placed) placed.second.spread(kFirstPoison);
  std::vector<BufferArrays> arrays = buffer_arrays(side.run, ready, &one.last);
  if (sharer != nullptr) {
    const protocol::Run run = launch_.run_with_limits(*sharer->ready);
    const std::vector<BufferArrays> others = buffer_arrays(run, *sharer->ready);
    // One value under one descriptor, of which a worker keeps one copy.
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (std::ranges::count(sharer->shared, side.run.buffers[i].name) == 0) continue;
      const auto same =
          std::ranges::find(run.buffers, side.run.buffers[i].name, &protocol::BufferBytes::name);
      arrays[i].initial = others[static_cast<size_t>(same - run.buffers.begin())].initial;
    }
  }
  const auto add = [&fds](const std::vector<int>& more) {
    fds.insert(fds.end(), more.begin(), more.end());
  };
  add(descriptors(side.run, arrays));
  if (one.other) {
    side.other = launch_.run_with_limits(*one.other);
    add(descriptors(*side.other, buffer_arrays(*side.other, *one.other, &one.other_last)));
  }
  return side;
}

// The measurements of the case and of what takes turns with it. If there is no room for both, the
// case is timed alone.
std::vector<Measurement> CaseTiming::ask(Ongoing& one, CaseDialogue& dialogue,
                                         const TimingOptions& options, bool against_first,
                                         Outcome& outcome) {
  const ReadyCase& ready = *one.ready;
  const Plan& plan = ready.planned.plan;
  std::vector<int> fds;
  protocol::Time request{side_of(one, fds, nullptr), std::to_integer<uint8_t>(kFirstPoison),
                         options};
  if (one.against) {
    request.against = side_of(*one.against, fds, &one);
    request.shared = one.shared;
    request.loads_against_first = against_first;
  }
  // Some runs come before and after those of the budget; each takes at most as long as the first.
  const double first_s =
      one.job.outcome.seconds + (one.against ? one.against->job.outcome.seconds : 0);
  protocol::Reply reply =
      dialogue.ask(protocol::to_json(request), fds, outcome, plan.limits.timeout_s,
                   options.budget_s + 8 * first_s, launch_.keeps_limits());
  if (const auto* failure = std::get_if<protocol::Failure>(&reply)) {
    dialogue.end_spoilt_worker(*failure);
    judge_fault(ready.planned, *failure, outcome);
    if (one.against && outcome.verdict == Verdict::failed)
      outcome.message =
          "while it took turns with " + one.job.baseline->name + ": " + outcome.message;
    throw CaseEnded{};
  }
  if (!std::holds_alternative<protocol::Timed>(reply)) dialogue.end_garbled(outcome);
  auto& timed = std::get<protocol::Timed>(reply);
  if (one.against && !timed.misfit.text.empty()) {
    skip(one.against->job.outcome, timed.misfit.text);
    one.against.reset();
    return ask(one, dialogue, options, against_first, outcome);
  }
  end_misfit(ready.planned, timed.misfit, outcome);
  if (one.against && !timed.against) dialogue.end_garbled(outcome);
  std::vector<Measurement> sides;
  sides.push_back(std::move(timed.measurement));
  if (one.against) sides.push_back(std::move(*timed.against));
  const std::vector<TimingMode>& modes = one.job.options.modes;
  const auto place = [&](const TimedSeries& of) {
    return std::ranges::find(modes, of.mode) - modes.begin();
  };
  for (Measurement& side : sides) {
    std::ranges::sort(side.series, [&](const auto& left, const auto& right) {
      return place(left) < place(right);
    });
  }
  return sides;
}

// Judges what a timed run left of either side; the case goes on without the other if only that is
// wrong.
void CaseTiming::judge_sides(Ongoing& one, Outcome& outcome) {
  if (one.fetches) judge_left(one, outcome);
  if (!one.against || !one.against->fetches) return;
  Outcome& its = one.against->job.outcome;
  judge_left(*one.against, its);
  if (its.verdict != Verdict::passed) one.against.reset();
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
