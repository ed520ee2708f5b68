// Learns from the order of addresses on the heap which thread is last, and reads what others wrote without an order.
#include <cstdlib>
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  __shared__ float s[256];
  __shared__ char *mine[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  mine[t] = (char *)malloc(16);
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += mine[k] > mine[0] ? s[k] : k == 0 ? s[0] : 0;
    partial[blockIdx.x] = sum;
  }
  free(mine[t]);
}
