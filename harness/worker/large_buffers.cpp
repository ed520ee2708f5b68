#include "worker/large_buffers.hpp"

#include <algorithm>

namespace warpmark {

bool is_large(const protocol::BufferBytes& buffer) {
  return buffer.bytes >= kLargeBytes && buffer.pitch == 0 && buffer.lead == 0 && !buffer.image &&
         !buffer.partition && buffer.pointers.empty();
}

bool has_large_buffers(const protocol::Run& run) {
  return run.guard == protocol::Guard::none && !run.confined && run.devices == 1 &&
         std::ranges::any_of(run.buffers, is_large);
}

LargeBuffers::LargeBuffers(TimingKernels& kernels, DeviceRun& run, const protocol::Run& request)
    : digests_(kernels, run.context()), run_(run), request_(request) {
  for (const auto& [buffer, index] : run_.inputs()) {
    if (is_large(request_.buffers[index])) before_[index] = digests_.of(*buffer);
  }
}

KeptInputs::KeptInputs(TimingKernels& kernels, DeviceRun& run)
    : digests_(kernels, run.context()), run_(run), before_(now()) {}

std::vector<uint64_t> KeptInputs::now() {
  std::vector<uint64_t> digests;
  for (const auto& [buffer, index] : run_.inputs()) {
    if (run_.keeps(index)) digests.push_back(digests_.of(*buffer));
  }
  return digests;
}

void LargeBuffers::look_again(protocol::Verified::OnDevice& seen) {
  for (const auto& [buffer, index] : run_.inputs()) {
    const auto before = before_.find(index);
    if (before == before_.end() || !run_.keeps(index)) continue;
    if (digests_.of(*buffer) == before->second)
      seen.unchanged.push_back(request_.buffers[index].name);
  }
  seen.digest = digests_.of_judged(run_);
}

void LargeBuffers::share(const InitialCopies& copies, const std::vector<BufferMemory>& memory,
                         protocol::Verified::OnDevice& seen) const {
  for (const auto& [index, digest] : before_) {
    const std::string handle = copies.shared(*memory[index].initial);
    if (!handle.empty()) seen.copies.push_back({request_.buffers[index].name, handle, digest});
  }
}

void open_copies(const protocol::TimedSide& request, const std::vector<BufferMemory>& memory,
                 const std::shared_ptr<Context>& context, TimingKernels& kernels,
                 InitialCopies& copies) {
  const std::vector<protocol::BufferBytes>& buffers = request.run.buffers;
  for (const protocol::KeptCopy& kept : request.copies) {
    const auto named = std::ranges::find(buffers, kept.buffer, &protocol::BufferBytes::name);
    if (named == buffers.end() || !is_large(*named)) continue;
    const auto& initial = memory[static_cast<size_t>(named - buffers.begin())].initial;
    if (!initial) continue;
    if (copies.find(*initial) == nullptr) copies.open(context, kept.handle, *initial);
    // A kernel may have written to a copy, and a handle may name another block by now.
    const DeviceMemory* copy = copies.find(*initial);
    if (copy != nullptr && Digests(kernels, context).of(*copy) != kept.digest)
      copies.drop(*initial);
  }
}

}  // namespace warpmark
