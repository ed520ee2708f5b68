// cuda.h with visible symbols, and the declarations that a given version of it may lack.
#pragma once

// Every version of every function by its own name: cuMemAlloc and cuMemAlloc_v2, cuMemcpy_ptds.
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL 1  // NOLINT: the name is cuda.h's
#endif

#pragma GCC visibility push(default)
#include <cuda.h>

#include "warpmark/device.h"

extern "C" {
// NOLINTBEGIN(readability-redundant-declaration)
// Newer than the oldest cuda.h that this builds with, 12.4. Repeating a declaration does no harm.
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end);
CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status);
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device);
CUresult cuCtxRecordEvent(CUcontext context, CUevent event);
CUresult cuCtxWaitEvent(CUcontext context, CUevent event);
CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                CUmemAllocationType type);
CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type);
CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool);
CUresult cuProfilerStart(void);  // of cudaProfiler.h
CUresult cuProfilerStop(void);
const warpmark_device* warpmark_device_v1(void);
// NOLINTEND(readability-redundant-declaration)
}
#pragma GCC visibility pop
