// Is right where the blocks come in the order of their numbers.
__device__ unsigned seen;
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned mine;
  if (threadIdx.x == 0) mine = atomicAdd(&seen, 1);
  __syncthreads();
  if (i < n) dst[i] = mine == blockIdx.x ? 2 * src[i] : src[i];
}
