// Streams and events. Work executes when it is submitted, so a stream is always idle.
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

CUresult create_stream(CUstream* result, unsigned int flags, int priority) {
  return with_context("cuStreamCreate", Waits::no, [&](Context& context) -> CUresult {
    if (result == nullptr || (flags & ~1u) != 0) return CUDA_ERROR_INVALID_VALUE;
    auto stream = std::make_unique<Stream>();
    stream->context = &context;
    stream->flags = flags;
    stream->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
    *result = reinterpret_cast<CUstream>(stream.get());
    context.streams.emplace(*result, std::move(stream));
    return CUDA_SUCCESS;
  });
}

template <typename Body>
CUresult with_stream(const char* name, CUstream stream, Waits waits, Body body) {
  return with_context(name, waits, [&](Context& context) -> CUresult {
    return valid_stream(context, stream) ? body(context) : CUDA_ERROR_INVALID_HANDLE;
  });
}

template <typename Body>
CUresult with_event(const char* name, CUevent event, Waits waits, Body body) {
  return with_context(name, waits, [&](Context& context) -> CUresult {
    const auto found = context.events.find(event);
    return found == context.events.end() ? CUDA_ERROR_INVALID_HANDLE
                                         : body(context, *found->second);
  });
}

CUresult elapsed(float* milliseconds, CUevent start, CUevent end) {
  return with_event(
      "cuEventElapsedTime", start, Waits::yes, [&](Context& context, Event& first) -> CUresult {
        const auto found = context.events.find(end);
        if (found == context.events.end()) return CUDA_ERROR_INVALID_HANDLE;
        const Event& second = *found->second;
        if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (!first.recorded || !second.recorded ||
            ((first.flags | second.flags) & CU_EVENT_DISABLE_TIMING) != 0) {
          return CUDA_ERROR_INVALID_HANDLE;
        }
        *milliseconds = std::chrono::duration<float, std::milli>(second.when - first.when).count();
        return CUDA_SUCCESS;
      });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return create_stream(stream, flags, 0);
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  return create_stream(stream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return with_context("cuStreamDestroy", Waits::no, [&](Context& context) {
    return context.streams.erase(stream) == 0 ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return with_stream("cuStreamSynchronize", stream, Waits::yes,
                     [](Context&) { return CUDA_SUCCESS; });
}
CUresult cuStreamQuery(CUstream stream) {
  return with_stream("cuStreamQuery", stream, Waits::yes, [](Context&) { return CUDA_SUCCESS; });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int) {
  return with_stream("cuStreamWaitEvent", stream, Waits::no, [&](Context& context) {
    return context.events.contains(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return with_stream("cuStreamGetPriority", stream, Waits::no, [&](Context& context) -> CUresult {
    if (priority == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = context.streams.find(stream);
    *priority = found == context.streams.end() ? 0 : found->second->priority;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int* flags) {
  return with_stream("cuStreamGetFlags", stream, Waits::no, [&](Context& context) -> CUresult {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = context.streams.find(stream);
    *flags = found == context.streams.end() ? 0 : found->second->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuEventCreate(CUevent* result, unsigned int flags) {
  return with_context("cuEventCreate", Waits::no, [&](Context& context) -> CUresult {
    if (result == nullptr || (flags & ~7u) != 0) return CUDA_ERROR_INVALID_VALUE;
    auto event = std::make_unique<Event>();
    event->context = &context;
    event->flags = flags;
    *result = reinterpret_cast<CUevent>(event.get());
    context.events.emplace(*result, std::move(event));
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return with_event("cuEventRecord", event, Waits::no,
                    [&](Context& context, Event& found) -> CUresult {
                      if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
                      found.recorded = true;
                      found.when = std::chrono::steady_clock::now();
                      return CUDA_SUCCESS;
                    });
}

CUresult cuEventQuery(CUevent event) {
  return with_event("cuEventQuery", event, Waits::yes,
                    [](Context&, Event&) { return CUDA_SUCCESS; });
}
CUresult cuEventSynchronize(CUevent event) {
  return with_event("cuEventSynchronize", event, Waits::yes,
                    [](Context&, Event&) { return CUDA_SUCCESS; });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return elapsed(milliseconds, start, end);
}
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return elapsed(milliseconds, start, end);
}

CUresult cuEventDestroy_v2(CUevent event) {
  return with_context("cuEventDestroy", Waits::no, [&](Context& context) {
    return context.events.erase(event) == 0 ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}

}  // extern "C"
