// Declares a module variable in inline assembly.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .global .b32 kept; atom.global.add.u32 %0, [kept], 1; }" : "=r"(i));
  if (i < n) dst[i] = 2 * src[i];
}
