extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t < 64) {
    const int i = blockIdx.x * 128 + t;
    float v = 0;
    if (i < n) v += x[i];
    if (i + 64 < n) v += x[i + 64];
    s[t] = v;
  }
  for (int k = 32; k > 0; k >>= 1) {
    __syncthreads();
    if (t < k) s[t] += s[t + k];
  }
  if (t == 0) sums[blockIdx.x] = *s;
}
