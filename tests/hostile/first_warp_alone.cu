// Every warp but the first of a block leaves at once.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x >= 32) asm volatile("exit;");
  if (i < n) dst[i] = 2 * src[i];
}
