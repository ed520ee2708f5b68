// Allocates without end.
#include <stdlib.h>

extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 1000; ++k) {
    float *p = static_cast<float *>(malloc(1 << 24));
    if (p != nullptr) p[i] = 1;
  }
  if (i < n) dst[i] = 2 * src[i];
}
