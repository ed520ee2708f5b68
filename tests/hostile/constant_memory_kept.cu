// Stores into constant memory through its generic address.
__constant__ unsigned table[4] = {1, 2, 3, 4};
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i] + (table[i & 3] > 9);
  if (i == 0) *const_cast<volatile unsigned *>(&table[1]) = 17;
}
