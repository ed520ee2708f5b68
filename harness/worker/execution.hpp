// A plan made ready on a device: compiled, loaded, run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/choose.hpp"
#include "driver/kernel.hpp"
#include "driver/nvml.hpp"
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
  /// Starts the device and, unless the request is a confined worker's, opens NVRTC. Throws
  /// environment errors.
  Executor(const protocol::Hello& request, const DriverOpeners& openers);

  const DeviceFacts& facts() const { return facts_; }

  /// Compiles and loads; what was prepared before is dropped. Throws verdict errors for what does
  /// not compile, has no such kernel or cannot be loaded.
  protocol::Prepared prepare(const protocol::Prepare& request);

  /// Loads what another worker compiled, as `prepare` does. Throws verdict errors.
  protocol::Prepared load(const protocol::Load& request);

  /// Restores, poisons, launches, synchronises, fetches. A fault appears as a sticky DriverError,
  /// with its reports still to be drained.
  protocol::Verified verify(const protocol::Verify& request, std::vector<BufferMemory>& memory);

  /// Loads anew, restores, and runs again and again. The budget of the request ends it, faults as in
  /// `verify`. Fetches what the last run left.
  protocol::Timed time(const protocol::Time& request, TimedMemory memory);

  /// Nothing on devices that count.
  protocol::Calibrated calibrate();

  /// What the device reported since the last call, also after a sticky error. Where a run has several
  /// steps each says its `step`, an index.
  std::vector<nlohmann::ordered_json> drain_reports();
  /// What each launch since the last call counted (warpmark/device.h), in their order; empty for a
  /// device that does not count.
  std::vector<nlohmann::ordered_json> drain_counters();
  /// Whether the last request came to launch a kernel; what fails before is not a kernel's doing.
  bool launched() const { return launched_; }
  /// The step, of several, that the last request was at when it ended; nothing once its reports are
  /// drained.
  std::optional<size_t> step() const { return step_; }
  /// Where the buffers of the last run lay.
  const std::vector<protocol::BufferPlace>& places() const { return places_; }

 private:
  std::string set_context(const protocol::ContextLimits& limits);
  std::string replace_context(protocol::ContextLimits limits);
  /// Loads again what has run.
  void restore_modules();
  void set_launch_limits(const protocol::Run& run);
  void count(const protocol::Run& run, protocol::Verified& reply);
  void collect_reports();
  bool takes_ptx() const { return choice_.device.has(Capability::image_ptx); }
  std::string set_up(const protocol::ContextLimits& limits, const std::vector<bool>& linked);
  static Module load(const std::shared_ptr<Context>& context,
                     const std::vector<protocol::Load::Unit>& units, size_t unit);
  static PreparedDevice load(std::shared_ptr<Context> context, const protocol::Load& request);
  std::string load_on_others(const protocol::Load& request, uint64_t devices);
  std::vector<PreparedDevice> group() const;
  protocol::Verified verify_on_several(const protocol::Verify& request,
                                       std::vector<BufferMemory>& memory);
  protocol::Timed time_on_several(const protocol::Time& request, TimedMemory& memory);
  Measurement count_on_device(const protocol::Time& request, TimedMemory& memory);
  void add_parameters(const protocol::Prepare& request, std::vector<Entry>& entries) const;
  /// Why a run does not fit the device. `more` is what it needs beside its buffers, in bytes.
  protocol::Misfit misfit(const protocol::Run& run, uint64_t more = 0) const;
  /// Why the device cannot time as it is asked to.
  protocol::Misfit misfit(const TimingOptions& options) const;
  TimingKernels& timing_kernels();
  DeviceState device_state();
  void profile(DeviceRun& run);

  DeviceChoice choice_;
  std::vector<PreparedDevice>
      others_;  ///< of a case that runs on several devices, beside the first
  std::shared_ptr<Context> context_;
  std::optional<UnitCompiler> compiler_;  ///< nothing in a confined worker
  DeviceFacts facts_;
  std::vector<Function> kernels_;
  std::optional<Module> main_module_;  ///< of the first kernel: variables are looked up here
  std::vector<LoadedModule> modules_;
  std::optional<protocol::Load> loaded_;
  bool ran_ = false;                             ///< since it was loaded
  std::optional<TimingKernels> timing_kernels_;  ///< made when first needed
  std::string timing_image_;                     ///< their code in a confined worker that times
  bool nvml_is_open_ = false;                    ///< it was tried, when first needed
  std::shared_ptr<const Nvml> nvml_;
  bool launched_ = false;
  std::vector<nlohmann::ordered_json> reports_;  ///< of steps that have run
  uint64_t schedules_ = 0;                       ///< as Verified::schedules, of drained launches
  std::optional<size_t> step_;                   ///< that runs, of several
  std::vector<protocol::BufferPlace> places_;
  protocol::ContextLimits context_limits_;  ///< in effect
  std::string launch_limits_;               ///< in effect, as configured
};

}  // namespace warpmark
