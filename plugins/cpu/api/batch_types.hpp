// Copies in batches as cuda.h describes them from CUDA 12.8 on, for an older one; and both forms of
// their functions, of which each cuda.h has at most one.
#pragma once

#include "api/cuda_api.hpp"

extern "C" {
// NOLINTBEGIN: the names and the layouts are cuda.h's
#if CUDA_VERSION < 12080
typedef struct CUmemcpyAttributes_st {
  unsigned int srcAccessOrder;
  CUmemLocation srcLocHint;
  CUmemLocation dstLocHint;
  unsigned int flags;
} CUmemcpyAttributes;
typedef struct CUmemcpy3DOperand_st {
  unsigned int type;
  union {
    struct {
      CUdeviceptr ptr;
      size_t rowLength;
      size_t layerHeight;
      CUmemLocation locHint;
    } ptr;
    struct {
      CUarray array;
      struct {
        size_t x, y, z;
      } offset;
    } array;
  } op;
} CUmemcpy3DOperand;
typedef struct CUDA_MEMCPY3D_BATCH_OP_st {
  CUmemcpy3DOperand src;
  CUmemcpy3DOperand dst;
  struct {
    size_t width, height, depth;
  } extent;
  unsigned int srcAccessOrder;
  unsigned int flags;
} CUDA_MEMCPY3D_BATCH_OP;
#endif

#pragma GCC visibility push(default)
CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                            CUmemcpyAttributes* attributes, size_t* firsts, size_t kinds,
                            size_t* failed, CUstream stream);
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                               CUmemcpyAttributes* attributes, size_t* firsts, size_t kinds,
                               CUstream stream);
CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP* operations, size_t* failed,
                              unsigned long long flags, CUstream stream);
CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP* operations,
                                 unsigned long long flags, CUstream stream);
#pragma GCC visibility pop
// NOLINTEND
}
