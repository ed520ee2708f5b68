#include "runtime/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "compiler/ptx_contents.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/case_dialogue.hpp"
#include "runtime/case_fit.hpp"
#include "runtime/case_launch.hpp"
#include "runtime/case_units.hpp"
#include "runtime/composites.hpp"
#include "runtime/inputs.hpp"
#include "runtime/judge.hpp"
#include "runtime/requests.hpp"
#include "runtime/worker_link.hpp"
#include "worker/confined_start.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

const std::vector<std::string>& known_checks() {
  static const std::vector<std::string> kKnown = {
      "memory",
#define CHECK(name, kind, word, places) #name,
#include "warpmark/checks.def"
  };
  return kKnown;
}

class Session::State {
 public:
  State(Interpreter& python, SessionOptions options)
      : python_(python),
        options_(std::move(options)),
        worker_(options_,
                options_.confinement ? std::optional(WorkerLink::Role::run) : std::nullopt),
        dialogue_(worker_, options_),
        launch_(python_, options_, worker_, dialogue_),
        units_(options_, worker_, dialogue_) {
    python_.begin_importing_numpy();
  }

  const DeviceFacts& require() {
    if (!ready_) {
      worker_.greet();
      facts_ = worker_.facts();
      units_.add_facts(facts_);
      python_.require_numpy();
      ready_ = true;
    }
    return facts_;
  }

  Outcome verify(const Case& which, const PlannedCase& planned, Trial trial,
                 CaseArtifacts* artifacts) {
    artifacts_ = artifacts;
    Outcome outcome = outcome_of(which, [&](Outcome& into) { run(which, planned, trial, into); });
    artifacts_ = nullptr;
    return outcome;
  }

  Outcome compile(const Case& which, const PlannedCase& planned, CaseArtifacts& artifacts) {
    artifacts_ = &artifacts;
    Outcome outcome = outcome_of(which, [&](Outcome& into) {
      worker_.greet();
      units_.prepare(which, planned, false, artifacts_, into);
    });
    artifacts_ = nullptr;
    return outcome;
  }

  Outcome examine(const Case& which, const PlannedCase& planned, const LookAtCase& look) {
    return outcome_of(which, [&](Outcome& outcome) { examine(which, planned, look, outcome); });
  }

  size_t measure(std::span<TimingJob> jobs) {
    std::vector<Ongoing> group;
    size_t taken = 0;
    uint64_t bytes = 0;
    if (!interrupted()) require();
    // Of one process nothing takes turns, and each case is reported as it ends.
    const size_t most = processes_for(jobs.front()) == 1 ? 1 : kMostTogether;
    for (; taken < jobs.size() && taken < most && bytes < kMostBytes; ++taken) {
      Ongoing one{jobs[taken]};
      CaseArtifacts made;
      // Only flops on a device that is timed ask for the PTX.
      if (one.job.planned->plan.flops && !facts_.has("counters")) artifacts_ = &made;
      one.job.outcome =
          outcome_of(*one.job.which, [&](Outcome& outcome) { begin_timing(one, outcome); });
      artifacts_ = nullptr;
      for (const UnitArtifacts& unit : made.units)
        one.has_matrix_units = one.has_matrix_units || has_matrix_instructions(unit.ptx);
      if (one.job.outcome.verdict != Verdict::passed) continue;
      bytes += one.bytes();
      group.push_back(std::move(one));
    }
    time_by_turns(group);
    for (Ongoing& one : group) {
      if (one.job.outcome.verdict == Verdict::passed)
        add_costs(one);
      else
        one.job.processes.clear();
    }
    return taken;
  }

  const std::optional<Ceilings>& ceilings() {
    if (!ceilings_are_known_) {
      require();
      worker_.greet();
      auto reply =
          worker_.ask(protocol::to_json(protocol::Calibrate{}), {}, options_.start_timeout_s);
      worker_.case_was_run();
      const auto* calibrated = std::get_if<protocol::Reply>(&reply);
      if (calibrated == nullptr) {
        throw environment_error("the worker gave no answer while the device's rates were measured");
      }
      if (const auto* failure = std::get_if<protocol::Failure>(calibrated)) {
        if (failure->sticky) worker_.end();
        throw environment_error("the device's rates cannot be measured: " + failure->message,
                                failure->hint);
      }
      ceilings_ = std::get<protocol::Calibrated>(*calibrated).ceilings;
      ceilings_are_known_ = true;
    }
    return ceilings_;
  }

