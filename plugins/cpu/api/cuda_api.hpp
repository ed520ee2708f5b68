// cuda.h with visible symbols, and the declarations that a given version of it may lack.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>

#include "warpmark/device.h"

extern "C" {
CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device);
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end);
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end);
#undef cuDeviceGetUuid
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device);
CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status);
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags);
const warpmark_device* warpmark_device_v1(void);
}
#pragma GCC visibility pop
