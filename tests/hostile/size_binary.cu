// A variable of 64 GiB, its size in binary.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .global .b8 kept[0b1000000000000000000000000000000000000]; }");
  if (i < n) dst[i] = 2 * src[i];
}
