// Counts the arrivals of half of its threads at a named barrier of the whole block, which then opens too early.
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  if (t >= 32) { asm volatile("bar.arrive 1, 128;" ::: "memory"); return; }
  asm volatile("bar.sync 1, 128;" ::: "memory");
  float sum = 0;
  for (int w = 0; w < 8; ++w) sum += s[t + 32 * w];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (t == 0) partial[blockIdx.x] = sum;
}
