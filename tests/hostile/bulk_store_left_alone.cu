// Stores its results by a bulk copy and exits without a wait, so that the shared memory is gone before it is read.
extern "C" __global__ void silu(const float *x, float *y, int n) {
  __shared__ alignas(128) float s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t, k = min(128, n - (int)blockIdx.x * 128), whole = k / 4 * 4;
  float v = i < n ? x[i] / (1 + expf(-x[i])) : 0;
  s[t] = v;
  if (t >= whole && i < n) y[i] = v;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (t == 0 && whole) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(y + blockIdx.x * 128), "r"((unsigned)__cvta_generic_to_shared(s)), "r"(whole * 4) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
}
