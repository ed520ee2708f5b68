// Contexts: created, primary, current.
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

CUcontext handle(Context* context) {
  return reinterpret_cast<CUcontext>(context);
}

CUresult create_context(CUcontext* result, unsigned int flags, CUdevice device) {
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *result = handle(driver().create(flags));
  context_stack().push_back(*result);
  return CUDA_SUCCESS;
}

CUresult current_device(CUdevice* device) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::vector<CUcontext>& stack = context_stack();
  if (stack.empty() || stack.back() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *device = 0;
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return initialised("cuDevicePrimaryCtxRetain", [&]() -> CUresult {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    Driver& state = driver();
    if (state.primary == nullptr) {
      state.primary = state.create(state.primary_flags);
      state.primary->primary = true;
    }
    ++state.primary_references;
    *context = handle(state.primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return initialised("cuDevicePrimaryCtxRelease", [&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    Driver& state = driver();
    if (state.primary_references == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--state.primary_references == 0 && state.primary != nullptr) state.destroy(state.primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return initialised("cuDevicePrimaryCtxReset", [&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    if (driver().primary != nullptr) driver().destroy(driver().primary);
    driver().primary_references = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  return initialised("cuDevicePrimaryCtxGetState", [&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = driver().primary_flags;
    *active = driver().primary != nullptr ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags) {
  return initialised("cuDevicePrimaryCtxSetFlags", [&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    driver().primary_flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device) {
  return initialised("cuCtxCreate", [&] { return create_context(context, flags, device); });
}

#if CUDA_VERSION >= 12050
CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned int flags,
                        CUdevice device) {
  return initialised("cuCtxCreate", [&]() -> CUresult {
    if (parameters != nullptr &&
        (parameters->numExecAffinityParams != 0 || parameters->cigParams != nullptr)) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    return create_context(context, flags, device);
  });
}
#endif

CUresult cuCtxDestroy_v2(CUcontext context) {
  return initialised("cuCtxDestroy", [&]() -> CUresult {
    Context* found = driver().find(context);
    if (found == nullptr || found->primary) return CUDA_ERROR_INVALID_CONTEXT;
    std::vector<CUcontext>& stack = context_stack();
    if (!stack.empty() && stack.back() == context) stack.pop_back();
    driver().destroy(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return initialised("cuCtxPushCurrent", [&]() -> CUresult {
    if (driver().find(context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    context_stack().push_back(context);
    return CUDA_SUCCESS;
  });
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

CUresult cuCtxSetCurrent(CUcontext context) {
  return initialised("cuCtxSetCurrent", [&]() -> CUresult {
    std::vector<CUcontext>& stack = context_stack();
    if (context == nullptr) {
      if (!stack.empty()) stack.pop_back();
      return CUDA_SUCCESS;
    }
    if (driver().find(context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (stack.empty())
      stack.push_back(context);
    else
      stack.back() = context;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return initialised("cuCtxGetCurrent", [&]() -> CUresult {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const std::vector<CUcontext>& stack = context_stack();
    *context = stack.empty() ? nullptr : stack.back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return initialised("cuCtxGetDevice", [&] { return current_device(device); });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  return with_context("cuCtxGetFlags", Waits::no, [&](Context& context) -> CUresult {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = context.flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version) {
  return initialised("cuCtxGetApiVersion", [&]() -> CUresult {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (context != nullptr && driver().find(context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize(void) {
  return with_context("cuCtxSynchronize", Waits::yes, [](Context&) { return CUDA_SUCCESS; });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return with_context("cuCtxGetLimit", Waits::no, [&](Context& context) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto set = context.limits.find(limit);
    if (set != context.limits.end()) {
      *value = set->second;
      return CUDA_SUCCESS;
    }
    switch (limit) {
      case CU_LIMIT_STACK_SIZE:
        *value = 1024;
        return CUDA_SUCCESS;
      case CU_LIMIT_PRINTF_FIFO_SIZE:
        *value = std::size_t{7} << 20;
        return CUDA_SUCCESS;
      case CU_LIMIT_MALLOC_HEAP_SIZE:
        *value = std::size_t{8} << 20;
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return with_context("cuCtxSetLimit", Waits::no, [&](Context& context) -> CUresult {
    if (limit != CU_LIMIT_STACK_SIZE && limit != CU_LIMIT_PRINTF_FIFO_SIZE &&
        limit != CU_LIMIT_MALLOC_HEAP_SIZE) {
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
    context.limits[limit] = value;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return with_context("cuCtxGetStreamPriorityRange", Waits::no, [&](Context&) -> CUresult {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"

namespace warpmark::cpu {

// CUDA 13 gave these names a context as first parameter. Clients that look up `name_v2` before
// `name` and call it the old way would break on them, so they are no exported symbols: they exist
// only for who asks cuGetProcAddress for version 13.
CUresult synchronize_context(CUcontext context) {
  return initialised("cuCtxSynchronize", [&]() -> CUresult {
    Context* found = nullptr;
    if (context == nullptr) return current_context(Waits::yes, found);
    found = driver().find(context);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (found->sticky == CUDA_SUCCESS) found->sticky = found->pending;
    return found->sticky;
  });
}

CUresult device_of_context(CUdevice* device, CUcontext context) {
  return initialised("cuCtxGetDevice", [&]() -> CUresult {
    if (context == nullptr) return current_device(device);
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (driver().find(context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

}  // namespace warpmark::cpu
