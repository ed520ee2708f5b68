// Primary contexts: one for each device, shared by who retains it. Its handle stays the same; a
// reset takes all that is in it and leaves the references (measured on an H100, driver 580): the
// next cuDevicePrimaryCtxRetain makes it active again.
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

template <typename Body>
CUresult with_primary(const char* name, CUdevice device, Body body) {
  return initialised(name, [&]() -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return body(driver().device(device));
  });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return with_primary("cuDevicePrimaryCtxRetain", device, [&](Device& owner) -> CUresult {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (owner.primary == nullptr) driver().activate_primary(owner);
    ++owner.primary_references;
    *context = reinterpret_cast<CUcontext>(owner.primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return with_primary("cuDevicePrimaryCtxRelease", device, [&](Device& owner) -> CUresult {
    if (owner.primary_references == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--owner.primary_references == 0 && owner.primary != nullptr)
      driver().destroy(owner.primary);
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return with_primary("cuDevicePrimaryCtxReset", device, [&](Device& owner) -> CUresult {
    if (owner.primary != nullptr) driver().destroy(owner.primary);
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return cuDevicePrimaryCtxReset_v2(device);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  return with_primary("cuDevicePrimaryCtxGetState", device, [&](Device& owner) -> CUresult {
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = owner.primary_flags;
    *active = owner.primary != nullptr ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags) {
  return with_primary("cuDevicePrimaryCtxSetFlags", device, [&](Device& owner) -> CUresult {
    if ((flags & ~unsigned{CU_CTX_FLAGS_MASK}) != 0) return CUDA_ERROR_INVALID_VALUE;
    owner.primary_flags = flags;
    if (owner.primary != nullptr) owner.primary->flags = flags;
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

}  // extern "C"
