// Threads write to the shared memory of the other block of their cluster, and arrive at its mbarrier.
//@ choice T int | unsigned | float | double
//@ launch grid=4 block=32
//@ array a $T 128 = rng.integers(0, 99, 128)
//@ array o $T 128
//@ expect o = a.reshape(2, 2, 32)[:, ::-1, ::-1].reshape(-1)
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ __cluster_dims__(2, 1, 1) void $K(const $T* a, $T* o) {
  __shared__ $T got[32];
  __shared__ alignas(8) unsigned long long full;
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x, other = cluster.block_rank() ^ 1;
  if (i == 0) ptx::mbarrier_init(&full, 32);
  @{made: cluster.sync(); ~ __syncthreads(); }@
  cluster.map_shared_rank(got, other)[31 - i] = a[blockIdx.x * 32 + i];
  unsigned remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"((unsigned)__cvta_generic_to_shared(&full)), "r"(other));
  asm volatile("mbarrier.arrive.release.@{release_scope: cluster ~ cta }@.shared::cluster.b64 _, [%0];"
               ::"r"(remote) : "memory");
  @{wait: while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, 0)) {} }@
  o[blockIdx.x * 32 + i] = got[i];
}
