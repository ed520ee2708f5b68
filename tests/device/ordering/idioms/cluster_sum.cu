// The blocks of a cluster add up in the shared memory of the first of them.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ launch grid=4 block=$N
//@ array a $T 4*$N = rng.integers(0, 9, 4 * $N)
//@ array o $T 2
//@ expect o = a.reshape(2, 2 * $N).sum(axis=1)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ __cluster_dims__(2, 1, 1) void $K(const $T* a, $T* o) {
  __shared__ $T sum;
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x;
  if (i == 0) sum = 0;
  @{cleared: cluster.sync(); ~ __syncthreads(); }@
  atomicAdd(cluster.map_shared_rank(&sum, 0), a[blockIdx.x * $N + i]);
  @{added: cluster.sync(); ~ __syncthreads(); }@
  if (cluster.block_rank() == 0 && i == 0) o[blockIdx.x / 2] = sum;
}
