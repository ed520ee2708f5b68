// A plan made ready on a device: compiled, loaded, run.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/choose.hpp"
#include "driver/kernel.hpp"
#include "driver/nvml.hpp"
#include "worker/device_drains.hpp"
#include "worker/device_group.hpp"
#include "worker/device_run.hpp"
#include "worker/device_timing.hpp"
#include "worker/protocol.hpp"
#include "worker/timing_kernels.hpp"
#include "worker/unit_compiler.hpp"

namespace warpmark {

/// The worker's side of a session: a device, a context on it and, unless it is confined, the
/// compiler. It sees neither suite nor expected values.
class Executor {
 public:
  /// Starts the device and, except for a confined worker, opens NVRTC. Throws environment errors.
  Executor(const protocol::Hello& request, const DriverOpeners& openers);

  const DeviceFacts& facts() const { return facts_; }

  /// Compiles and loads; earlier kernels are dropped, but for those that the request puts these
  /// beside. Throws verdict errors for units that do not compile, have no such kernel or cannot be
  /// loaded.
  protocol::Prepared prepare(const protocol::Prepare& request);

  /// Loads images that another worker compiled, as `prepare` does. Throws verdict errors.
  protocol::Prepared load(const protocol::Load& request);

  /// Restores, poisons, launches, synchronises, fetches. A fault appears as a sticky DriverError,
  /// with its reports still to be drained.
  protocol::Verified verify(const protocol::Verify& request, std::vector<BufferMemory>& memory);

  /// Loads anew, restores, and runs again and again until the budget of the request ends it; faults
  /// are as in `verify`. Fetches the results of the last run. `against` is the memory of what it is
  /// timed against, if the request says so.
  protocol::Timed time(const protocol::Time& request, TimedMemory memory, TimedMemory against = {});

  /// Measures the ceilings; nothing on devices that count.
  protocol::Calibrated calibrate();

  /// The reports of the device since the last call, also after a sticky error. If a run has several
  /// steps, each report has its `step`, an index.
  std::vector<nlohmann::ordered_json> drain_reports();
  /// The counters of each launch since the last call (warpmark/device.h), in their order; empty for
  /// a device that does not count.
  std::vector<nlohmann::ordered_json> drain_counters();
  /// The coverage of each text since then, on devices that are asked to count it.
  std::vector<nlohmann::ordered_json> drain_coverage();
  /// True if the last request got as far as launching a kernel; an earlier failure is not caused by
  /// a kernel.
  bool launched() const { return launched_; }
  /// The step, of several, during which the last request ended; nothing once its reports are
  /// drained.
  std::optional<size_t> step() const { return step_; }
  /// The places of the buffers of the last run.
  const std::vector<protocol::BufferPlace>& places() const { return places_; }

 private:
  /// `nvrtc` is opened while the device starts.
  Executor(const protocol::Hello& request, const DriverOpeners& openers,
           std::future<std::shared_ptr<const Nvrtc>> nvrtc);
  std::string set_context(const protocol::ContextLimits& limits);
  std::string replace_context(protocol::ContextLimits limits);
  /// Compiles and loads what is timed against the present kernels, which stay.
  protocol::Prepared prepare_beside(const protocol::Prepare& request);
  protocol::Prepared prepare_alone(const protocol::Prepare& request);
  /// Restores the modules that have run; those beside them first, if that is asked for.
  void restore_modules(bool beside_first = false);
  void set_launch_limits(const protocol::Run& run);
  void count(const protocol::Run& run, protocol::Verified& reply);
  std::vector<const Context*> contexts() const;
  bool takes_ptx() const { return choice_.device.has(Capability::image_ptx); }
  std::string no_tensor_maps() const;
  std::string set_up(const protocol::ContextLimits& limits, const std::vector<bool>& linked);
  std::string load_on_others(const protocol::Load& request, uint64_t devices);
  std::string misfit_of_others(const Architecture& target, bool as_ptx, uint64_t devices) const;
  std::vector<PreparedDevice> group() const;
  protocol::Verified verify_on_several(const protocol::Verify& request,
                                       std::vector<BufferMemory>& memory);
  protocol::Timed time_on_several(const protocol::Time& request, TimedMemory& memory);
  Measurement count_on_device(const protocol::Time& request, TimedMemory& memory);
  void add_parameters(const protocol::Prepare& request, std::vector<Entry>& entries) const;
  /// The reason why a run does not fit the device. `more` is the memory that it needs beside its
  /// buffers, in bytes.
  protocol::Misfit misfit(const protocol::Run& run, uint64_t more = 0) const;
  /// The reason why the device cannot time in the requested way.
  protocol::Misfit misfit(const TimingOptions& options) const;
  TimingKernels& timing_kernels();
  bool has_timing_kernels();
  void get_ready_to_time();
  DeviceState device_state();
  void profile(DeviceRun& run);

  DeviceChoice choice_;
  std::vector<PreparedDevice>
      others_;  ///< the further devices of a case that runs on several, beside the first
  std::shared_ptr<Context> context_;
  std::optional<UnitCompiler> compiler_;  ///< nothing in a confined worker
  DeviceFacts facts_;
  std::vector<Function> kernels_;
  std::optional<Module> main_module_;  ///< module of the first kernel: variables are looked up here
  std::vector<LoadedModule> modules_;
  std::optional<protocol::Load> loaded_;
  /// The same of what these are timed against.
  struct Beside {
    PreparedDevice kernels;
    protocol::Load loaded;
  };
  std::optional<Beside> beside_;
  bool ran_ = false;                             ///< a kernel has run since the modules were loaded
  std::optional<TimingKernels> timing_kernels_;  ///< made when first needed
  std::string timing_image_;                     ///< code of the timing kernels, in a confined
                                                 ///< worker that times
  bool nvml_is_open_ = false;                    ///< opening it was tried, when first needed
  std::shared_ptr<const Nvml> nvml_;
  bool launched_ = false;
  DeviceDrains drains_;
  std::optional<size_t> step_;  ///< the running step, of several
  std::vector<protocol::BufferPlace> places_;
  protocol::ContextLimits context_limits_;  ///< the limits in effect
  bool times_ = false;                      ///< what was prepared last will be timed
  InitialCopies copies_;                    ///< of the values that were checked last
  std::string launch_limits_;               ///< the limits in effect, as configured
};

}  // namespace warpmark
