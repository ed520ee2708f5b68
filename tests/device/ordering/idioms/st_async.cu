// The threads of a block store to the other block of their cluster, whose mbarrier counts the bytes.
//@ choice T int | unsigned
//@ launch grid=4 block=32
//@ array a $T 128 = rng.integers(0, 99, 128)
//@ array o $T 128
//@ expect o = a.reshape(2, 2, 32)[:, ::-1, ::-1].reshape(-1)
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ __cluster_dims__(2, 1, 1) void $K(const $T* a, $T* o) {
  __shared__ alignas(16) $T got[32];
  __shared__ alignas(8) unsigned long long full;
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x, other = cluster.block_rank() ^ 1;
  if (i == 0) {
    ptx::mbarrier_init(&full, 1);
    @{init_fence: asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }@
  }
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");
  if (i == 0) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &full, sizeof(got));
  ptx::st_async(cluster.map_shared_rank(&got[31 - i], other), a[blockIdx.x * 32 + i], cluster.map_shared_rank(&full, other));
  @{wait: while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, 0)) {} ~ cluster.sync(); }@
  o[blockIdx.x * 32 + i] = got[i];
}
