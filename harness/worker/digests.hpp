// Digests of buffers on the device: whether bytes changed, without copying them to the host.
#pragma once

#include <cstdint>

#include "driver/memory.hpp"
#include "driver/stream.hpp"
#include "worker/device_run.hpp"
#include "worker/timing_kernels.hpp"

namespace warpmark {

/// Queues adding a digest of the buffers of a run that are judged to the uint64 at `into`.
void queue_judged_digest(TimingKernels& kernels, DeviceRun& run, CUdeviceptr into,
                         const Stream& stream);

/// Digests that are waited for.
class Digests {
 public:
  Digests(TimingKernels& kernels, const std::shared_ptr<Context>& context);
  uint64_t of(const DeviceMemory& buffer);
  /// The digest that timed launches of the run have (Measurement::digest).
  uint64_t of_judged(DeviceRun& run);

 private:
  uint64_t read();

  TimingKernels& kernels_;
  Stream stream_;
  DeviceMemory sum_;
};

}  // namespace warpmark
