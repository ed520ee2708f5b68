// A device, a worker process on it and the embedded Python, running cases one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/choose.hpp"
#include "plan/plan.hpp"
#include "plan/plugin_loader.hpp"
#include "python/interpreter.hpp"
#include "runtime/inputs.hpp"
#include "runtime/outcome.hpp"
#include "runtime/sanitizer.hpp"
#include "runtime/timing_job.hpp"
#include "suite/case.hpp"
#include "warpmark/suppressions.hpp"
#include "worker/confinement.hpp"
#include "worker/device_facts.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

class CompileForks;
struct CaseArtifacts;
struct CompiledRequests;
class Ranks;

/// The names of the checks of devices with the capability `checks` (warpmark/device.h).
const std::vector<std::string>& known_checks();

struct SessionOptions {
  std::string device = "auto";  ///< in the form for choose_device
  bool in_process = false;      ///< the worker is a thread of this process: for debuggers
  double timeout_s = 60;        ///< wall clock limit of the device part of one case
  /// The time that a device which keeps limits itself has in addition to one, and to a quarter of
  /// it, to report where its threads were: it may have to wait for a processor.
  double report_s = 5;
  double start_timeout_s = 120;  ///< for device and NVRTC to start; many GPUs take tens of seconds
  uint64_t seed = 0;             ///< seed of every generator
  /// Threads of the host that execute blocks on a device that runs there; 0: as many as that device
  /// is set to. Never of a confined session, whose workers have none.
  uint64_t threads = 0;
  bool use_cache = true;
  /// Cases are timed: workers load at once what that needs beside them, and so at the same time.
  bool times = false;
  /// The checks, among known_checks(), of devices with the capability `checks` during verification;
  /// other devices are not asked. Empty: the device's default.
  std::vector<std::string> checks;
  /// Findings that people accept: they fail no case and give no notice.
  std::vector<Suppression> suppressions;
  /// The most further schedules that a device with schedules tries, if the order of threads may
  /// decide a result.
  uint64_t schedules = 7;
  std::optional<uint64_t> schedule;  ///< the only one that is tried; 0 is the usual one
  /// The sanitizer that the workers of `verify` run under, one for each case; its findings are the
  /// case's findings. Never in_process or confined.
  std::optional<Sanitizer> sanitizer;
  /// The counters of each launch that devices with `profile` count beside the basic ones
  /// (warpmark/device.h): traffic, lines. Empty: none, and the outcomes have no counters.
  std::vector<std::string> counters;
  /// Devices with `profile` count which lines are executed, and outcomes have their coverage.
  bool coverage = false;
  /// True to skip cases that expect counters on a device that does not count; else only their
  /// outputs are judged, with a notice.
  bool requires_counters = false;
  std::string program;  ///< program of the worker, run as `PROGRAM worker`; "" is our own
  /// The ranks that are the devices of cases with `devices`; null: devices are those of this
  /// process.
  std::shared_ptr<Ranks> ranks;
  std::optional<Confinement> confinement;  ///< for source that is not trusted; never in_process
  /// The server that forks compile workers of this confinement; null: each is started separately.
  std::shared_ptr<CompileForks> compile_forks;
  /// Sources that are trusted, as a session of the same confinement compiled them before: they are
  /// not compiled again, and above all not beside a submission.
  std::shared_ptr<const CompiledRequests> compiled;
  DriverOpeners openers = DriverOpeners::standard();  ///< for in_process; tests put fakes here
};

/// The random numbers of a run.
struct Trial {
  Trial(uint64_t number = 0,  // NOLINT(google-explicit-constructor): a number is a trial
        std::optional<uint64_t> with_seed = {})
      : index(number), seed(with_seed) {}
  uint64_t index;
  std::optional<uint64_t> seed;  ///< seed in place of the session's
  /// In a confined session on a GPU, the end of each buffer that touches a faulting page: the
  /// front, else the back.
  bool guards_front = false;
  /// The first of the schedules tried beside the usual one, if the device has any.
  uint64_t first_schedule(const std::string& case_id) const;
};

/// Looks at a case with the inputs of one trial; false if it needs no further trial.
using LookAtCase = std::function<bool(const ReadyCase& ready)>;

/// The constructor starts the worker and NumPy's import, which overlap; waits happen only when the
/// results are needed.
class Session {
 public:
  Session(Interpreter& python, SessionOptions options);
  /// Starts the worker before the interpreter, unless both are in this process.
  Session(const std::function<Interpreter&()>& python, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The case that will be run first, with trial 0, and the number of processes that will time it. If
  /// the device takes a while to start, its inputs are made meanwhile, and all processes start at the
  /// same time.
  void expect(const Case& which, std::shared_ptr<const PlannedCase> planned,
              uint64_t processes = 1);

  /// Waits for the device, NVRTC and NumPy. Throws an environment error (exit 3) that says what is
  /// missing, with advice. To be called before the first case.
  const DeviceFacts& require();

  /// Runs one case: restores inputs, poisons outputs, launches once, synchronises, fetches and
  /// compares. Every failure of the case is in the outcome; exceptions are environment errors (the
  /// device is gone for good) or internal ones. `artifacts`, if given, gets the files of the case,
  /// however it ends.
  Outcome verify(const Case& which, const PlannedCase& planned, Trial trial = {},
                 CaseArtifacts* artifacts = nullptr);

  /// Compiles a case's units and nothing more: passed if the kernels exist. `artifacts` gets
  /// source, PTX, cubin and log of each unit, unless the compiler refused it.
  Outcome compile(const Case& which, const PlannedCase& planned, CaseArtifacts& artifacts);

  /// The requests that a session without a confinement has compiled, for SessionOptions::compiled
  /// of a confined one.
  const CompiledRequests& compiled() const;

  /// Makes a case ready as `verify` does and launches nothing: compiles, checks the signature and
  /// the launch, and evaluates inputs if there is a `look`. `look` is called with those of trial 0,
  /// 1, … for as long as it returns true; a verdict error that it throws fails the case, as a
  /// reference does. Neither requirements nor the device's memory skip a case.
  Outcome examine(const Case& which, const PlannedCase& planned, const LookAtCase& look);

  /// Times some of the jobs, from the first one on, and returns how many: as many as have room for
  /// their arrays at a time, and at least one. Verifies each case, has it timed by several
  /// processes, one after another, each with the cases in a random order of its own, and verifies
  /// it again with fresh poison; only if both verdicts are passes a job gets times. `inout` buffers
  /// are restored between timed runs as the plan says.
  size_t measure(std::span<TimingJob> jobs);

  /// Measured at the first call; nothing on devices that count. Throws environment errors.
  const std::optional<Ceilings>& ceilings();

  /// Ends a `verify` that runs, as soon as it can, with Verdict::interrupted; and every later one
  /// at once. Safe in a signal handler.
  void interrupt() noexcept;
  bool interrupted() const noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace warpmark
