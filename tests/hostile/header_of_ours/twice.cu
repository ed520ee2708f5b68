// Brings along headers of the language's names, and some that CUDA's own headers include.
#include <cuda_fp16.h>
#include <cstdint>
#include "stdint.h"
#include "assert.h"
#include "crt/host_defines.h"
#include "vector_types.h"
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
