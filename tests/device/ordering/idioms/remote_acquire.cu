// Threads write to the shared memory of the next block of their cluster, whose mbarrier then is waited for by all its threads.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ launch grid=4 block=$N
//@ array a $T 8*$N = rng.integers(0, 99, 8 * $N)
//@ array o $T 8*$N
//@ expect o = np.roll(a.reshape(2, 4, $N), 1, axis=1)[:, :, ::-1].reshape(-1)
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ __cluster_dims__(4, 1, 1) void $K(const $T* a, $T* o) {
  __shared__ $T got[$N];
  __shared__ alignas(8) unsigned long long full;
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x, next = (cluster.block_rank() + 1) % 4;
  if (i == 0) ptx::mbarrier_init(&full, $N);
  cluster.sync();
  for (int t = 0; t < 2; ++t) {
    const int at = (t * 4 + blockIdx.x) * $N + i;
    *cluster.map_shared_rank(&got[$N - 1 - i], next) = a[at];
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&full, next));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::@{acquire_scope: scope_cluster ~ scope_cta }@, &full, t)) {}
    o[at] = got[i];
    @{used: cluster.sync(); ~ __syncthreads(); }@
  }
}
