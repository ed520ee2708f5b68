// Asks lanes for values that may have left.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = __shfl_xor_sync(0xffffffffu, src[i], 1);
  v = __shfl_xor_sync(0xffffffffu, v, 1);
  dst[i] = 2 * v;
}
