// One wrong element, the last.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = (i == n - 1 ? 2.0001f : 2.0f) * src[i];
}
