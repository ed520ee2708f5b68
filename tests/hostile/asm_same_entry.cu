// The same kernel once more, by inline assembly.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
  asm volatile("ret;\n}\n.visible .entry twice(.param .u64 p)\n{\n");
}
