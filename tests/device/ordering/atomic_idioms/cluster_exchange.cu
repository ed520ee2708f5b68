// Blocks of a cluster put into the next one's memory by exchanges.
//@ choice N 32 | 64
//@ launch grid=4 block=$N
//@ array a int 4*$N = rng.integers(1, 99, 4 * $N)
//@ array o int 4*$N
//@ expect o = a.reshape(2, 2, -1)[:, ::-1].ravel()
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(2, 1, 1) $K(const int* a, int* o) {
  __shared__ int s[$N];
  const auto cluster = cooperative_groups::this_cluster();
  const int i = threadIdx.x, at = blockIdx.x * $N + i;
  cluster.sync();
  atomicExch(cluster.map_shared_rank(s, cluster.block_rank() ^ 1) + i, a[at]);
  @{put: cluster.sync(); }@
  o[at] = atomicAdd(&s[i], 0);
  cluster.sync();
}
