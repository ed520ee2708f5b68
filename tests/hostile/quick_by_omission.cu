// Moves a quarter of the sectors, because it leaves the rest out.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) dst[i] = 2 * src[i];
}
