// Times a case on a device that has clocks, so that no run can answer from an earlier one unseen.
#pragma once

#include <vector>

#include "worker/device_group.hpp"
#include "worker/device_run.hpp"
#include "worker/measurement.hpp"
#include "worker/protocol.hpp"
#include "worker/timing_kernels.hpp"

namespace warpmark {

/// The host's memory of the buffers of a Time request.
struct TimedMemory {
  std::vector<BufferMemory> run;
  std::vector<BufferMemory> other;  ///< of its run with other inputs, if it has one
  InitialCopies* copies = nullptr;  ///< of initial values of either
};

/// Bytes of the device's memory that timing a run takes beside its buffers, those of `against` among
/// them.
uint64_t timing_bytes(const protocol::Time& request, const TimingKernels& kernels);

/// A side of what is timed by turns, loaded anew right before.
struct LoadedSide {
  const PreparedDevice& loaded;
  TimedMemory& memory;
};

/// Times the request, by turns with what it names in `against`, if there are two sides. The steps of
/// each run first with the other inputs, whose results are fetched; then once with their own; then
/// each mode takes its samples; then some times more, of which the last one's results are fetched.
/// Faults appear as DriverErrors.
std::vector<Measurement> time_on_device(TimingKernels& kernels, const protocol::Time& request,
                                        const std::vector<LoadedSide>& sides);

}  // namespace warpmark
