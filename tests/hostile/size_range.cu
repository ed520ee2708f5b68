// A range of variables, thousands of one name.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .global .align 16 .v4 .b32 kept<4000>[1000000]; }");
  if (i < n) dst[i] = 2 * src[i];
}
