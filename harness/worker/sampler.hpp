// Times a case on its device: warm-up, samples by events, until the median is known.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "driver/stream.hpp"
#include "worker/device_run.hpp"
#include "worker/measurement.hpp"
#include "worker/new_state.hpp"
#include "worker/stopping_rule.hpp"
#include "worker/timed_work.hpp"
#include "worker/timing_kernels.hpp"

namespace warpmark {

/// One sample is, in one stream and without a wait of the host between them:
///
///     [restore] → [flush] → [wait] → event → work of the mode (TimedWork) → event → [digest]
///
/// Every fourth is followed by one of an empty kernel in the place of the steps. A cold sample begins
/// with a new state (NewState), and what it leaves is compared with what others left. Runs of a
/// batch or graph find what the run before left: single runs on a new state are timed beside them.
///
/// The flush, and the wait where there is none or it is too short, keep the device busy while the
/// host queues what is timed, so that no launch latency is between the events. Whether that was so
/// is asked of each sample: if the first event has passed when the last is queued, the host was
/// late; the sample is thrown away and the wait gets longer. Several samples are queued at a time.
class Sampler {
 public:
  using Clock = StoppingRule::Clock;

  /// `run` was restored, and `state` belongs to it; its `inout` buffers are put back as `restore`
  /// says. `other` has other inputs, or is null. `memory` is the host's memory of the buffers.
  Sampler(const std::shared_ptr<Context>& context, TimingKernels& kernels, DeviceRun& run,
          NewState& state, const std::vector<BufferMemory>& memory, Restore restore,
          DeviceRun* other = nullptr);

  /// Seconds of one cold run on a new state; nothing if the host was late.
  std::optional<double> single();

  /// Takes samples until the rule of `options` ends them, or `budget_s` seconds have passed since
  /// the preparation was complete. There is no sample if the first run of the case has used all of
  /// this time, unless that run is a sample itself. A fault appears as a DriverError.
  TimedSeries sample(TimingMode mode, const TimingOptions& options, double budget_s);
  /// Used seconds of the budgets.
  double spent_s() const { return spent_s_; }

 private:
  struct Shot {
    Event begin, end;
    bool late = false;
  };

  void warm_up(const TimingOptions& options, double budget_s);
  void take_singles(TimedSeries& series, double budget_s);
  void take_samples(TimedWork& work, const TimingOptions& options, Clock::time_point deadline,
                    TimedSeries& series);
  template <typename Steps>
  void queue(Shot& shot, bool flush, const Steps& steps);
  void queue_group(TimedWork& work, bool flush, uint64_t count);
  Shot& shot(std::vector<Shot>& shots, size_t index);

  std::shared_ptr<Context> context_;
  TimingKernels& kernels_;
  DeviceRun& run_;
  DeviceRun* other_;
  NewState& state_;
  const std::vector<BufferMemory>& memory_;
  Restore restore_;
  Stream stream_;
  std::vector<Shot> shots_;        ///< shots of the steps
  std::vector<Shot> empty_shots_;  ///< shots of empty kernels
  size_t empties_ = 0;             ///< number of empty shots in the last group
  double spent_s_ = 0;
  double run_s_ = 0;   ///< approximate time of one run on the device; 0 before the warm-up
  double wait_s_ = 0;  ///< wait before each sample
};

/// The best rates of the device: a copy and a read of arrays that no cache holds, and fused
/// multiply-adds. Throws DriverError.
Ceilings measure_ceilings(const std::shared_ptr<Context>& context, TimingKernels& kernels);

}  // namespace warpmark
