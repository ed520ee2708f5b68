// What a timed launch begins with, so that it cannot answer from an earlier one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "driver/memory.hpp"
#include "driver/stream.hpp"
#include "worker/device_run.hpp"
#include "worker/module_variables.hpp"
#include "worker/timing_kernels.hpp"

namespace warpmark {

/// The variables of the modules and the arrays that steps change are as they were when this was
/// made, outputs hold random bytes, and shared memory holds nothing of a launch before: neither an
/// answer, nor what a launch that is checked finds there. What a launch leaves is compared by a digest with what the first left.
class NewState {
 public:
  /// `run` was restored, and has kept its initial arrays (DeviceRun::keep_initial) where
  /// `with_inout` is set. `gap` is the byte around the rows of arrays with a pitch.
  NewState(TimingKernels& kernels, DeviceRun& run, KeptVariables variables, bool with_inout,
           uint8_t gap);

  /// Queues it.
  void queue(const Stream& stream);
  /// Queues random bytes into the outputs of a run that shares the modules with this one's.
  void queue_outputs(DeviceRun& run, const Stream& stream);
  /// Queues reads of all that the steps may read, so that the last-level cache has it.
  void queue_touch(const Stream& stream);
  /// Queues making lines of it that were to stay in the cache ordinary ones.
  void queue_demote(const Stream& stream);

  /// Queues a digest of the outputs that are judged, after a launch on a new state.
  void queue_digest(const Stream& stream);
  /// Waits, and compares all digests that were queued since.
  void compare_digests(const Stream& stream);
  /// Whether two launches on a new state left other outputs. Nothing is compared where arrays that
  /// steps change cannot be put back.
  bool differs() const { return differs_; }
  /// Of the first launch on a new state; nothing where none is compared.
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
