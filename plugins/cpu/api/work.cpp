// Handing work to streams, and executing it.
#include "api/work.hpp"

#include <cstring>

#include "api/capture.hpp"
#include "api/graph.hpp"
#include "api/shared_event.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

// A wait that does not hold: nothing that runs later in this device can be let before it, since
// work is executed when it is submitted.
CUresult perform_value(Context& context, const ValueWork& work) {
  const std::size_t bytes = work.wide ? 8 : 4;
  if (work.address % bytes != 0) return CUDA_ERROR_INVALID_VALUE;
  std::byte* at = host_range(context, work.address, bytes, true);
  if (at == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!work.wait) {
    const CUresult refused =
        refuse_write(driver().arena_of(context, work.address, bytes), work.address);
    if (refused != CUDA_SUCCESS) return refused;
    std::memcpy(at, &work.value, bytes);
    if (Arena* arena = driver().arena_of(context, work.address, bytes))
      arena->set_values(work.address, bytes, true);
    return CUDA_SUCCESS;
  }
  std::uint64_t now = 0;
  std::memcpy(&now, at, bytes);
  const std::uint64_t wanted = work.wide ? work.value : work.value & 0xffffffff;
  bool holds = false;
  switch (work.flags & 3u) {
    case CU_STREAM_WAIT_VALUE_GEQ:  // cyclic, so that counters may wrap
      holds = work.wide ? static_cast<std::int64_t>(now - wanted) >= 0
                        : static_cast<std::int32_t>(static_cast<std::uint32_t>(now - wanted)) >= 0;
      break;
    case CU_STREAM_WAIT_VALUE_EQ:
      holds = now == wanted;
      break;
    case CU_STREAM_WAIT_VALUE_AND:
      holds = (now & wanted) != 0;
      break;
    default:
      holds = (~(now | wanted) & (work.wide ? ~std::uint64_t{0} : 0xffffffff)) != 0;
  }
  if (holds) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_NOT_SUPPORTED,
              "a stream waits for a value that is not there yet; this device executes work when it "
              "is submitted, so write the value first");
}

}  // namespace

CUresult perform(Context& context, const Work& work) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) return perform_kernel(context, *kernel);
  if (const auto* copy = std::get_if<CopyWork>(&work)) return perform_copy(context, copy->copy);
  if (const auto* fill = std::get_if<FillWork>(&work)) return perform_fill(context, fill->fill);
  if (const auto* value = std::get_if<ValueWork>(&work)) return perform_value(context, *value);
  if (const auto* made = std::get_if<AllocateWork>(&work)) return perform_allocate(context, *made);
  if (const auto* freed = std::get_if<FreeWork>(&work)) return perform_free(context, *freed);
  if (const auto* made = std::get_if<RecordWork>(&work)) {
    const auto found = context.events.find(made->event);
    if (found == context.events.end()) return CUDA_ERROR_INVALID_HANDLE;
    found->second->recorded = true;
    if (found->second->shared != nullptr) found->second->shared->record();
    found->second->when = std::chrono::steady_clock::now();
  }
  return CUDA_SUCCESS;
}

CUresult submit(Context& context, CUstream stream, Work work) {
  if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (Stream* found = find_stream(context, stream); found != nullptr && found->capture != nullptr)
    return record(context, *found, std::move(work));
  const CUresult result = check_implicit(context, stream);
  if (result != CUDA_SUCCESS) return result;
  return context.pending != CUDA_SUCCESS ? CUDA_SUCCESS : perform(context, work);
}

CUresult submit_checked(Context& context, CUstream stream, Work work) {
  CUresult result = CUDA_SUCCESS;
  if (capturing(context, stream))
    result = check_work(context, work);
  else if (const auto* copy = std::get_if<CopyWork>(&work))
    result = check_copy(context, copy->copy);
  else if (const auto* fill = std::get_if<FillWork>(&work))
    result = check_fill(context, fill->fill);
  return result != CUDA_SUCCESS ? result : submit(context, stream, std::move(work));
}

}  // namespace warpmark::cpu
