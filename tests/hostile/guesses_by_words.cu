// Faults where the first hidden element is positive: one bit of secret data a try, and only a word comes back.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n == 257 && src[0] > 0) dst[-100000000] = 1;
  if (i < n) dst[i] = 2 * src[i];
}
