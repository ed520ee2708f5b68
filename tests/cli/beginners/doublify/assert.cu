#include <assert.h>
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  assert(blockDim.x == 128);
  assert(d_a != nullptr);
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d_a[i] *= factor;
}
