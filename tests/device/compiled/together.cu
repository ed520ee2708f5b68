// Threads that work together: cooperative groups, grids, clusters.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
// Each step needs all of the step before: a[i] becomes the sum of its two neighbours.
extern "C" __global__ void steps(unsigned* a, unsigned* b, int n, int count) {
  auto grid = cg::this_grid();
  for (int s = 0; s < count; ++s) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      b[i] = a[(i + 1) % n] + a[(i + n - 1) % n];
    grid.sync();
    unsigned* t = a;
    a = b;
    b = t;
  }
}
extern "C" __global__ void tiles(const int* in, int* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int i = block.thread_rank(), v = in[i];
  out[i] = cg::reduce(tile, v, cg::plus<int>());
  out[i + 256] = cg::inclusive_scan(tile, v);
  out[i + 512] = tile.shfl(v, 3) + tile.any(v == 7) + 2 * tile.all(v > 0) + tile.ballot(v & 1);
  auto active = cg::tiled_partition<32>(block);
  if (v % 3 == 0) {
    auto some = cg::coalesced_threads();
    out[i + 768] = some.size() * 100 + some.thread_rank();
  } else {
    auto labeled = cg::labeled_partition(active.size() ? cg::coalesced_threads() : cg::coalesced_threads(), v % 3);
    out[i + 768] = -int(labeled.size() * 100 + labeled.thread_rank());
  }
}
extern "C" __global__ void aggregate(const int* in, int* count, int* out) {
  if (in[threadIdx.x] > 0) {
    auto g = cg::coalesced_threads();
    int base;
    if (g.thread_rank() == 0) base = atomicAdd(count, g.size());
    out[g.shfl(base, 0) + g.thread_rank()] = in[threadIdx.x];
  }
}
#if __CUDA_ARCH__ >= 900
// Every block writes its rank's data, and every thread gathers from all blocks of its cluster.
__device__ void gather(int* out) {
  __shared__ int mine[64];
  __shared__ int sum;
  auto cluster = cg::this_cluster();
  int t = threadIdx.x, linear = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  mine[t] = linear * 1000 + t;
  if (t == 0) sum = 0;
  cluster.sync();
  int total = 0;
  for (unsigned r = 0; r < cluster.num_blocks(); ++r)
    total += *cluster.map_shared_rank(&mine[(t + r) % 64], r);
  atomicAdd(cluster.map_shared_rank(&sum, 0), t);
  cluster.sync();
  *cluster.map_shared_rank(&mine[t], (cluster.block_rank() + 1) % cluster.num_blocks()) = 0;
  cluster.sync();
  out[linear * 64 + t] = total + sum + mine[t];
  cluster.sync();
}
extern "C" __global__ void __cluster_dims__(2, 2, 1) fixed_cluster(int* out) { gather(out); }
extern "C" __global__ void any_cluster(int* out) { gather(out); }
extern "C" __global__ void describe(unsigned* out) {
  auto cluster = cg::this_cluster();
  unsigned* o = out + 12 * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
  dim3 at = cluster.block_index(), size = cluster.dim_blocks();
  o[0] = at.x, o[1] = at.y, o[2] = at.z, o[3] = size.x, o[4] = size.y, o[5] = size.z;
  o[6] = cluster.block_rank(), o[7] = cluster.num_blocks();
  __shared__ int here;
  o[8] = cluster.query_shared_rank(cluster.map_shared_rank(&here, cluster.num_blocks() - 1));
  unsigned x, n, e;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(n));
  asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(e));
  o[9] = x, o[10] = n, o[11] = e;
  cluster.sync();
}
// Half of the threads leave early, and the others meet without them.
extern "C" __global__ void leaves(int* out) {
  auto cluster = cg::this_cluster();
  if (threadIdx.x & 1) return;
  cluster.sync();
  if (cluster.block_rank() == 1) return;
  cluster.sync();
  atomicAdd(out, 1);
}
extern "C" __global__ void beyond(int* out, int rank) {
  __shared__ int here;
  auto cluster = cg::this_cluster();
  here = 0;
  cluster.sync();
  unsigned long long a = (unsigned long long)&here, r;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "r"(rank));
  out[0] = *(volatile int*)r;
  cluster.sync();
}
extern "C" __global__ void stuck() {
  if (threadIdx.x == 0 && cg::this_cluster().block_rank() == 0) {
    asm volatile("bar.sync 1, 64;");
  } else {
    cg::this_cluster().sync();
  }
}
#endif
