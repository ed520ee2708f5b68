// Reports without end: every thread reads past both ends in a loop.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 1; k < 100000; ++k) sum += src[n + k] + src[-k];
  if (sum == 12) n = 0;
  if (i < n) dst[i] = 2 * src[i];
}
