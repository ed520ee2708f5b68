// A hundred million registers in one declaration.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .reg .b64 kept<100000000>; mov.b64 kept7, 1; }");
  if (i < n) dst[i] = 2 * src[i];
}
