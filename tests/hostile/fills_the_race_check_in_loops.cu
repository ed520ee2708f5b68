// Releases at three thousand places of shared memory by each warp, more than the check of races remembers, and then races.
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  __shared__ float s[256];
  __shared__ unsigned places[3000];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  for (int k = t; k < 3000; k += 256) places[k] = 0;
  __syncthreads();
  s[t] = i < n ? x[i] : 0;
  unsigned b = (unsigned)__cvta_generic_to_shared(places);
  if (t == 0 || t == 255) for (int k = 0; k < 3000; ++k)
    asm volatile("red.release.cta.shared.add.u32 [%0], 1;" ::"r"(b + 4 * k) : "memory");
  if (t == 0) {
    unsigned v, all = 0;
    for (int k = 0; k < 3000; ++k) { asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(v) : "r"(b + 4 * k) : "memory"); all += v; }
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += s[k];
    partial[blockIdx.x] = sum;
  }
}
