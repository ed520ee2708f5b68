// Contexts: created, destroyed, current; what they are asked about.

#include "api/capture.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

CUcontext handle(Context* context) {
  return reinterpret_cast<CUcontext>(context);
}

CUresult create_context(CUcontext* result, unsigned int flags, CUdevice device,
                        unsigned int version) {
  if (result == nullptr || (flags & ~unsigned{CU_CTX_FLAGS_MASK}) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if ((flags & CU_CTX_SCHED_MASK) == 3 || (flags & CU_CTX_SCHED_MASK) > CU_CTX_SCHED_BLOCKING_SYNC)
    return CUDA_ERROR_INVALID_VALUE;
  if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Context* made = driver().create(flags, device);
  made->version = version;
  *result = handle(made);
  context_stack().push_back(*result);
  return CUDA_SUCCESS;
}

CUresult current_device(CUdevice* device) {
  const std::vector<CUcontext>& stack = context_stack();
  if (stack.empty() || stack.back() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  // A primary context has its device while it is not active, too.
  if (const Device* primary = driver().primary_of(stack.back()))
    return give(device, primary->default_pool.place.id);
  const Context* context = driver().find(stack.back());
  return context == nullptr ? CUDA_ERROR_CONTEXT_IS_DESTROYED : give(device, context->device);
}

// Returns whether a handle can be made current: a context, or a primary context, which may become
// active again.
bool can_be_current(CUcontext context) {
  return driver().find(context) != nullptr || driver().primary_of(context) != nullptr;
}

CUresult destroy_context(CUcontext context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Context* found = driver().find(context);
  if (found == nullptr || found->primary) return CUDA_ERROR_INVALID_CONTEXT;
  std::vector<CUcontext>& stack = context_stack();
  if (!stack.empty() && stack.back() == context) stack.pop_back();
  driver().destroy(found);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device) {
  return initialised("cuCtxCreate", [&] { return create_context(context, flags, device, 3020); });
}

CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* affinity, int count,
                        unsigned int flags, CUdevice device) {
  return initialised("cuCtxCreate", [&]() -> CUresult {
    if (count < 0 || (count > 0 && affinity == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    if (count > 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return create_context(context, flags, device, 3020);
  });
}

#if CUDA_VERSION >= 12050
CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned int flags,
                        CUdevice device) {
  return initialised("cuCtxCreate", [&]() -> CUresult {
    if (parameters != nullptr &&
        (parameters->numExecAffinityParams != 0 || parameters->cigParams != nullptr)) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    return create_context(context, flags, device, 3020);
  });
}
#else
// cuda.h 12.4 has no type for the second parameter; its first member is a pointer to affinities.
__attribute__((visibility("default"))) CUresult cuCtxCreate_v4(CUcontext* context,
                                                               void** parameters,
                                                               unsigned int flags,
                                                               CUdevice device) {
  return initialised("cuCtxCreate", [&]() -> CUresult {
    if (parameters != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
    return create_context(context, flags, device, 3020);
  });
}
#endif

CUresult cuCtxDestroy_v2(CUcontext context) {
  return initialised("cuCtxDestroy", [&] { return destroy_context(context); });
}
CUresult cuCtxDestroy(CUcontext context) {
  return cuCtxDestroy_v2(context);
}

CUresult cuCtxAttach(CUcontext* context, unsigned int flags) {
  return with_context("cuCtxAttach", Waits::no, [&](Context& current) -> CUresult {
    if (context == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    ++current.attached;
    *context = handle(&current);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxDetach(CUcontext context) {
  return initialised("cuCtxDetach", [&]() -> CUresult {
    Context* found = driver().find(context);
    const std::vector<CUcontext>& stack = context_stack();
    // Only the thread's current context can be detached from.
    if (found == nullptr || stack.empty() || stack.back() != context)
      return CUDA_ERROR_INVALID_CONTEXT;
    return --found->attached > 0 ? CUDA_SUCCESS : destroy_context(context);
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return initialised("cuCtxPushCurrent", [&]() -> CUresult {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!can_be_current(context)) return CUDA_ERROR_INVALID_CONTEXT;
    context_stack().push_back(context);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxPushCurrent(CUcontext context) {
  return cuCtxPushCurrent_v2(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  return initialised("cuCtxPopCurrent", [&]() -> CUresult {
    std::vector<CUcontext>& stack = context_stack();
    if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = stack.back();
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  return cuCtxPopCurrent_v2(context);
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return initialised("cuCtxSetCurrent", [&]() -> CUresult {
    std::vector<CUcontext>& stack = context_stack();
    if (context == nullptr) {
      if (!stack.empty()) stack.pop_back();
      return CUDA_SUCCESS;
    }
    if (!can_be_current(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (stack.empty())
      stack.push_back(context);
    else
      stack.back() = context;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return initialised("cuCtxGetCurrent", [&]() -> CUresult {
    const std::vector<CUcontext>& stack = context_stack();
    return give(context, stack.empty() ? nullptr : stack.back());
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return initialised("cuCtxGetDevice", [&] { return current_device(device); });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  return with_context("cuCtxGetFlags", Waits::no,
                      [&](Context& context) { return give(flags, context.flags); });
}

CUresult cuCtxSetFlags(unsigned int flags) {
  return with_context("cuCtxSetFlags", Waits::no, [&](Context& context) -> CUresult {
    if ((flags & ~unsigned{CU_CTX_FLAGS_MASK}) != 0) return CUDA_ERROR_INVALID_VALUE;
    context.flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return initialised("cuCtxGetId", [&]() -> CUresult {
    Context* found = nullptr;
    const CUresult result = named_context(context, found);
    if (found == nullptr)
      return driver().primary_of(context) != nullptr ? CUDA_ERROR_CONTEXT_IS_DESTROYED : result;
    return result != CUDA_SUCCESS ? result : give(id, found->id);
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version) {
  return initialised("cuCtxGetApiVersion", [&]() -> CUresult {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Context* found = nullptr;
    const CUresult result = named_context(context, found);
    return result != CUDA_SUCCESS ? result : give(version, found->version);
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return with_context("cuCtxGetStreamPriorityRange", Waits::no, [&](Context&) -> CUresult {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize(void) {
  return with_context("cuCtxSynchronize", Waits::yes,
                      [](Context& context) { return refuse_while_capturing(context); });
}

}  // extern "C"

// CUDA 13 gave these names a context as first parameter. Clients that look up `name_v2` before
// `name` and call it the old way would break on them, so they are no exported symbols: they exist
// only for who asks cuGetProcAddress for version 13.
extern "C" CUresult warpmark_synchronize_context(CUcontext context);
extern "C" CUresult warpmark_synchronize_context(CUcontext context) {
  if (context == nullptr) return cuCtxSynchronize();
  return initialised("cuCtxSynchronize", [&]() -> CUresult {
    Context* found = driver().find(context);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (found->sticky == CUDA_SUCCESS) found->sticky = found->pending;
    return found->sticky != CUDA_SUCCESS ? found->sticky : refuse_while_capturing(*found);
  });
}

extern "C" CUresult warpmark_device_of_context(CUdevice* device, CUcontext context);
extern "C" CUresult warpmark_device_of_context(CUdevice* device, CUcontext context) {
  return initialised("cuCtxGetDevice", [&]() -> CUresult {
    if (context == nullptr) return current_device(device);
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Context* found = driver().find(context);
    return found == nullptr ? CUDA_ERROR_INVALID_CONTEXT : give(device, found->device);
  });
}
