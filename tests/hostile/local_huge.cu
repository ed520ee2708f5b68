// Local memory of 64 GiB for each thread.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .local .b8 deep[0x1000000000]; st.local.u8 [deep], 1; }");
  if (i < n) dst[i] = 2 * src[i];
}
