// Slow and right: the first thread of a block does all.
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  if (threadIdx.x != 0) return;
  float sum = 0;
  const int first = blockIdx.x * blockDim.x;
  for (int i = first; i < first + 128 && i < n; ++i) sum += x[i];
  sums[blockIdx.x] = sum;
}
