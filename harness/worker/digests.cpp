#include "worker/digests.hpp"

#include <span>

namespace warpmark {

void queue_judged_digest(TimingKernels& kernels, DeviceRun& run, CUdeviceptr into,
                         const Stream& stream) {
  uint64_t seed = 0;
  for (const DeviceMemory* buffer : run.judged())
    kernels.queue_digest(*buffer, ++seed << 48, into, stream);
}

Digests::Digests(TimingKernels& kernels, const std::shared_ptr<Context>& context)
    : kernels_(kernels), stream_(context), sum_(context, sizeof(uint64_t), "digest") {}

uint64_t Digests::of(const DeviceMemory& buffer) {
  sum_.fill(0);
  kernels_.queue_digest(buffer, 0, sum_.address(), stream_);
  return read();
}

uint64_t Digests::of_judged(DeviceRun& run) {
  sum_.fill(0);
  queue_judged_digest(kernels_, run, sum_.address(), stream_);
  return read();
}

uint64_t Digests::read() {
  stream_.synchronize();
  uint64_t digest = 0;
  sum_.download(std::as_writable_bytes(std::span(&digest, 1)));
  return digest;
}

}  // namespace warpmark
