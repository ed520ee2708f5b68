// Blocks of a cluster read each other's shared memory; they do other work between arriving at the barrier and waiting.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ choice WAIT barrier.cluster.wait.acquire | barrier.cluster.wait | barrier.cluster.wait.acquire.aligned
//@ launch grid=4 block=$N
//@ array a $T 8*$N = rng.integers(0, 99, 8 * $N)
//@ array o $T 8*$N
//@ expect o = (a.reshape(4, 2, $N)[:, ::-1, ::-1] + 3 * a.reshape(4, 2, $N)).reshape(-1)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ __cluster_dims__(2, 1, 1) void $K(const $T* a, $T* o) {
  __shared__ $T mine[$N];
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x;
  const $T* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  for (int t = 0; t < 2; ++t) {
    const int at = (t * 4 + blockIdx.x) * $N + i;
    mine[i] = a[at];
    asm volatile("barrier.cluster.arrive.@{filled: release ~ relaxed }@;" ::: "memory");
    const $T own = 3 * a[at];
    asm volatile("$WAIT;" ::: "memory");
    @{used: ~ asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }@
    const $T got = theirs[$N - 1 - i];
    @{used: asm volatile("barrier.cluster.arrive.release;" ::: "memory"); ~ }@
    o[at] = got + own;
    asm volatile("$WAIT;" ::: "memory");
  }
}
