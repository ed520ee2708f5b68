// Never writes the last element.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) dst[i] = 2 * src[i];
}
