// Lets the assembler include a file.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile(".include \"/etc/passwd\"");
  if (i < n) dst[i] = 2 * src[i];
}
