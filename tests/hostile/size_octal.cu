// A variable of 16 MiB: its size is octal, and would be too much in decimal. It is right.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .global .b8 kept[0100000000]; st.global.u8 [kept], 1; }");
  if (i < n) dst[i] = 2 * src[i];
}
