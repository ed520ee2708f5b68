// Large buffers of a checked run: inputs that did not change need not be copied to the host.
#pragma once

#include <map>
#include <vector>

#include "worker/device_run.hpp"
#include "worker/digests.hpp"
#include "worker/initial_copies.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// Buffers from this size on are worth a digest, or a copy on the device: 64 MiB take 15 ms to the
/// host and back.
inline constexpr uint64_t kLargeBytes = uint64_t{64} << 20;

/// True for a buffer of that size that is an array alone: bytes around elements have no value, and
/// change from launch to launch.
bool is_large(const protocol::BufferBytes& buffer);

/// True if a run is worth it: it has a large buffer, and is not one of a submission.
bool has_large_buffers(const protocol::Run& run);

class LargeBuffers {
 public:
  /// Takes digests of the large inputs of a run that was restored.
  LargeBuffers(TimingKernels& kernels, DeviceRun& run, const protocol::Run& request);
  /// Takes them again after the run, and the outputs' digest.
  void look_again(protocol::Verified::OnDevice& seen);
  /// Adds the copies that other processes can open.
  void share(const InitialCopies& copies, const std::vector<BufferMemory>& memory,
             protocol::Verified::OnDevice& seen) const;

 private:
  Digests digests_;
  DeviceRun& run_;
  const protocol::Run& request_;
  std::map<size_t, uint64_t> before_;  ///< by the buffer's index
};

/// The inputs that no launch of a run may change, of any size.
class KeptInputs {
 public:
  /// Takes their digests; the run was restored.
  KeptInputs(TimingKernels& kernels, DeviceRun& run);
  bool have_changed() { return now() != before_; }

 private:
  std::vector<uint64_t> now();

  Digests digests_;
  DeviceRun& run_;
  std::vector<uint64_t> before_;
};

/// Opens copies of another worker for a run, of which each buffer is then restored; drops those that
/// are no longer what they were.
void open_copies(const protocol::TimedSide& request, const std::vector<BufferMemory>& memory,
                 const std::shared_ptr<Context>& context, TimingKernels& kernels,
                 InitialCopies& copies);

}  // namespace warpmark
