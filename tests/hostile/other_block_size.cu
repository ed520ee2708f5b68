// Requires another block by a directive in inline assembly.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("ret;\n}\n.visible .entry other(.param .u64 p) .reqntid 7, 1, 1 .maxnreg 16\n{\n");
  if (i < n) dst[i] = 2 * src[i];
}
