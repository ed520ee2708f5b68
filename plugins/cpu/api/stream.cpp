// Streams. Work executes when it is submitted, so a stream is always idle.
#include <algorithm>

#include "api/capture.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

CUresult create_stream(const char* name, CUstream* result, unsigned int flags, int priority) {
  return with_context(name, Waits::no, [&](Context& context) -> CUresult {
    if (result == nullptr || (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    auto stream = std::make_unique<Stream>();
    stream->context = &context;
    stream->flags = flags;
    stream->priority = std::clamp(priority, -5, 0);
    stream->id = driver().next_id++;
    *result = reinterpret_cast<CUstream>(stream.get());
    context.streams.emplace(*result, std::move(stream));
    return CUDA_SUCCESS;
  });
}

template <typename Body>
CUresult with_stream(const char* name, CUstream stream, Waits waits, Body body) {
  return with_owner(name, waits, stream, [&](Context& context) -> CUresult {
    return valid_stream(context, stream) ? body(context) : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult wait_for(const char* name, CUstream stream) {
  return with_stream(name, stream, Waits::yes,
                     [&](Context& context) { return refuse_to_wait(context, stream); });
}

constexpr unsigned int kAttributes = sizeof(Stream::attributes) / sizeof(CUstreamAttrValue);

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return create_stream("cuStreamCreate", stream, flags, 0);
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  return create_stream("cuStreamCreateWithPriority", stream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return with_owner("cuStreamDestroy", Waits::no, stream, [&](Context& context) -> CUresult {
    const auto found = context.streams.find(stream);
    if (found == context.streams.end()) return CUDA_ERROR_INVALID_HANDLE;
    leave_capture(*found->second);
    context.streams.erase(found);
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamDestroy(CUstream stream) {
  return cuStreamDestroy_v2(stream);
}

CUresult cuStreamSynchronize(CUstream stream) {
  return wait_for("cuStreamSynchronize", stream);
}
CUresult cuStreamQuery(CUstream stream) {
  return wait_for("cuStreamQuery", stream);
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return with_stream("cuStreamGetPriority", stream, Waits::no, [&](Context& context) -> CUresult {
    const Stream* found = find_stream(context, stream);
    return give(priority, found == nullptr ? 0 : found->priority);
  });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int* flags) {
  return with_stream("cuStreamGetFlags", stream, Waits::no, [&](Context& context) -> CUresult {
    const Stream* found = find_stream(context, stream);
    return give(flags, found == nullptr ? 0 : found->flags);
  });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return with_stream("cuStreamGetId", stream, Waits::no, [&](Context& context) -> CUresult {
    const Stream* found = find_stream(context, stream);
    return give(id, found == nullptr ? context.id : found->id);
  });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return with_stream("cuStreamGetCtx", stream, Waits::no, [&](Context& found) {
    return give(context, reinterpret_cast<CUcontext>(&found));
  });
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return with_stream("cuStreamGetDevice", stream, Waits::no,
                     [&](Context& context) { return give(device, context.device); });
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return with_stream("cuStreamCopyAttributes", to, Waits::no, [&](Context& context) -> CUresult {
    if (!valid_stream(context, from)) return CUDA_ERROR_INVALID_HANDLE;
    Stream* target = find_stream(context, to);
    const Stream* source = find_stream(context, from);
    if (target != nullptr && source != nullptr)
      std::copy_n(source->attributes, kAttributes, target->attributes);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  return with_stream("cuStreamGetAttribute", stream, Waits::no, [&](Context& context) -> CUresult {
    const auto which = number_in(attribute);
    if (value == nullptr || which == 0 || which >= kAttributes) return CUDA_ERROR_INVALID_VALUE;
    const Stream* found = find_stream(context, stream);
    *value = found == nullptr ? CUstreamAttrValue{} : found->attributes[which];
    if (which == CU_LAUNCH_ATTRIBUTE_PRIORITY)
      value->priority = found == nullptr ? 0 : found->priority;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue* value) {
  return with_stream("cuStreamSetAttribute", stream, Waits::no, [&](Context& context) -> CUresult {
    const auto which = number_in(attribute);
    if (value == nullptr || which == 0 || which >= kAttributes) return CUDA_ERROR_INVALID_VALUE;
    Stream* found = find_stream(context, stream);
    if (found == nullptr) return CUDA_SUCCESS;
    found->attributes[which] = *value;
    if (which == CU_LAUNCH_ATTRIBUTE_PRIORITY) found->priority = std::clamp(value->priority, -5, 0);
    return CUDA_SUCCESS;
  });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* user) {
  bool now = false;
  const CUresult result =
      with_owner("cuLaunchHostFunc", Waits::no, stream, [&](Context& context) -> CUresult {
        if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
        now = !capturing(context, stream) && context.pending == CUDA_SUCCESS;
        return submit(context, stream, HostWork{{function, user}});
      });
  // Without the lock: what is called may use this library from another thread.
  if (result == CUDA_SUCCESS && now) function(user);
  return result;
}

// Unlike a host function, a callback also runs after a failure, and learns of it.
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* user,
                             unsigned int flags) {
  CUresult status = CUDA_SUCCESS;
  const CUresult result =
      with_stream("cuStreamAddCallback", stream, Waits::no, [&](Context& context) -> CUresult {
        if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
        const CUresult refused = refuse_to_wait(context, stream);
        status = context.pending;
        return refused;
      });
  if (result == CUDA_SUCCESS) callback(stream, status, user);
  return result;
}

}  // extern "C"
