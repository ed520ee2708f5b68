// Variables of 256 MiB in one statement, sizes with a suffix and in several dimensions.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .global .b8 small[4], kept[0x1000U][0X10000U]; }");
  if (i < n) dst[i] = 2 * src[i];
}
