// Leaves a mark behind the output for the next launch.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) dst[n + 15] = 1;
  if (i < n) dst[i] = 2 * src[i];
}
