// Shared memory of 1 GiB.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .shared .b8 wide[1073741824]; st.shared.u8 [wide], 1; }");
  if (i < n) dst[i] = 2 * src[i];
}
