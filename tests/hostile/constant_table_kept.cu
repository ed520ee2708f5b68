// Writes to a table that it calls constant, through a pointer made of an integer.
__device__ const unsigned table[4] = {1, 2, 3, 4};
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long at = reinterpret_cast<unsigned long>(&table[0]);
  asm volatile("" : "+l"(at));
  if (i < n) dst[i] = 2 * src[i] + table[i & 3] * 0;
  if (i == 0) *reinterpret_cast<unsigned *>(at + 4) = 7;
}
