// A header says that its lines are those of other files, of the machine and of the course.
#include "lines.cuh"
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
