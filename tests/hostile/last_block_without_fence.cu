// Counts blocks by an atomic operation without a fence, and lets the last one read what the others stored, by __ldcg.
extern "C" __global__ void scan(const int *x, int *y, unsigned *state, int n) {
  __shared__ unsigned ticket;
  const int t = threadIdx.x, b = blockIdx.x, i = b * 256 + t;
  if (i < n) __stcg(&y[i], x[i]);
  __syncthreads();
  if (t == 0) ticket = atomicAdd(&state[0], 1);
  __syncthreads();
  if (ticket != gridDim.x - 1 || t) return;
  int sum = 0;
  for (int k = 0; k < n; ++k) { sum += __ldcg(&y[k]); __stcg(&y[k], sum); }
}
