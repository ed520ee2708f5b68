#include "runtime/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/split_mix.hpp"
#include "base/text.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/case_dialogue.hpp"
#include "runtime/case_fit.hpp"
#include "runtime/case_launch.hpp"
#include "runtime/case_timing.hpp"
#include "runtime/case_units.hpp"
#include "runtime/compiled_launch.hpp"
#include "runtime/composites.hpp"
#include "runtime/illustration.hpp"
#include "runtime/index_check.hpp"
#include "runtime/inputs_ahead.hpp"
#include "runtime/judge.hpp"
#include "runtime/rank_group.hpp"
#include "runtime/requests.hpp"
#include "runtime/step_scalars.hpp"
#include "runtime/tensor_maps.hpp"
#include "runtime/worker_link.hpp"
#include "suite/companions.hpp"
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

// Small numbers are for seeds that people choose. Seeds of trials are far apart, and those of cases
// begin with different schedules.
uint64_t Trial::first_schedule(const std::string& case_id) const {
  constexpr uint64_t kApart = 64, kStarts = 16;
  if (!seed) {
    uint64_t sum = 0;
    for (const char one : case_id) sum = sum * 31 + static_cast<unsigned char>(one);
    return 1 + index * kApart + sum % kStarts;
  }
  return 1 + (mixed_bits(*seed) >> 33) + index * kApart;
}

class Session::State {
 public:
  State(const std::function<Interpreter&()>& python, SessionOptions options)
      : options_(std::move(options)),
        worker_(options_,
                options_.confinement ? std::optional(WorkerLink::Role::run) : std::nullopt),
        python_(python()),
        dialogue_(worker_, options_),
        ranks_(options_.ranks ? std::make_unique<RankGroup>(options_, worker_) : nullptr),
        launch_(python_, options_, worker_, dialogue_, ranks_.get()),
        units_(options_, worker_, dialogue_, ranks_.get()),
        timing_(options_, worker_, dialogue_, units_, launch_) {
    python_.begin_importing_numpy();
  }

