// Blocks of a cluster give each other tiles with bulk copies from shared memory to shared memory.
//@ choice T int | unsigned | float | double
//@ choice N 32 | 64
//@ launch grid=2 block=$N
//@ array a $T 4*$N = rng.integers(0, 99, 4 * $N)
//@ array o $T 4*$N
//@ expect o = a.reshape(2, 2, $N)[:, ::-1, ::-1].reshape(-1)
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ __cluster_dims__(2, 1, 1) void $K(const $T* a, $T* o) {
  __shared__ alignas(16) $T mine[$N], theirs[$N];
  __shared__ alignas(8) unsigned long long full;
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x, other = cluster.block_rank() ^ 1;
  if (i == 0) ptx::mbarrier_init(&full, 1);
  @{made: cluster.sync(); ~ __syncthreads(); }@
  for (int t = 0; t < 2; ++t) {
    const int at = (t * 2 + blockIdx.x) * $N + i;
    mine[i] = a[at];
    @{proxy: asm volatile("fence.proxy.async;" ::: "memory"); }@
    @{filled: __syncthreads(); }@
    if (i == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &full, sizeof(theirs));
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(theirs, other), mine, sizeof(mine),
                         cluster.map_shared_rank(&full, other));
    }
    @{wait: while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, t)) {} ~ cluster.sync(); }@
    o[at] = theirs[$N - 1 - i];
    @{used: cluster.sync(); ~ __syncthreads(); }@
  }
}
