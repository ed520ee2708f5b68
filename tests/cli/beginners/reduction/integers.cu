// The elements are whole numbers, which a long long adds up as well.
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  __shared__ long long part[128];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  part[t] = 0;
  if (i < n) part[t] = (long long)x[i];
  __syncthreads();
  for (int k = 64; k >= 1; k /= 2) {
    if (t < k) part[t] = part[t] + part[t + k];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
