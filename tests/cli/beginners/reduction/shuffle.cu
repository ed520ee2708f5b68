__inline__ __device__ float warp_sum(float v) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset >>= 1) v += __shfl_xor_sync(~0u, v, offset);
  return v;
}

extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  __shared__ float per_warp[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  float v = warp_sum(i < n ? x[i] : 0.f);
  if (lane == 0) per_warp[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / warpSize ? per_warp[lane] : 0.f;
    v = warp_sum(v);
    if (lane == 0) sums[blockIdx.x] = v;
  }
}
