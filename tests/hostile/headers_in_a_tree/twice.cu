// Each header includes the next one ten times: ten thousand million lines of nothing.
#include "tree0.cuh"
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
