// The sum and the greatest element of an array by one block, in a tree over shared memory. Any
// number of threads will do: where it is odd, the middle one keeps its value.

extern "C" __global__ void sum_by_block(const float *x, float *total, int n) {
  extern __shared__ float value[];
  const unsigned t = threadIdx.x;
  float sum = 0;
  for (int i = t; i < n; i += blockDim.x) sum += x[i];
  value[t] = sum;
  for (unsigned count = blockDim.x; count > 1;) {
    const unsigned half = (count + 1) / 2;
    __syncthreads();
    if (t + half < count) value[t] += value[t + half];
    count = half;
  }
  if (t == 0) *total = value[0];
}

extern "C" __global__ void max_by_block(const int *x, int *greatest, int n) {
  extern __shared__ int most[];
  const unsigned t = threadIdx.x;
  int best = x[0];
  for (int i = t; i < n; i += blockDim.x) best = max(best, x[i]);
  most[t] = best;
  for (unsigned count = blockDim.x; count > 1;) {
    const unsigned half = (count + 1) / 2;
    __syncthreads();
    if (t + half < count) most[t] = max(most[t], most[t + half]);
    count = half;
  }
  if (t == 0) *greatest = most[0];
}
