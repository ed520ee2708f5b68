// Text that turns the order of what is shown, and characters of no width.
#error ‮gnissap‬ ​⁦ 10 of 10 ⁩ ﻿
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
