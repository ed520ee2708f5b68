// Bounds its launch to fewer threads than the suite's block has.
extern "C" __global__ void __launch_bounds__(32, 1)  twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
