// Reads one element after the input, and does nothing with it that shows.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i] + 0 * src[i + 1];
}
