// Threads of a warp wait at different barriers, each for the others.
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  __shared__ float part[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? x[i] : 0;
  for (int half = 64; half > 0; half /= 2) {
    if (t % 2 == 0) {
      __syncthreads();
    } else {
      __syncwarp();
    }
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
