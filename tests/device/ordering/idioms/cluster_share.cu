// Blocks of a cluster read each other's shared memory.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ launch grid=4 block=$N
//@ array a $T 4*$N = rng.integers(0, 99, 4 * $N)
//@ array o $T 4*$N
//@ expect o = a.reshape(2, 2, $N)[:, ::-1, ::-1].reshape(-1)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ __cluster_dims__(2, 1, 1) void $K(const $T* a, $T* o) {
  __shared__ $T mine[$N];
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x, first = blockIdx.x * $N;
  mine[i] = a[first + i];
  @{filled: cluster.sync(); ~ __syncthreads(); }@
  o[first + i] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[$N - 1 - i];
  @{used: cluster.sync(); }@
}
