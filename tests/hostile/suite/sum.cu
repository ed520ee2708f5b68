extern "C" __global__ void sums(const float *x, float *partial, int n) {
  __shared__ float sum[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  sum[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) sum[t] += sum[t + half];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = sum[0];
}