  ~State() { worker_.close(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void expect(const Case& which, std::shared_ptr<const PlannedCase> planned, uint64_t processes) {
    if (!is_for_gpu()) return;
    expected_processes_ = processes;
    inputs_ahead_.expect(which, std::move(planned), options_.seed);
  }

  const DeviceFacts& require() {
    if (!ready_) {
      if (ranks_) {
        ranks_->require([this] { return worker_.greet(); });
      } else {
        worker_.greet([this] {
          timing_.start_ahead(expected_processes_);
          inputs_ahead_.make(python_);
        });
      }
      facts_ = worker_.facts();
      if (facts_.has("counters")) timing_.end_further();
      units_.add_facts(facts_);
      python_.require_numpy();
      ready_ = true;
    }
    return facts_;
  }

  // Carries out `steps` for a case. `artifacts`, or null, get the files of the case.
  template <typename Steps>
  Outcome outcome_of(const Case& which, CaseArtifacts* artifacts, const Steps& steps) {
    artifacts_ = artifacts;
    const auto start = Clock::now();
    Outcome outcome;
    outcome.suite = which.suite->name;
    outcome.case_id = which.id;
    try {
      if (interrupted()) end_interrupted(outcome);
      require();
      dialogue_.begin_case();
      if (ranks_) ranks_->begin_case();
      for (bool done = false; !done;) {
        try {
          steps(outcome);
          done = true;
        } catch (const SpoiltWorker&) {
          // Tries again on a fresh worker, which throws at most one of these for each reason.
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
    artifacts_ = nullptr;
    inputs_ahead_.forget();
    worker_.case_was_run();
    outcome.seconds = seconds_since(start);
    return outcome;
  }

  // The steps of Session's functions of the same names; `run` is those of `verify`.

  void compile(const Case& which, const PlannedCase& planned, Outcome& outcome) {
    worker_.greet();
    units_.prepare(which, planned, CaseUnits::Purpose::look, artifacts_, outcome);
  }

  void examine(const Case& which, const PlannedCase& planned, const LookAtCase& look,
               Outcome& outcome) {
    worker_.greet();
    check_launches(planned, {}, outcome);
    const Signatures compiled =
        units_.prepare(which, planned, CaseUnits::Purpose::look, artifacts_, outcome);
    if (!look) {
      const PlannedCase launched = followed(planned, compiled, outcome);
      PlannedCase split = launched;
      split_numbers(split, compiled);
      types_of(split, compiled, outcome);
      check_launches(launched, compiled.kernels, outcome);
      return;
    }
    try {
      uint64_t trial = 0;
      for (bool more = true; more; ++trial) {
        if (interrupted()) end_interrupted(outcome);
        // The arrays of one trial are freed before those of the next are made.
        ReadyCase ready = make_ready(which, planned, compiled, trial, outcome);
        add_baseline(which, planned, trial, ready.inputs, outcome);
        more = look(ready);
      }
    } catch (const Error& error) {
      if (error.code() != ExitCode::verdict) throw;
      fail(outcome, FailureKind::reference, error);
    }
  }

  const CompiledRequests& compiled() const { return units_.compiled(); }

  Coverage take_coverage() { return launch_.exchange_coverage({}); }

  void run(const Case& which, const PlannedCase& planned, Trial trial, Outcome& outcome) {
    launch_.exchange_coverage({});  // of an attempt on a worker that was spoilt
    const ReadyCase ready = load(which, planned, trial, outcome);
    // This comes after the compiler's notices, which replace all earlier ones.
    check_counting(planned, facts_, options_.requires_counters, outcome);
    const Results results = CaseLaunch::make_results(ready);
    if (artifacts_ != nullptr) {
      artifacts_->inputs = ready.inputs;
      artifacts_->results = results;
    }
    if (options_.sanitizer) {
      launch_.check_sanitized(ready, results, outcome);
    } else {
      CaseSchedules schedules(launch_, ready, trial.first_schedule(which.id), outcome);
      while (schedules.next()) launch_.check_results(ready, results, outcome);
    }
    if (artifacts_ != nullptr) artifacts_->results = launch_.seen(ready, results);
    // An expected fault that happened ended the case earlier.
    const bool as_expected = planned.plan.report && !outcome.step.empty();
    if (outcome.verdict == Verdict::passed && !planned.cut.empty() && !as_expected) {
      end_skipped(outcome, planned.cut);
    }
    counted_ = launch_.counters();
    const bool holds_against = ready.planned.plan.composites.any() || planned.compares_counters;
    if (outcome.verdict == Verdict::passed && holds_against && facts_.has("profile")) {
      compare_counters(which, ready, trial, outcome);
    }
  }

  void illustrate(const Case& which, const PlannedCase& planned, Outcome& outcome) {
    const std::vector<nlohmann::ordered_json> launches = std::exchange(counted_, {});
    if (outcome.verdict == Verdict::failed) {
      // The lines of a submission are the grader's affair.
      warpmark::illustrate(which, planned, launches, !options_.confinement, outcome);
    } else if (!launch_.asks_samples()) {
      for (nlohmann::ordered_json& launch : outcome.counters) {
        if (launch.is_object()) launch.erase("samples");
      }
    }
  }

  size_t measure(std::span<TimingJob> jobs) {
    std::vector<CaseTiming::Ongoing> group;
    size_t taken = 0;
    uint64_t bytes = 0;
    if (!interrupted()) require();
    // A single process needs no turns, and each case is reported as it ends.
    const size_t most = timing_.processes_for(jobs.front()) == 1 ? 1 : kMostTogether;
    if (!interrupted()) timing_.start_for(jobs.front());
    for (; taken < jobs.size() && taken < most && bytes < kMostBytes; ++taken) {
      TimingJob& job = jobs[taken];
      bytes += begin_timing(job, group);
      if (job.outcome.verdict == Verdict::passed) bytes += hold_against_baseline(job, group);
    }
    timing_.time_by_turns(group, [this](const Case& which, const auto& steps) {
      return outcome_of(which, nullptr, steps);
    });
    return taken;
  }

  const std::optional<Ceilings>& ceilings() {
    if (!ceilings_are_known_) {
      require();
      worker_.greet();
      timing_.greet_further();  // a start would slow the device down
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
    timing_.interrupt();
  }
  bool interrupted() const noexcept { return worker_.interrupted(); }

 private:
  // True if one worker, without walls, has a GPU or may turn out to have one.
  bool is_for_gpu() const {
    return !options_.device.starts_with("cpu") && !options_.ranks && !options_.confinement;
  }

  // Has the last case of the group, which is the job's, take turns with its baseline. A device that
  // counts runs one after the other, if only one is asked for on the command line.
  uint64_t hold_against_baseline(TimingJob& job, std::vector<CaseTiming::Ongoing>& group) {
    const bool counts = facts_.has("counters");
    if (options_.confinement || (counts && !job.rival)) return 0;
    job.baseline = timed_baseline(job);
    if (!job.baseline) return 0;
    std::vector<CaseTiming::Ongoing> its;
    const uint64_t bytes = begin_timing(job.baseline->job, its);
    if (its.empty()) return 0;
    if (counts) {
      group.push_back(std::move(its.front()));
    } else {
      timing_.hold_against(group.back(), std::move(its.front()));
    }
    return bytes;
  }

  // Verifies a case and adds it to those that take turns, if it is right; returns the bytes of its
  // arrays.
  uint64_t begin_timing(TimingJob& job, std::vector<CaseTiming::Ongoing>& group) {
    CaseTiming::Ongoing one{job};
    CaseArtifacts made;
    // Only the PTX shows the work of the kernel.
    const bool has_work = job.planned->plan.flops || job.planned->plan.bytes;
    job.outcome = outcome_of(*job.which, has_work ? &made : nullptr, [&](Outcome& outcome) {
      const auto load_trial = [&](uint64_t trial, Outcome& into) {
        return load(*job.which, *job.planned, trial, into, CaseUnits::Purpose::time);
      };
      timing_.begin(one, load_trial, outcome);
    });
    for (const UnitArtifacts& unit : made.units) {
      const UncountedWork more = uncounted_work(unit.ptx);
      one.uncounted = {one.uncounted.flops || more.flops, one.uncounted.bytes || more.bytes};
    }
    if (job.outcome.verdict != Verdict::passed) return 0;
    group.push_back(std::move(one));
    return group.back().bytes();
  }

  ArgumentTypes types_of(const PlannedCase& planned, const Signatures& compiled, Outcome& outcome) {
    try {
      return argument_types(planned, compiled);
    } catch (const Error& error) {
      end_unready(outcome, FailureKind::signature, error);
    }
  }

  // Fails launches that no CUDA device can do, independent of this device: first as far as the plan
  // shows, without kernels, and then with the compiler's results for them.
  void check_launches(const PlannedCase& planned, const std::vector<Entry>& kernels,
                      Outcome& outcome) const {
    std::vector<KernelBounds> bounds;
    if (!kernels.empty()) {
      for (const size_t kernel : planned.plan.kernels().of_launch) {
        bounds.push_back(kernels.at(kernel).bounds);
      }
    }
    try {
      warpmark::check_launches(planned.plan, planned.positions, bounds,
                               worker_.facts().architecture);
    } catch (const Error& error) {
      end_unready(outcome, FailureKind::launch, error);
    }
  }

  // The plan with what its kernels' compilers ask for.
  PlannedCase followed(const PlannedCase& planned, const Signatures& compiled, Outcome& outcome) {
    PlannedCase made = planned;
    try {
      follow_compilers(made, compiled);
    } catch (const Error& error) {
      end_unready(outcome, FailureKind::signature, error);
    }
    return made;
  }

  ReadyCase make_ready(const Case& which, const PlannedCase& planned, const Signatures& compiled,
                       Trial trial, Outcome& outcome) {
    ReadyCase ready{followed(planned, compiled, outcome), {}, trial.guards_front, {}};
    check_launches(ready.planned, compiled.kernels, outcome);
    split_numbers(ready.planned, compiled);
    const ArgumentTypes types = types_of(ready.planned, compiled, outcome);
    try {
      if (planned.plan.devices) {
        ready.planned.plan.devices =
            devices_of(planned.plan, worker_.facts().attributes, planned.positions);
      }
      const GeneratorKey key{trial.seed.value_or(options_.seed), which.suite->name, which.id, "",
                             trial.index};
      InputsAhead::Made made = inputs_ahead_.take_or_make(python_, ready.planned, types, key);
      ready.inputs = std::move(made.inputs);
      ready.inputs_s = made.seconds;
      check_axes(planned, compiled, ready.inputs);
      Facts facts = array_facts(ready.planned.plan, ready.inputs);
      facts.device = worker_.facts().attributes;
      ready.planned.plan = resolve(ready.planned.plan, facts, planned.positions);
      check_scratch(ready.planned);
      for (Buffer& buffer : ready.planned.plan.buffers) {
        buffer.dtype = ready.inputs.dtypes.at(buffer.name);
      }
      add_integers(ready.planned, ready.inputs);
      check_images(ready);
      check_tensor_maps(ready);
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
    check_launches(ready.planned, compiled.kernels, outcome);
    check_memory(ready.planned, ready.inputs, worker_.facts(), artifacts_, outcome);
    try {
      check_indices(ready);
      ready.placed = placed_arrays(ready.planned, ready.inputs);
    } catch (const Error& error) {
      end_unready(outcome, FailureKind::input, error);
    }
    return ready;
  }

  // Does the steps before the first launch.
  ReadyCase load(const Case& which, const PlannedCase& planned, Trial trial, Outcome& outcome,
                 CaseUnits::Purpose purpose = CaseUnits::Purpose::launch) {
    worker_.greet();
    check_launches(planned, {}, outcome);
    check_requirements(planned, worker_.facts(), outcome);
    const Signatures compiled = units_.prepare(which, planned, purpose, artifacts_, outcome);
    ReadyCase ready = make_ready(which, planned, compiled, trial, outcome);
    if (add_baseline(which, planned, trial, ready.inputs, outcome)) {
      // The worker has the baseline's kernels now, or is another one.
      worker_.greet();
      units_.prepare(which, planned, purpose, nullptr, outcome);
    }
    return ready;
  }

  // Runs the baseline, if outputs are compared with its results; returns true then. In a sandbox
  // the two must not share a worker: a submission's code could change what is expected of it.
  bool add_baseline(const Case& which, const PlannedCase& planned, Trial trial, CaseInputs& inputs,
                    Outcome& outcome) {
    if (!planned.baseline || !uses_baseline(*which.suite)) return false;
    if (options_.confinement) worker_.end();
    inputs.baseline = run_baseline(which, *planned.baseline, trial, outcome).results;
    if (options_.confinement) worker_.end();
    return true;
  }

  // Runs the kernels that the counters are compared with, once the kernel's own results are right.
  void compare_counters(const Case& which, const ReadyCase& ready, Trial trial, Outcome& outcome) {
    const PlannedCase& planned = ready.planned;
    CompositeRuns runs;
    runs.own = sum_counters(launch_.counters());
    runs.baseline = runs.own;
    if (!planned.counted.empty()) {
      runs.baseline = planned.counted;
      runs.compared = true;
    } else if (planned.baseline) {
      runs.baseline = run_baseline(which, *planned.baseline, trial, outcome).counters;
      runs.compared = true;
    }
    if (planned.smaller) {
      const CompanionRun smaller =
          run_companion(which, *planned.smaller, trial, outcome, std::nullopt,
                        planned.smaller->plan.case_id + ": ");
      try {
        check_work(planned.plan, smaller.plan, planned.positions);
      } catch (const Error& error) {
        end_unready(outcome, FailureKind::input, error);
      }
      runs.smaller = smaller.counters;
      runs.smaller_work = smaller.plan.composites.work_efficient;
    }
    std::vector<MeasuredComposite> measured = judge_composites(planned, runs, outcome);
    if (artifacts_ != nullptr) artifacts_->composites = std::move(measured);
  }

  struct CompanionRun {
    Plan plan;  ///< resolved
    Results results;
    CounterSums counters;
  };

  CompanionRun run_baseline(const Case& which, const PlannedCase& baseline, Trial trial,
                            Outcome& outcome) {
    return run_companion(which, baseline, trial, outcome, FailureKind::reference,
                         "the baseline fails: ");
  }

  // Verifies another plan for the same case. Its failure is the case's, as `blamed` if that is
  // given; a good end leaves no trace in the outcome.
  CompanionRun run_companion(const Case& which, const PlannedCase& planned, Trial trial,
                             Outcome& outcome, std::optional<FailureKind> blamed,
                             const std::string& prefix) {
    Outcome own;
    CompanionRun run;
    CaseArtifacts* const artifacts = std::exchange(artifacts_, nullptr);  // the case's own
    Coverage coverage = launch_.exchange_coverage({});                    // the case's own, too
    try {
      const ReadyCase ready = load(which, planned, trial, own);
      run.plan = ready.planned.plan;
      run.results = CaseLaunch::make_results(ready);
      launch_.check_results(ready, run.results, own);
      run.results = launch_.seen(ready, run.results);
      run.counters = sum_counters(launch_.counters());
    } catch (const CaseEnded&) {
    }
    artifacts_ = artifacts;
    coverage.add(launch_.exchange_coverage({}));  // lines that only this run reaches were reached
    launch_.exchange_coverage(std::move(coverage));
    if (own.verdict == Verdict::passed) return run;
    if (own.verdict == Verdict::skipped && blamed) {
      // The kernel to compare with must run wherever the case does.
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
    own.outputs.clear();  // their shapes differ from those of the case
    own.counters = outcome.counters;
    outcome = std::move(own);
    throw CaseEnded{};
  }

  // The most cases whose arrays are kept at a time, so that their turns are far apart.
  static constexpr size_t kMostTogether = 24;
  static constexpr uint64_t kMostBytes = uint64_t{1} << 30;

  SessionOptions options_;
  WorkerLink worker_;
  Interpreter& python_;
  CaseDialogue dialogue_;
  std::unique_ptr<RankGroup> ranks_;  ///< or null
  CaseLaunch launch_;
  CaseUnits units_;
  CaseTiming timing_;
  InputsAhead inputs_ahead_{is_for_gpu() ? Array::Access::read : Array::Access::mapped};
  uint64_t expected_processes_ = 1;
  DeviceFacts facts_;
  bool ready_ = false;
  bool ceilings_are_known_ = false;
  std::optional<Ceilings> ceilings_;
  std::vector<nlohmann::ordered_json> counted_;  ///< by the launches of the case that is verified
  CaseArtifacts* artifacts_ = nullptr;  ///< artifacts of the running case, if they are wanted
};

Session::Session(Interpreter& python, SessionOptions options)
    : Session([&]() -> Interpreter& { return python; }, std::move(options)) {}

// A worker in this process reads the environment, which an interpreter that starts may change.
Session::Session(const std::function<Interpreter&()>& python, SessionOptions options) {
  if (options.in_process) python();
  state_ = std::make_unique<State>(python, std::move(options));
}
Session::~Session() = default;

void Session::expect(const Case& which, std::shared_ptr<const PlannedCase> planned,
                     uint64_t processes) {
  state_->expect(which, std::move(planned), processes);
}

const DeviceFacts& Session::require() {
  return state_->require();
}

Outcome Session::verify(const Case& which, const PlannedCase& planned, Trial trial,
                        CaseArtifacts* artifacts) {
  Outcome outcome = state_->outcome_of(
      which, artifacts,
      std::bind_front(&State::run, state_.get(), std::cref(which), std::cref(planned), trial));
  outcome.coverage = state_->take_coverage();
  state_->illustrate(which, planned, outcome);
  return outcome;
}

Outcome Session::compile(const Case& which, const PlannedCase& planned, CaseArtifacts& artifacts) {
  return state_->outcome_of(
      which, &artifacts,
      std::bind_front(&State::compile, state_.get(), std::cref(which), std::cref(planned)));
}

const CompiledRequests& Session::compiled() const {
  return state_->compiled();
}

Outcome Session::examine(const Case& which, const PlannedCase& planned, const LookAtCase& look) {
  return state_->outcome_of(which, nullptr,
                            std::bind_front(&State::examine, state_.get(), std::cref(which),
                                            std::cref(planned), std::cref(look)));
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
