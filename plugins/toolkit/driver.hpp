// The driver of the process, libcuda.so.1: what nvJitLink's stand-in has PTX linked by.
#pragma once

#include <cuda.h>

namespace warpmark::toolkit {

struct Driver {
  decltype(&::cuInit) init = nullptr;
  CUresult (*context_create)(CUcontext*, unsigned, CUdevice) = nullptr;  ///< of CUDA 3.2
  decltype(&::cuCtxDestroy) context_destroy = nullptr;
  decltype(&::cuCtxPopCurrent) pop = nullptr;
  decltype(&::cuLinkCreate) link_create = nullptr;
  decltype(&::cuLinkAddData) link_add = nullptr;
  decltype(&::cuLinkComplete) link_complete = nullptr;
  decltype(&::cuLinkDestroy) link_destroy = nullptr;
};

/// Null if it cannot be opened, or is not one.
const Driver* driver();

}  // namespace warpmark::toolkit
