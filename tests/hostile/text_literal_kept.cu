// Keeps a count in the text of a string literal.
__device__ __noinline__ char *text() { return const_cast<char *>("0000"); }
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile char *kept = text();
  if (i < n) dst[i] = 2 * src[i] + (kept[0] != '0');
  kept[0] = '1';
}
