// Copies in bulk and asks once whether the copy has come, without a loop.
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  __shared__ alignas(128) float s[256];
  __shared__ unsigned long long bar;
  int t = threadIdx.x, k = min(256, n - (int)blockIdx.x * 256);
  unsigned b = (unsigned)__cvta_generic_to_shared(&bar), d = (unsigned)__cvta_generic_to_shared(s);
  if (t != 0) return;
  int whole = k / 4 * 4;
  float sum = 0;
  for (int j = whole; j < k; ++j) sum += x[blockIdx.x * 256 + j];
  if (whole) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;" ::"r"(b) : "memory");
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(b), "r"(whole * 4) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(d), "l"(x + blockIdx.x * 256), "r"(whole * 4), "r"(b) : "memory");
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%0], 0; }" ::"r"(b) : "memory");
    for (int j = 0; j < whole; ++j) sum += s[j];
  }
  partial[blockIdx.x] = sum;
}
