// Events: points in a stream's work, with the time when they were reached.
#include <algorithm>

#include "api/capture.hpp"
#include "api/graph.hpp"
#include "api/owner.hpp"
#include "api/shared_event.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

Event* find_event(CUevent event) {
  // Streams may wait for events of another device's context.
  const Context* owner = owner_of(event);
  return owner == nullptr ? nullptr : owner->events.at(event).get();
}

// In the context of `of`: the event itself, or a stream.
template <typename Handle, typename Body>
CUresult with_event(const char* name, Waits waits, Handle of, CUevent event, Body body) {
  return with_owner(name, waits, of, [&](Context& context) -> CUresult {
    Event* found = find_event(event);
    return found == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(context, *found);
  });
}

bool captured(const Event& event) {
  return event.capture != nullptr;
}

CUresult record_event(CUevent event, CUstream stream, unsigned int flags) {
  return with_event("cuEventRecord", Waits::no, stream, event,
                    [&](Context& context, Event& found) -> CUresult {
                      if ((flags & ~unsigned{CU_EVENT_RECORD_EXTERNAL}) != 0)
                        return CUDA_ERROR_INVALID_VALUE;
                      if (!valid_stream(context, stream) || found.context != &context)
                        return CUDA_ERROR_INVALID_HANDLE;
                      Stream* recording = find_stream(context, stream);
                      const bool capture = recording != nullptr && recording->capture != nullptr;
                      if (!capture || flags == CU_EVENT_RECORD_EXTERNAL) {
                        found.capture = nullptr;
                        return submit(context, stream, RecordWork{event});
                      }
                      found.capture = recording->capture;
                      found.nodes = recording->last;
                      return CUDA_SUCCESS;
                    });
}

// A stream that waits for a captured event joins that capture.
CUresult wait_captured(Stream* stream, const Event& event) {
  const std::shared_ptr<Capture>& capture = event.capture;
  if (capture->finished) return CUDA_ERROR_CAPTURED_EVENT;
  if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream == nullptr) {
    capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (stream->capture != nullptr && stream->capture != capture) {
    capture->invalid = stream->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  stream->capture = capture;
  for (Node* node : event.nodes) {
    if (std::ranges::find(stream->last, node) == stream->last.end()) stream->last.push_back(node);
  }
  return CUDA_SUCCESS;
}

CUresult elapsed(float* milliseconds, CUevent start, CUevent end) {
  return with_event(
      "cuEventElapsedTime", Waits::yes, start, start, [&](Context&, Event& first) -> CUresult {
        const Event* second = find_event(end);
        if (second == nullptr) return CUDA_ERROR_INVALID_HANDLE;
        if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (!first.recorded || !second->recorded ||
            ((first.flags | second->flags) & CU_EVENT_DISABLE_TIMING) != 0) {
          return CUDA_ERROR_INVALID_HANDLE;
        }
        return give(milliseconds,
                    std::chrono::duration<float, std::milli>(second->when - first.when).count());
      });
}

CUresult reached(const char* name, CUevent event) {
  return with_event(name, Waits::yes, event, event, [](Context&, Event& found) -> CUresult {
    if (!captured(found)) return CUDA_SUCCESS;
    found.capture->invalid = true;
    return CUDA_ERROR_CAPTURED_EVENT;
  });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuEventCreate(CUevent* result, unsigned int flags) {
  return with_context("cuEventCreate", Waits::no, [&](Context& context) -> CUresult {
    if (result == nullptr || (flags & ~7u) != 0) return CUDA_ERROR_INVALID_VALUE;
    // An event for other processes keeps no time.
    const bool shared = (flags & CU_EVENT_INTERPROCESS) != 0;
    if (shared && (flags & CU_EVENT_DISABLE_TIMING) == 0) return CUDA_ERROR_INVALID_VALUE;
    auto event = std::make_unique<Event>();
    if (shared && (event->shared = SharedEvent::create()) == nullptr)
      return CUDA_ERROR_OUT_OF_MEMORY;
    event->context = &context;
    event->flags = flags;
    *result = reinterpret_cast<CUevent>(event.get());
    context.events.emplace(*result, std::move(event));
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return record_event(event, stream, CU_EVENT_RECORD_DEFAULT);
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  return record_event(event, stream, flags);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return with_event("cuStreamWaitEvent", Waits::no, stream, event,
                    [&](Context& context, Event& found) -> CUresult {
                      if ((flags & ~unsigned{CU_EVENT_WAIT_EXTERNAL}) != 0)
                        return CUDA_ERROR_INVALID_VALUE;
                      if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
                      if (flags == CU_EVENT_WAIT_EXTERNAL)
                        return submit(context, stream, WaitWork{event});
                      if (captured(found))
                        return wait_captured(find_stream(context, stream), found);
                      if (capturing(context, stream)) {
                        // Work outside a capture cannot be waited for from inside.
                        find_stream(context, stream)->capture->invalid = true;
                        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
                      }
                      return CUDA_SUCCESS;
                    });
}

CUresult cuEventQuery(CUevent event) {
  return reached("cuEventQuery", event);
}
CUresult cuEventSynchronize(CUevent event) {
  return reached("cuEventSynchronize", event);
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return elapsed(milliseconds, start, end);
}
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return elapsed(milliseconds, start, end);
}

CUresult cuEventDestroy_v2(CUevent event) {
  return with_owner("cuEventDestroy", Waits::no, event, [&](Context& context) {
    return context.events.erase(event) == 0 ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}
CUresult cuEventDestroy(CUevent event) {
  return cuEventDestroy_v2(event);
}

// All streams of a context at once; there is no work in any of them.
CUresult cuCtxRecordEvent(CUcontext context, CUevent event) {
  return initialised("cuCtxRecordEvent", [&]() -> CUresult {
    Context* found = driver().find(context);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (!found->events.contains(event)) return CUDA_ERROR_INVALID_HANDLE;
    const CUresult result = refuse_while_capturing(*found);
    return result != CUDA_SUCCESS ? result : perform(*found, RecordWork{event});
  });
}
CUresult cuCtxWaitEvent(CUcontext context, CUevent event) {
  return initialised("cuCtxWaitEvent", [&]() -> CUresult {
    Context* found = driver().find(context);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (find_event(event) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return refuse_while_capturing(*found);
  });
}

}  // extern "C"
