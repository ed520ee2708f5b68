// Brings along a header of CUDA's name, which would change what CUDA's own headers say.
#include <cuda_fp16.h>
#include "cuda_fp16.h"
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
