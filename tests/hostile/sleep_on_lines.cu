// A nanosleep whose parts stand on lines of their own.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("nanosleep\n// .u64\n.u32\n 4000000000;");
  if (i < n) dst[i] = 2 * src[i];
}
