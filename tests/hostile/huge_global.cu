// A variable of 256 GiB.
__device__ char big[1L << 38];

extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i] + big[i];
}
