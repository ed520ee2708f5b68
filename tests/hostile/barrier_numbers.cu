// Barriers of numbers and counts that no block has.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .reg .b32 a, b; mov.b32 a, %0; add.s32 a, a, 1000000; mov.b32 b, -32; barrier.sync a, b; }" ::"r"(n));
  if (i < n) dst[i] = 2 * src[i];
}