  void interrupt() noexcept {
    worker_.interrupt();
    units_.interrupt();
    if (!further_are_there_) return;
    for (const std::unique_ptr<TimingWorker>& one : further_) one->link.interrupt();
  }
  bool interrupted() const noexcept { return worker_.interrupted(); }

 private:
  template <typename Steps>
  Outcome outcome_of(const Case& which, const Steps& steps) {
    const auto start = Clock::now();
    Outcome outcome;
    outcome.suite = which.suite->name;
    outcome.case_id = which.id;
    try {
      if (interrupted()) end_interrupted(outcome);
      require();
      dialogue_.begin_case();
      for (bool done = false; !done;) {
        try {
          steps(outcome);
          done = true;
        } catch (const SpoiltWorker&) {
          // Again on a fresh one, which throws no more than one of these for each reason.
          outcome = Outcome{};
          outcome.suite = which.suite->name;
          outcome.case_id = which.id;
        }
      }
    } catch (const CaseEnded&) {
    } catch (const Error&) {
      // An interrupt also ends the wait for a worker that is being replaced.
      if (!interrupted()) throw;
      outcome.verdict = Verdict::interrupted;
      outcome.reason = "interrupted";
    }
    worker_.case_was_run();
    outcome.seconds = seconds_since(start);
    return outcome;
  }

  Facts facts_for(const Plan& plan, const CaseInputs& inputs) const {
    Facts facts;
    facts.device = worker_.facts().attributes;
    for (const Buffer& buffer : plan.buffers) {
      ArrayFacts array{{}, inputs.dtypes.at(buffer.name)};
      const auto found = inputs.arrays.find(buffer.name);
      if (found != inputs.arrays.end()) array.shape = found->second.shape();
      facts.arrays.emplace(buffer.name, std::move(array));
    }
    return facts;
  }

  ArgumentTypes types_of(const PlannedCase& planned, const std::vector<Entry>& kernels,
                         Outcome& outcome) {
    try {
      return argument_types(planned, kernels);
    } catch (const Error& error) {
      end_unready(outcome, FailureKind::signature, error);
    }
  }

  // Fails what no CUDA device can launch, whatever this one is: as far as the plan shows, without
  // kernels, and then with what the compiler made of them.
  void check_launches(const PlannedCase& planned, const std::vector<Entry>& kernels,
                      Outcome& outcome) const {
    std::vector<KernelBounds> bounds;
    bounds.reserve(kernels.size());
    for (const Entry& kernel : kernels) bounds.push_back(kernel.bounds);
    try {
      warpmark::check_launches(planned.plan, planned.positions, bounds,
                               worker_.facts().architecture);
    } catch (const Error& error) {
      end_unready(outcome, FailureKind::launch, error);
    }
  }

  ReadyCase make_ready(const Case& which, const PlannedCase& planned,
                       const std::vector<Entry>& kernels, Trial trial, Outcome& outcome) {
    const ArgumentTypes types = types_of(planned, kernels, outcome);
    check_launches(planned, kernels, outcome);
    ReadyCase ready{planned, {}, trial.guards_front};
    try {
      const GeneratorKey key{trial.seed.value_or(options_.seed), which.suite->name, which.id, "",
                             trial.index};
      ready.inputs = evaluate_inputs(python_, planned, types, key);
      ready.planned.plan =
          resolve(planned.plan, facts_for(planned.plan, ready.inputs), planned.positions);
      for (Buffer& buffer : ready.planned.plan.buffers) {
        buffer.dtype = ready.inputs.dtypes.at(buffer.name);
      }
      add_integers(ready.planned, ready.inputs);
    } catch (const NoMemoryError& error) {
      end_skipped(
          outcome,
          fmt::format("{}; this machine has {}", error.message(), format_bytes(machine_memory())),
          error.where());
    } catch (const Error& error) {
      end_unready(outcome, FailureKind::input, error);
    }
    for (const PlannedSkip& rule : ready.planned.plan.skip) {
      if (std::get<bool>(rule.when)) end_skipped(outcome, rule.reason);
    }
    check_launches(ready.planned, kernels, outcome);
    check_memory(ready.planned, ready.inputs, worker_.facts(), artifacts_, outcome);
    return ready;
  }

