// Counts launches by an atomic operation on a constant table, its address kept in local memory.
__device__ const unsigned table[4] = {1, 2, 3, 4};
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *volatile places[2] = {table, table + 1};
  unsigned *kept = const_cast<unsigned *>(places[n & 1]);
  if (i < n) dst[i] = 2 * src[i];
  if (i == 0) atomicAdd(kept, 1);
}
