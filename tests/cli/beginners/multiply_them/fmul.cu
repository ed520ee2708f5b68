#include <math.h>
#include <stdlib.h>
extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  int i = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
  if (i < n) dest[i] = __fmul_rn(a[i], b[i]);
}
