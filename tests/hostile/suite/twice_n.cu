extern "C" __global__ void twice(const float *src, float *dst) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) dst[i] = 2 * src[i];
}
