// The contexts that handles belong to. A call on a live stream, event, module, function, array,
// link or allocation works in the context that the handle belongs to, whatever context is current,
// or if none is (measured on an H200 and an H100, driver 580). Default streams are those of the
// current context.
#pragma once

#include "api/mistake.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

/// An address of a device's memory, or of pinned or registered host memory.
struct AddressHandle {
  CUdeviceptr address = 0;
};
struct TextureHandle {
  CUtexObject object = 0;
};
struct SurfaceHandle {
  CUsurfObject object = 0;
};

/// The context that a handle belongs to; null for default streams and for handles that are not
/// live.
Context* owner_of(CUstream stream);
Context* owner_of(CUevent event);
Context* owner_of(CUmodule module);
Context* owner_of(CUfunction function);
Context* owner_of(CUarray array);
Context* owner_of(CUmipmappedArray array);
Context* owner_of(CUlinkState state);
Context* owner_of(AddressHandle address);
Context* owner_of(TextureHandle texture);
Context* owner_of(SurfaceHandle surface);

/// with_context for a call on a handle: in its owner, or, without one, in the current context.
template <typename Handle, typename Body>
CUresult with_owner(const char* name, Waits waits, Handle handle, Body body) {
  return initialised(name, [&]() -> CUresult {
    Context* context = owner_of(handle);
    const CUresult result =
        context == nullptr ? current_context(waits, context) : state_of(*context, waits);
    return result != CUDA_SUCCESS ? result : body(*context);
  });
}

/// The same for calls on a handle that also need a current context.
template <typename Handle, typename Body>
CUresult with_context_and_owner(const char* name, Waits waits, Handle handle, Body body) {
  return with_context(name, waits, [&](Context& current) -> CUresult {
    Context* owner = owner_of(handle);
    return body(owner == nullptr ? current : *owner);
  });
}

/// with_owner for the calls that with_reports is for.
template <typename Handle, typename Body>
CUresult with_owner_reports(const char* call, Waits waits, Handle handle, Body body) {
  return with_owner(call, waits, handle, [&](Context& context) -> CUresult {
    return report_refusal(context, call, body(context));
  });
}

}  // namespace warpmark::cpu
