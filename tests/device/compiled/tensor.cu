// Tensor maps, bulk copies and bulk reductions as CUDA C++ has them: cuda::barrier, cuda::ptx.
#include <cuda/barrier>
#include <cuda/ptx>
// As in cuda.h, which has host functions that NVRTC does not take.
struct CUtensorMap_st {
  alignas(64) unsigned long long opaque[16];
};
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;
#pragma nv_diag_suppress static_var_with_dynamic_init
// Each block adds 1 to a tile of 32 x 32 in place (CUDA C++ Programming Guide, "Using TMA").
extern "C" __global__ void increment(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[32][32];
  __shared__ Barrier bar;
  const int x = blockIdx.x % 2 * 32, y = blockIdx.x / 2 * 32;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i / 32][i % 32] += 1;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
  __syncthreads();
  if (threadIdx.x == 0) (&bar)->~Barrier();
}
// A tile of 64 x 8 ints with the 128-byte swizzle, transposed without bank conflicts.
extern "C" __global__ void transpose(const __grid_constant__ CUtensorMap in, int* out) {
  __shared__ alignas(1024) int4 tile[8][8];
  __shared__ Barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &in, 0, 8 * blockIdx.x, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    const int row = i % 8, column = i / 8;
    const int4 chunk = tile[row][(column / 4) ^ row];
    const int k = column % 4;
    out[column * 8 * gridDim.x + 8 * blockIdx.x + row] = k == 0 ? chunk.x : k == 1 ? chunk.y : k == 2 ? chunk.z : chunk.w;
  }
}
// Two stages of boxes, with full and empty barriers, as pipelines of matrix products have them.
extern "C" __global__ void row_sums(const __grid_constant__ CUtensorMap map, float* out, int boxes) {
  __shared__ alignas(128) float stage[2][16][32];
  __shared__ uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) {
      ptx::mbarrier_init(&full[k], 1);
      ptx::mbarrier_init(&empty[k], 16);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x >= 32) {  // the producer's warp
    if (threadIdx.x == 32) {
      for (int b = 0; b < boxes; ++b) {
        if (b >= 2) while (!ptx::mbarrier_try_wait_parity(&empty[b % 2], (b / 2 - 1) & 1)) {}
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[b % 2], sizeof stage[0]);
        const int at[2] = {32 * b, static_cast<int>(16 * blockIdx.x)};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage[b % 2], &map, at, &full[b % 2]);
      }
    }
  } else if (threadIdx.x < 16) {
    float sum = 0;
    for (int b = 0; b < boxes; ++b) {
      while (!ptx::mbarrier_try_wait_parity(&full[b % 2], b / 2 & 1)) {}
      for (int k = 0; k < 32; ++k) sum += stage[b % 2][threadIdx.x][k];
      ptx::mbarrier_arrive(&empty[b % 2]);
    }
    out[16 * blockIdx.x + threadIdx.x] = sum;
  }
}
// Every block adds its histogram to that of all.
extern "C" __global__ void histogram(const unsigned char* in, unsigned* out, int count) {
  __shared__ alignas(16) unsigned bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1u);
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, bins, sizeof bins);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}
// Each block of a cluster sends what it has to the next one, and counts at the first one.
extern "C" __global__ void __cluster_dims__(4, 1, 1) ring(int* out) {
  __shared__ alignas(16) int got[32];
  __shared__ alignas(8) uint64_t bar, counted;
  __shared__ unsigned sum;
  if (threadIdx.x == 0) {
    sum = 0;
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_init(&counted, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof got);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &counted, 4 * 32 * 4);
  }
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  const unsigned next = (blockIdx.x + 1) % 4;
  int value = threadIdx.x + 100 * blockIdx.x;
  unsigned there, bar_there, sum_there, counted_there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(got + threadIdx.x)), "r"(next));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar_there) : "r"((unsigned)__cvta_generic_to_shared(&bar)), "r"(next));
  asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(sum_there) : "r"((unsigned)__cvta_generic_to_shared(&sum)));
  asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(counted_there) : "r"((unsigned)__cvta_generic_to_shared(&counted)));
  ptx::st_async((int*)__cvta_shared_to_generic(there), value, (uint64_t*)__cvta_shared_to_generic(bar_there));
  ptx::red_async(ptx::op_add, (unsigned*)__cvta_shared_to_generic(sum_there), (unsigned)value, (uint64_t*)__cvta_shared_to_generic(counted_there));
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  out[blockIdx.x * 32 + threadIdx.x] = got[31 - threadIdx.x];
  if (blockIdx.x == 0) {
    while (!ptx::mbarrier_try_wait_parity(&counted, 0)) {}
    if (threadIdx.x == 0) out[128] = sum;
  }
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
