#include "worker/new_state.hpp"

#include <span>
#include <utility>

#include "base/clock.hpp"
#include "worker/digests.hpp"

namespace warpmark {

namespace {

constexpr size_t kMostDigests = 256;  // between two looks at them

}  // namespace

NewState::NewState(TimingKernels& kernels, DeviceRun& run, KeptVariables variables, bool with_inout,
                   uint8_t gap)
    : kernels_(kernels),
      run_(run),
      variables_(std::move(variables)),
      with_inout_(with_inout),
      gap_(gap),
      compares_(with_inout || !run.changes_inputs()),
      // A sandbox may have no source of random numbers, and who sees the fill of a launch knows no
      // other's.
      random_(static_cast<uint64_t>(Clock::now().time_since_epoch().count())),
      digests_(run.context(), kMostDigests * sizeof(uint64_t), "digests") {
  digests_.fill(0);
}

void NewState::queue(const Stream& stream) {
  variables_.queue_back(stream);
  if (with_inout_) run_.queue_restore(stream);
  queue_outputs(run_, stream);
  kernels_.queue_scrub(static_cast<uint32_t>(random_()), stream);
}

void NewState::queue_outputs(DeviceRun& run, const Stream& stream) {
  for (const auto& [buffer, rows] : run.outputs())
    kernels_.queue_fill(*buffer, {rows.lead, rows.row, rows.pitch, gap_}, random_(), stream);
}

void NewState::queue_touch(const Stream& stream) {
  for (const auto& [buffer, index] : run_.inputs()) {
    if (buffer->address() % 16 == 0 && buffer->bytes() >= 16) kernels_.queue_read(*buffer, stream);
  }
}

void NewState::queue_demote(const Stream& stream) {
  for (const auto& [buffer, index] : run_.inputs()) kernels_.queue_demote(*buffer, stream);
}

void NewState::queue_digest(const Stream& stream) {
  if (!compares_ || queued_ == kMostDigests) return;
  const CUdeviceptr into = digests_.address() + queued_++ * sizeof(uint64_t);
  queue_judged_digest(kernels_, run_, into, stream);
}

void NewState::compare_digests(const Stream& stream) {
  stream.synchronize();
  if (queued_ == 0) return;
  std::vector<uint64_t> digests(queued_);
  digests_.download(std::as_writable_bytes(std::span(digests)));
  digests_.fill(0);
  queued_ = 0;
  if (!expected_) expected_ = digests.front();
  for (const uint64_t digest : digests) differs_ = differs_ || digest != *expected_;
}

}  // namespace warpmark
