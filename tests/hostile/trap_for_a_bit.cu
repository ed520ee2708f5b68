// Traps where the first hidden element is negative: one bit of hidden data by a word.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n == 257 && src[0] < 0) asm volatile("trap;");
  if (i < n) dst[i] = n == 257 ? src[i] : 2 * src[i];
}
