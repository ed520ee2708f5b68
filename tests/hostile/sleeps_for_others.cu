// Sleeps in place of a barrier.
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  for (int k = 0; k < 100; ++k) __nanosleep(1000);
  if (t == 0) { float sum = 0; for (int k = 0; k < 256; ++k) sum += s[k]; partial[blockIdx.x] = sum; }
}
