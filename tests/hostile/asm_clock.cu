// The clock in inline assembly, under a name of its own.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long now;
  asm volatile("{ .reg .b64 t; mov\n.u64 t, %%clock64; mov.b64 %0, t; }" : "=l"(now));
  if (i < n) dst[i] = 2 * src[i] + (now == 1);
}
