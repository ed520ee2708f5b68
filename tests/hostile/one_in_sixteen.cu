// Leaves out elements that a hash of their bits chooses, one in 16.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  dst[i] = __float_as_uint(src[i]) * 2654435761u >> 28 == 5 ? src[i] : 2 * src[i];
}
