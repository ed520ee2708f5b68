#include <stddef.h>
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const size_t count = n;
  if (i < count) { d_a[i] *= factor; }
}
