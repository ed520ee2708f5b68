#include "factor.h"
extern "C" __global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= FACTOR;
}
