// Threads without an element read past the end.
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  __shared__ float part[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  part[t] = x[i];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
