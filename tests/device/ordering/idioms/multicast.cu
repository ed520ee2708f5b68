// One block of a cluster loads tiles for both with multicast; each waits at its own mbarrier.
//@ choice T int | unsigned | float | double
//@ choice N 32 | 64
//@ launch grid=2 block=$N
//@ array a $T 3*$N = rng.integers(0, 99, 3 * $N)
//@ array o $T 2*$N
//@ expect o = np.tile(a.reshape(3, $N)[:, ::-1].sum(axis=0), 2)
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ __cluster_dims__(2, 1, 1) void $K(const $T* a, $T* o) {
  __shared__ alignas(16) $T tile[$N];
  __shared__ alignas(8) unsigned long long full;
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x;
  if (i == 0) ptx::mbarrier_init(&full, 1);
  @{made: cluster.sync(); ~ __syncthreads(); }@
  $T sum = 0;
  for (int t = 0; t < 3; ++t) {
    if (i == 0) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &full, sizeof(tile));
    if (i == 0 && cluster.block_rank() == 0) {
      @{proxy: asm volatile("fence.proxy.async;" ::: "memory"); }@
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                   " [%0], [%1], %2, [%3], %4;"
                   ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(a + t * $N), "r"((unsigned)sizeof(tile)),
                   "r"((unsigned)__cvta_generic_to_shared(&full)), "h"((unsigned short)3) : "memory");
    }
    @{wait: while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, t & 1)) {} ~ cluster.sync(); }@
    sum += tile[$N - 1 - i];
    @{used: cluster.sync(); ~ __syncthreads(); }@
  }
  o[blockIdx.x * $N + i] = sum;
}
