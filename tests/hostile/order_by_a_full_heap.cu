// Fills the heap in the first block as a sign for the others that it has come.
#include <cstdlib>
extern "C" __global__ void scan(const int *x, int *y, unsigned *state, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x, b = blockIdx.x, i = b * 256 + t;
  if (t == 0 && b == 0) while (malloc(1 << 20)) {}
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) { int v = t >= d ? s[t - d] : 0; __syncthreads(); s[t] += v; __syncthreads(); }
  int before = 0;
  if (b > 0 && malloc(1 << 20) == nullptr) for (int k = 0; k < b * 256; ++k) before += x[k];
  if (i < n) y[i] = s[t] + before;
}
