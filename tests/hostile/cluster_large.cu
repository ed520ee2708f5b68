// Asks for clusters that no grid of the suite fits.
extern "C" __global__ void __cluster_dims__(7, 1, 1)  twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
