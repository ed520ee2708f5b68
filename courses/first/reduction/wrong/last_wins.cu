// Every thread overwrites the result.
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sums[blockIdx.x] = x[i];
}
