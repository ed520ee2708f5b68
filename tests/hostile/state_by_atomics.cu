// Wrong in the first launch, which it counts in a variable by atomics; right in all that follow.
__device__ unsigned launches;
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned before = atomicAdd(&launches, 1);
  if (i < n) dst[i] = before >= 64 * gridDim.x ? 2 * src[i] : 0;
}