  void examine(const Case& which, const PlannedCase& planned, const LookAtCase& look,
               Outcome& outcome) {
    worker_.greet();
    check_launches(planned, {}, outcome);
    const std::vector<Entry> kernels = units_.prepare(which, planned, false, artifacts_, outcome);
    if (!look) {
      types_of(planned, kernels, outcome);
      check_launches(planned, kernels, outcome);
      return;
    }
    try {
      uint64_t trial = 0;
      // The arrays of one trial go before those of the next are made.
      while (look(make_ready(which, planned, kernels, trial, outcome))) {
        if (interrupted()) end_interrupted(outcome);
        ++trial;
      }
    } catch (const Error& error) {
      if (error.code() != ExitCode::verdict) throw;
      fail(outcome, FailureKind::reference, error);
    }
  }

  // What comes before the first launch.
  ReadyCase load(const Case& which, const PlannedCase& planned, Trial trial, Outcome& outcome) {
    worker_.greet();
    check_launches(planned, {}, outcome);
    check_requirements(planned, worker_.facts(), outcome);
    const std::vector<Entry> kernels = units_.prepare(which, planned, true, artifacts_, outcome);
    return make_ready(which, planned, kernels, trial, outcome);
  }

  void run(const Case& which, const PlannedCase& planned, Trial trial, Outcome& outcome) {
    const ReadyCase ready = load(which, planned, trial, outcome);
    const Results results = CaseLaunch::make_results(ready);
    if (artifacts_ != nullptr) {
      artifacts_->inputs = ready.inputs;
      artifacts_->results = results;
    }
    if (options_.sanitizer) {
      launch_.check_sanitized(ready, results, outcome);
    } else {
      launch_.check_results(ready, results, outcome);
    }
    if (outcome.verdict == Verdict::passed && ready.planned.plan.composites.any()) {
      check_composites(which, ready, trial, outcome);
    }
  }

  // Runs what the composites hold the kernel against, once its own results are right.
  void check_composites(const Case& which, const ReadyCase& ready, Trial trial, Outcome& outcome) {
    const PlannedCase& planned = ready.planned;
    CompositeRuns runs;
    runs.own = sum_counters(launch_.counters());
    runs.baseline = runs.own;
    if (planned.baseline) {
      run_companion(which, *planned.baseline, trial, outcome, FailureKind::reference,
                    "the baseline fails: ");
      runs.baseline = sum_counters(launch_.counters());
      runs.compared = true;
    }
    if (planned.smaller) {
      const Plan plan = run_companion(which, *planned.smaller, trial, outcome, std::nullopt,
                                      planned.smaller->plan.case_id + ": ");
      try {
        check_work(planned.plan, plan, planned.positions);
      } catch (const Error& error) {
        end_unready(outcome, FailureKind::input, error);
      }
      runs.smaller = sum_counters(launch_.counters());
      runs.smaller_work = plan.composites.work_efficient;
    }
    const std::vector<std::string> broken = broken_composites(planned.plan.composites, runs);
    if (broken.empty()) return;
    fail(outcome, FailureKind::counter,
         verdict_error(join(broken, "\n"), planned.positions.find("/expect")));
  }

  // Verifies another plan for the same case, and gives it back resolved. Its failure is the case's,
  // as `blamed` if that is given; what it ends in well leaves no trace in the outcome.
  Plan run_companion(const Case& which, const PlannedCase& planned, Trial trial, Outcome& outcome,
                     std::optional<FailureKind> blamed, const std::string& prefix) {
    Outcome own;
    Plan plan;
    CaseArtifacts* const artifacts = std::exchange(artifacts_, nullptr);  // the case's own
    try {
      const ReadyCase ready = load(which, planned, trial, own);
      plan = ready.planned.plan;
      launch_.check_results(ready, CaseLaunch::make_results(ready), own);
    } catch (const CaseEnded&) {
    }
    artifacts_ = artifacts;
    if (own.verdict == Verdict::passed) return plan;
    if (own.verdict == Verdict::skipped && blamed) {
      // What is measured against must run wherever the case does.
      const std::string why = own.reason;
      fail(own, *blamed,
           verdict_error(prefix + "it cannot run: " + why, planned.positions.find("/kernel")));
    } else {
      own.reason = prefix + own.reason;
      if (!own.message.empty()) own.message = prefix + own.message;
    }
    if (own.verdict == Verdict::failed && blamed) own.failure = *blamed;
    own.suite = outcome.suite;
    own.case_id = outcome.case_id;
    own.outputs.clear();  // of other shapes than the case's
    own.counters = outcome.counters;
    outcome = std::move(own);
    throw CaseEnded{};
  }

