// The contents of one sample of a timing mode.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "driver/stream.hpp"
#include "suite/restore.hpp"
#include "worker/device_run.hpp"
#include "worker/measurement.hpp"
#include "worker/new_state.hpp"
#include "worker/timing_kernels.hpp"

namespace warpmark {

/// Approximate seconds that the host takes to queue one launch.
constexpr double kQueueLaunch = 4e-6;
/// The same for a graph.
constexpr double kQueueGraph = 20e-6;

class TimedWork {
 public:
  virtual ~TimedWork() = default;
  TimedWork(const TimedWork&) = delete;
  TimedWork& operator=(const TimedWork&) = delete;

  /// Runs in one sample.
  uint64_t batch() const { return batch_; }
  /// Bytes that one run moves between host and device; only for transfers.
  std::optional<uint64_t> moved_bytes() const { return moved_bytes_; }
  /// Seconds that the host takes to queue a sample, roughly; nothing if the host takes part in the
  /// work itself, so that no wait of the device can hide its time.
  std::optional<double> queueing_s() const { return queueing_s_; }

  /// Queues the work before the flush: a new state for cold runs, and for others restoring `inout`
  /// buffers as the case requires.
  virtual void queue_restore(const Stream& stream) = 0;
  /// Queues the timed work.
  virtual void queue(const Stream& stream) = 0;
  /// Queues the same with an empty kernel in place of the steps; not for transfers, which launch
  /// nothing.
  virtual void queue_empty(const Stream& /*stream*/) {}

 protected:
  TimedWork() = default;
  uint64_t batch_ = 1;
  std::optional<uint64_t> moved_bytes_;
  std::optional<double> queueing_s_;
};

/// Makes the work for a case that takes about `run_s` seconds a run. `run`, its `state` and
/// `memory`, the host's memory of its buffers, must outlive it; `run` has kept its initial buffers
/// unless `restore` is never. In a cold graph every second run is one of `other`, which has other
/// inputs, unless it is null. Leaves the stream idle. Throws DriverError.
std::unique_ptr<TimedWork> make_timed_work(TimingMode mode, const std::shared_ptr<Context>& context,
                                           TimingKernels& kernels, DeviceRun& run, DeviceRun* other,
                                           NewState& state, Restore restore,
                                           const std::vector<BufferMemory>& memory, double run_s,
                                           const Stream& stream);

}  // namespace warpmark
