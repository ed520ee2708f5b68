// Prints without end from every thread.
#include <stdio.h>

extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 100000; ++k) printf("%d flood of text that nobody wants to read\n", i);
}
