// The state at the beginning of a timed launch, which prevents reuse of an earlier launch's
// results.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "driver/memory.hpp"
#include "driver/stream.hpp"
#include "worker/device_run.hpp"
#include "worker/module_variables.hpp"
#include "worker/timing_kernels.hpp"

namespace warpmark {

/// A state in which the variables of the modules and the arrays that steps change have the values
/// they had when this object was made, outputs hold random bytes, and shared memory holds nothing
/// of an earlier launch: neither results, nor the contents that a checked launch finds there. A
/// digest of a launch's results is compared with that of the first.
class NewState {
 public:
  /// `run` was restored, and has kept its initial arrays (DeviceRun::keep_initial) if `with_inout`
  /// is set. `gap` is the byte around the rows of arrays with a pitch.
  NewState(TimingKernels& kernels, DeviceRun& run, KeptVariables variables, bool with_inout,
           uint8_t gap);

  /// Queues the new state.
  void queue(const Stream& stream);
  /// Queues random bytes into the outputs of a run that shares the modules with this one's.
  void queue_outputs(DeviceRun& run, const Stream& stream);
  /// Queues reads of all memory that the steps may read, so that the last-level cache has it.
  void queue_touch(const Stream& stream);
  /// Queues making lines of that memory ordinary ones that were to stay in the cache.
  void queue_demote(const Stream& stream);

  /// Queues a digest of the outputs that are judged, after a launch on a new state.
  void queue_digest(const Stream& stream);
  /// Waits, and compares all digests that were queued since the last call.
  void compare_digests(const Stream& stream);
  /// True if two launches on a new state left different outputs. Nothing is compared if arrays that
  /// steps change cannot be restored.
  bool differs() const { return differs_; }
  /// The digest of the first launch on a new state; nothing if none is compared.
  std::optional<uint64_t> digest() const { return expected_; }

 private:
  TimingKernels& kernels_;
  DeviceRun& run_;
  KeptVariables variables_;
  bool with_inout_;
  uint8_t gap_;
  bool compares_;
  std::mt19937_64 random_;
  DeviceMemory digests_;
  size_t queued_ = 0;
  std::optional<uint64_t> expected_;
  bool differs_ = false;
};

}  // namespace warpmark
