// Never ends.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
  while (n > 0) {
    if (dst[0] == 12345.5f) break;
    asm volatile("");
  }
}