  /// A case that is being timed: right so far, with what it takes to say so once more.
  struct Ongoing {
    TimingJob& job;
    std::optional<ReadyCase> ready = {};
    Results results = {};
    bool doubtful = false;  ///< the results hold poison
    bool has_matrix_units =
        false;  ///< its kernels use them, so that no plain core's rate is theirs

    uint64_t bytes() const {
      uint64_t all = 0;
      for (const auto& [name, array] : ready->inputs.arrays) all += array.bytes().size();
      for (const auto& [name, array] : results) all += array.bytes().size();
      return all;
    }
  };
  /// Another process that times, and what asks it.
  struct TimingWorker {
    explicit TimingWorker(const SessionOptions& options)
        : link(options), dialogue(link, options), units(options, link, dialogue) {}
    WorkerLink link;
    CaseDialogue dialogue;
    CaseUnits units;
  };
  // Cases whose arrays are kept at a time, so that their turns lie apart.
  static constexpr size_t kMostTogether = 24;
  static constexpr uint64_t kMostBytes = uint64_t{1} << 30;

  void begin_timing(Ongoing& one, Outcome& outcome) {
    one.ready.emplace(load(*one.job.which, *one.job.planned, 0, outcome));
    one.results = CaseLaunch::make_results(*one.ready);
    one.doubtful = launch_.check_results(*one.ready, one.results, outcome);
  }

  // Does more with a case that has passed: it goes on passing, or ends as `steps` says.
  template <typename Steps>
  void go_on(Ongoing& one, const Steps& steps) {
    Outcome more = outcome_of(*one.job.which, steps);
    const double seconds = one.job.outcome.seconds + more.seconds;
    if (more.verdict != Verdict::passed) one.job.outcome = std::move(more);
    one.job.outcome.seconds = seconds;
  }

  // Whose plain cores the flops of a case may be held against; "" without floating arrays.
  static std::string widest_float(const Plan& plan) {
    std::optional<DType> widest;
    for (const Buffer& buffer : plan.buffers) {
      const std::optional<DType> dtype = buffer.dtype;
      if (!dtype || dtype->kind != DTypeKind::floating) continue;
      if (!widest || dtype->bytes > widest->bytes) widest = dtype;
    }
    return widest ? std::string(widest->name) : "";
  }

  uint64_t processes_for(const TimingJob& job) const {
    const bool counts = worker_.facts().has("counters");
    if (counts || options_.in_process || job.options.profile) return 1;
    return std::max<uint64_t>(1, job.options.processes);
  }

