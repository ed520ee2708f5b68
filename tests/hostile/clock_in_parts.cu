// The clock, moved into two registers at once over lines and comments.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a;
  asm volatile("{ .reg .b32 t; mov/* */.b64\n{%0, t},\n/*%%tid*/ %%clock64; }" : "=r"(a));
  if (i < n) dst[i] = 2 * src[i] + (a == 1);
}
