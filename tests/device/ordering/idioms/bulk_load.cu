// A thread loads tiles with bulk copies; all threads wait at the mbarrier that counts their bytes.
//@ choice T int | unsigned | float | double
//@ choice N 64 | 128
//@ choice STEP 33 | 63
//@ choice PROXY fence.proxy.async | fence.proxy.async.shared::cta
//@ launch grid=2 block=$N
//@ array a $T 6*$N = rng.integers(0, 99, 6 * $N)
//@ array o $T 2*$N
//@ expect o = np.roll(a.reshape(2, 3, $N), -$STEP, axis=2).sum(axis=1).reshape(-1)
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ alignas(16) $T tile[$N];
  __shared__ alignas(8) unsigned long long full;
  const int i = threadIdx.x;
  if (i == 0) ptx::mbarrier_init(&full, 1);
  @{made: __syncthreads(); }@
  $T sum = 0;
  for (int t = 0; t < 3; ++t) {
    if (i == 0) {
      // The mbarrier was made, and the tile before was read, by way of the generic proxy.
      @{proxy: asm volatile("$PROXY;" ::: "memory"); }@
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(tile));
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, a + (blockIdx.x * 3 + t) * $N, sizeof(tile), &full);
    }
    @{wait: while (!ptx::mbarrier_try_wait_parity(&full, t & 1)) {} ~ __syncthreads(); }@
    sum += tile[(i + $STEP) % $N];
    @{used: __syncthreads(); }@
  }
  o[blockIdx.x * $N + i] = sum;
}
