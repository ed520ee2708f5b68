// Right if the first warp happens to be done before the second begins: nothing waits for it.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? 2 * src[i] : 0;
  float other = threadIdx.x < 32 ? 0 : tile[threadIdx.x - 32];
  if (i < n) dst[i] = tile[threadIdx.x] + (other - other);
}
