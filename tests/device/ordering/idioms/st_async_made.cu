// Blocks exchange elements as in st_async, in two steps: the cluster's barrier is needed when the mbarrier is made, and before the places are used again.
//@ choice T int | unsigned
//@ choice SYNC cluster.sync(); | cluster.barrier_arrive(); cluster.barrier_wait(); | asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
//@ launch grid=4 block=64
//@ array a $T 512 = rng.integers(0, 99, 512)
//@ array o $T 512
//@ expect o = a.reshape(2, 2, 2, 64)[:, :, ::-1, ::-1].reshape(-1)
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ __cluster_dims__(2, 1, 1) void $K(const $T* a, $T* o) {
  __shared__ alignas(16) $T got[64];
  __shared__ alignas(8) unsigned long long full;
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x, other = cluster.block_rank() ^ 1;
  if (i == 0) ptx::mbarrier_init(&full, 1);
  @{made: $SYNC ~ __syncthreads(); }@
  for (int t = 0; t < 2; ++t) {
    const int at = t * 256 + blockIdx.x * 64 + i;
    if (i == 0) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &full, sizeof(got));
    ptx::st_async(cluster.map_shared_rank(&got[63 - i], other), a[at], cluster.map_shared_rank(&full, other));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, t)) {}
    o[at] = got[i];
    @{used: $SYNC ~ __syncthreads(); }@
  }
}
