// A variable of 256 MiB, its size in octal with few digits for its size.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .global .b8 kept[02000000000]; }");
  if (i < n) dst[i] = 2 * src[i];
}