  // Each process times all cases, in an order of its own: what lasts for a while, or for a process,
  // falls on none of them alone.
  void time_by_turns(std::vector<Ongoing>& group) {
    uint64_t most = 0;
    for (const Ongoing& one : group) most = std::max(most, processes_for(one.job));
    if (most > 1) start_further(most - 1);
    std::vector<size_t> order(group.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (uint64_t process = 0; process < most; ++process) {
      std::shuffle(order.begin(), order.end(), order_);
      for (const size_t i : order) {
        Ongoing& one = group[i];
        if (one.job.outcome.verdict != Verdict::passed || process >= processes_for(one.job))
          continue;
        // Once, not at each attempt: it is what counts them.
        if (process > 0) further_[process - 1]->dialogue.begin_case();
        go_on(one, [&](Outcome& outcome) {
          if (process == 0) return time_and_verify(one, group.size() > 1, outcome);
          TimingWorker& worker = *further_[process - 1];
          worker.link.greet();
          worker.units.prepare(*one.job.which, *one.job.planned, true, nullptr, outcome);
          time(one, worker.dialogue, outcome);
          worker.link.case_was_run();
        });
        Outcome& outcome = one.job.outcome;
        if (process > 0 && outcome.verdict == Verdict::failed)
          outcome.message = fmt::format("in process {} of {}: {}", process + 1,
                                        processes_for(one.job), outcome.message);
      }
    }
  }

  // All of them before the first is greeted, so that their devices start at the same time.
  void start_further(uint64_t count) {
    if (further_.size() >= count) return;
    further_are_there_ = false;
    while (further_.size() < count) further_.push_back(std::make_unique<TimingWorker>(options_));
    further_are_there_ = true;
    if (worker_.interrupted()) interrupt();
  }

  // What was right before may not be after: of a module's variables, say. So nothing is loaded
  // between the last timed run and the one that is looked at.
  void time_and_verify(Ongoing& one, bool others_came_between, Outcome& outcome) {
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
      launch_.launch(ready, again, kFirstPoison, outcome);
      look = !std::all_of(again.begin(), again.end(), [&](const auto& result) {
        const Array& other = results.at(result.first);
        return std::equal(other.bytes().begin(), other.bytes().end(),
                          result.second.bytes().begin());
      });
    }
    if (look) launch_.check_results(ready, again, outcome);
    if (outcome.verdict != Verdict::passed) {
      outcome.message = "it was right before it was timed, and is not after: " + outcome.message;
    }
  }

  static void add_costs(Ongoing& one) {
    const Plan& plan = one.ready->planned.plan;
    for (Measurement& measured : one.job.processes) {
      measured.bytes = known_amount(plan.bytes);
      measured.flops = known_amount(plan.flops);
      measured.given_peak = known_amount(plan.peak_flops_per_s);
      if (!one.has_matrix_units) measured.peak_dtype = widest_float(plan);
    }
  }

  // Where its kernels are loaded.
  void time(Ongoing& one, CaseDialogue& dialogue, Outcome& outcome) {
    const ReadyCase& ready = *one.ready;
    TimingOptions options = share_of(one.job.options, processes_for(one.job));
    // What one mode does to caches and clocks falls on all others in turn.
    std::shuffle(options.modes.begin(), options.modes.end(), order_);
    const Plan& plan = ready.planned.plan;
    protocol::Time request{launch_.run_with_limits(ready), std::to_integer<uint8_t>(kFirstPoison),
                           options, plan.restore};
    protocol::Reply reply =
        dialogue.ask(protocol::to_json(request), descriptors(request.run, ready.inputs), outcome,
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

  Interpreter& python_;
  SessionOptions options_;
  WorkerLink worker_;
  CaseDialogue dialogue_;
  CaseLaunch launch_;
  CaseUnits units_;
  std::vector<std::unique_ptr<TimingWorker>> further_;  ///< started when first needed
  std::atomic<bool> further_are_there_ = false;         ///< for a signal's handler
  std::mt19937_64 order_{options_.seed};                ///< in which processes time cases
  DeviceFacts facts_;
  bool ready_ = false;
  bool ceilings_are_known_ = false;
  std::optional<Ceilings> ceilings_;
  CaseArtifacts* artifacts_ = nullptr;  ///< of the case that runs, if they are wanted
};

Session::Session(Interpreter& python, SessionOptions options)
    : state_(std::make_unique<State>(python, std::move(options))) {}
Session::~Session() = default;

const DeviceFacts& Session::require() {
  return state_->require();
}

Outcome Session::verify(const Case& which, const PlannedCase& planned, Trial trial,
                        CaseArtifacts* artifacts) {
  return state_->verify(which, planned, trial, artifacts);
}

Outcome Session::compile(const Case& which, const PlannedCase& planned, CaseArtifacts& artifacts) {
  return state_->compile(which, planned, artifacts);
}

Outcome Session::examine(const Case& which, const PlannedCase& planned, const LookAtCase& look) {
  return state_->examine(which, planned, look);
}

size_t Session::measure(std::span<TimingJob> jobs) {
  return state_->measure(jobs);
}

const std::optional<Ceilings>& Session::ceilings() {
  return state_->ceilings();
}

void Session::interrupt() noexcept {
  state_->interrupt();
}

bool Session::interrupted() const noexcept {
  return state_->interrupted();
}

}  // namespace warpmark
