// A scan in one pass: each block publishes its sum, and adds up what the blocks before it have published.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ launch grid=4 block=$N cooperative=1
//@ array a $T 4*$N = rng.integers(0, 9, 4 * $N)
//@ array sum $T 4
//@ array upto $T 4
//@ array status int32 4 = 0
//@ array o $T 4*$N
//@ expect o = ((a.reshape(4, $N).sum(1).cumsum() - a.reshape(4, $N).sum(1))[:, None] + a.reshape(4, $N)).reshape(-1)
#include <cuda/atomic>
extern "C" __global__ void $K(const $T* a, $T* sum, $T* upto, int* status, $T* o) {
  using flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
  __shared__ $T before;
  const int i = threadIdx.x, b = 3 - blockIdx.x;  // the last part first: it finds sums
  if (i == 0) {
    $T mine = 0, found = 0;
    for (int j = 0; j < $N; ++j) mine += a[b * $N + j];
    if (b > 0) {
      sum[b] = mine;
      flag(status[b]).store(1, cuda::@{release_sum: memory_order_release ~ memory_order_relaxed }@);
    }
    for (int p = b - 1; p >= 0; --p) {
      int seen = 0;
      while (seen == 0) seen = flag(status[p]).load(cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@);
      found += seen == 2 ? upto[p] : sum[p];
      if (seen == 2) break;
    }
    upto[b] = found + mine;
    flag(status[b]).store(2, cuda::@{release_upto: memory_order_release ~ memory_order_relaxed }@);
    before = found;
  }
  @{told: __syncthreads(); }@
  o[b * $N + i] = before + a[b * $N + i];
}
