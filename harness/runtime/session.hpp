// A device, a worker process on it and the embedded Python, running cases one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
#include "worker/confinement.hpp"
#include "worker/device_facts.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

class CompileForks;
struct CaseArtifacts;
class Ranks;

/// What devices with the capability `checks` can look for, by name (warpmark/device.h).
const std::vector<std::string>& known_checks();

struct SessionOptions {
  std::string device = "auto";  ///< as choose_device takes it
  bool in_process = false;      ///< the worker is a thread of this process: for debuggers
  double timeout_s = 60;        ///< wall clock that the device part of one case may take
  /// What a device that keeps limits itself has beyond one, and a quarter of it, to report where its
  /// threads were: it may have to wait for a processor.
  double report_s = 5;
  double start_timeout_s = 120;  ///< for device and NVRTC to start; many GPUs take tens of seconds
  uint64_t seed = 0;             ///< of every generator
  bool use_cache = true;
  /// What devices with the capability `checks` look for while results are verified, of
  /// known_checks(); others are not asked. Empty: what the device looks for if nobody asks.
  std::vector<std::string> checks;
  /// Further schedules that a device with schedules tries at most, where the order of threads may
  /// decide a result.
  uint64_t schedules = 7;
  std::optional<uint64_t> schedule;  ///< the only one that is tried; 0 is the usual one
  /// Under which the workers of `verify` run, one for each case; what it finds are the case's
  /// findings. Never in_process or confined.
  std::optional<Sanitizer> sanitizer;
  /// What devices with `profile` count of each launch beside the basic counters
  /// (warpmark/device.h): traffic, lines. Empty: nothing, and the outcomes have no counters.
  std::vector<std::string> counters;
  /// A device that does not count skips what expects counters; else their outputs are judged alone,
  /// with a notice.
  bool requires_counters = false;
  std::string program;  ///< of the worker: the file to run as `PROGRAM worker`; "" is our own
  /// Of cases with `devices`, each rank is a device; null: devices are those of this process.
  std::shared_ptr<Ranks> ranks;
  std::optional<Confinement> confinement;  ///< for source that is not trusted; never in_process
  /// Where compile workers of this confinement are forked; null: each is started by itself.
  std::shared_ptr<CompileForks> compile_forks;
  DriverOpeners openers = DriverOpeners::standard();  ///< for in_process; tests put fakes here
};

/// Which random numbers a run gets.
struct Trial {
  Trial(uint64_t number = 0,  // NOLINT(google-explicit-constructor): a number is a trial
        std::optional<uint64_t> with_seed = {})
      : index(number), seed(with_seed) {}
  uint64_t index;
  std::optional<uint64_t> seed;  ///< in the place of the session's
  /// In a confined session on a GPU, which end of each buffer touches a page that faults: the
  /// front, else the back.
  bool guards_front = false;
  /// Of the schedules that it tries beside the usual one, where the device has any.
  uint64_t first_schedule(const std::string& case_id) const;
};

/// Looks at a case with the inputs of one trial; false if it needs no further trial.
using LookAtCase = std::function<bool(const ReadyCase& ready)>;

/// Starting one starts the worker and NumPy's import, which overlap; nothing is waited for before
/// it is needed.
class Session {
 public:
  Session(Interpreter& python, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Waits for the device, NVRTC and NumPy. Throws an environment error (exit 3) that says what is
  /// missing and what to do. To be called before the first case.
  const DeviceFacts& require();

  /// Runs one case: restores inputs, poisons outputs, launches once, synchronises, fetches and
  /// compares. Everything that fails the case is in the outcome; what throws is an environment
  /// error (the device is gone and cannot be had again) or an internal one.
  /// `artifacts`, if given, gets what the case made, however it ends.
  Outcome verify(const Case& which, const PlannedCase& planned, Trial trial = {},
                 CaseArtifacts* artifacts = nullptr);

  /// Compiles a case's units and nothing more: passed if the kernels are there. `artifacts` gets
  /// source, PTX, cubin and log of each unit, unless the compiler refused it.
  Outcome compile(const Case& which, const PlannedCase& planned, CaseArtifacts& artifacts);

  /// Makes a case ready as `verify` does and launches nothing: compiles, checks the signature and
  /// what the launch asks for, evaluates inputs; not those if there is no `look`. `look` is called
  /// with those of trial 0, 1, … for as long as it returns true; a verdict error that it throws
  /// fails the case, as a reference does. Neither requirements nor the device's memory skip a case.
  Outcome examine(const Case& which, const PlannedCase& planned, const LookAtCase& look);

  /// Times some of the jobs, from the first one on, and returns how many: as many as have room for
  /// their arrays at a time, and one at least. Verifies each case, has it timed by several
  /// processes, one after another, each with the cases in a random order of its own, and verifies
  /// it again with fresh poison; only if both verdicts are passes a job gets times. `inout` buffers
  /// are restored between timed runs as the plan says.
  size_t measure(std::span<TimingJob> jobs);

  /// Measured when first asked for; nothing on devices that count. Throws environment errors.
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
