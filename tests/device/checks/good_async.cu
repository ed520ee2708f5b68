// Correct: asynchronous copies, mbarriers, matrices, clusters and cooperative grids.
//@ least 80
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

//@ good copy_and_wait block=32 args="float32[128]= float32[128]"
extern "C" __global__ void copy_and_wait(const float* a, float* b) {
  __shared__ __align__(16) float s[128];
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(s + threadIdx.x * 4)), "l"(a + threadIdx.x * 4) : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  for (int i = 0; i < 4; ++i) b[threadIdx.x * 4 + i] = s[127 - threadIdx.x * 4 - i];
}

//@ good copies_in_two_stages grid=2 block=64 args="float32[1024]= float32[128]"
extern "C" __global__ void copies_in_two_stages(const float* a, float* b) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  const float* from = a + blockIdx.x * 512 + t;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group;" ::"r"(at(&s[0][t])), "l"(from) : "memory");
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    if (k < 7) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&s[(k + 1) % 2][t])), "l"(from + (k + 1) * 64) : "memory");
    asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    sum += s[k % 2][63 - t];
    __syncthreads();
  }
  b[blockIdx.x * 64 + t] = sum;
}

//@ good copy_of_a_part_fills_with_zeros block=32 args="float32[126]= float32[128]"
extern "C" __global__ void copy_of_a_part_fills_with_zeros(const float* a, float* b) {
  __shared__ __align__(16) float s[128];
  int bytes = threadIdx.x == 31 ? 8 : 16;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at(s + threadIdx.x * 4)), "l"(a + threadIdx.x * 4), "r"(bytes) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (int i = 0; i < 4; ++i) b[threadIdx.x * 4 + i] = s[threadIdx.x * 4 + i];
}

//@ good mbarrier_of_a_block block=64 args="int32[64]= int32[64]"
__device__ void wait_for(unsigned bar, int parity) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  } while (!done);
}
__device__ void arrive_at(unsigned bar) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(bar) : "memory");
}
extern "C" __global__ void mbarrier_of_a_block(const int* a, int* b) {
  __shared__ __align__(8) unsigned long long bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at(&bar)) : "memory");
  __syncthreads();
  int v = a[threadIdx.x];
  for (int phase = 0; phase < 4; ++phase) {
    s[threadIdx.x] = v;
    arrive_at(at(&bar));
    wait_for(at(&bar), phase % 2);
    v += s[63 - threadIdx.x];
    __syncthreads();
  }
  b[threadIdx.x] = v;
}

//@ good mbarriers_full_and_empty block=64 args="int32[256]= int32[256]"
extern "C" __global__ void mbarriers_full_and_empty(const int* a, int* b) {
  __shared__ __align__(8) unsigned long long full[2], empty[2];
  __shared__ int s[2][32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 2) {
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(full + threadIdx.x)) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(empty + threadIdx.x)) : "memory");
  }
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    int stage = k % 2, round = k / 2;
    if (threadIdx.x < 32) {
      if (round > 0) wait_for(at(empty + stage), (round - 1) % 2);
      s[stage][lane] = a[k * 32 + lane];
      arrive_at(at(full + stage));
    } else {
      wait_for(at(full + stage), round % 2);
      b[k * 32 + lane] = s[stage][31 - lane];
      arrive_at(at(empty + stage));
    }
  }
}

//@ good whole_grid_waits grid=4 block=32 cooperative=1 args="int32[128]= int32[128]"
extern "C" __global__ void whole_grid_waits(int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  a[i] *= 2;
  cg::this_grid().sync();
  b[i] = a[127 - i];
  cg::this_grid().sync();
  a[i] = b[(i + 32) % 128];
}

//@ good tiles_of_a_warp block=64 args="int32[64]= int32[64]"
extern "C" __global__ void tiles_of_a_warp(const int* a, int* b) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = a[threadIdx.x];
  for (int step = 4; step; step /= 2) v += tile.shfl_xor(v, step);
  unsigned some = tile.ballot(v % 2);
  tile.sync();
  b[threadIdx.x] = v + tile.any(v > 100) + __popc(some);
}

//@ good shared_among_tiles block=64 args="int32[64]= int32[64]"
extern "C" __global__ void shared_among_tiles(const int* a, int* b) {
  __shared__ int s[64];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  s[block.thread_rank()] = a[block.thread_rank()];
  tile.sync();
  int v = s[tile.meta_group_rank() * 16 + 15 - tile.thread_rank()];
  block.sync();
  s[block.thread_rank()] = v;
  block.sync();
  b[block.thread_rank()] = s[63 - block.thread_rank()];
}

//@ good coalesced_group block=64 args="int32[64]= int32[1]=0 int32[64]"
extern "C" __global__ void coalesced_group(const int* a, int* count, int* out) {
  if (a[threadIdx.x] % 3 == 0) {
    auto active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(count, (int)active.size());
    base = active.shfl(base, 0);
    out[base + active.thread_rank()] = a[threadIdx.x];
  }
}

//@ good product_of_fragments block=32 args="float32[128]"
extern "C" __global__ void product_of_fragments(float* b) {
  unsigned one = 0x3c003c00;
  float d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(one));
  for (int i = 0; i < 4; ++i) b[threadIdx.x * 4 + i] = d[i];
}

//@ good rows_of_four_matrices block=32 args="uint32[128]= uint32[128]"
extern "C" __global__ void rows_of_four_matrices(const unsigned* a, unsigned* b) {
  __shared__ __align__(16) unsigned s[128];
  for (int i = threadIdx.x; i < 128; i += 32) s[i] = a[i];
  __syncwarp();
  unsigned v[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(at(s + threadIdx.x * 4)) : "memory");
  for (int i = 0; i < 4; ++i) b[i * 32 + threadIdx.x] = v[i];
}

//@ good tiles_of_several_warps block=128 args="int32[2]= int32[128]"
extern "C" __global__ void tiles_of_several_warps(int* a, int* b) {
  __shared__ int s[128];
  auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  s[threadIdx.x] = a[0] + threadIdx.x;
  tile.sync();
  const int v = s[threadIdx.x ^ 63];
  tile.sync();
  s[threadIdx.x] = 2 * v;
  tile.sync();
  b[threadIdx.x] = s[threadIdx.x ^ 32] + cg::reduce(tile, v, cg::plus<int>());
}

//@ good producers_that_leave block=64 args="int32[32]= int32[32]"
extern "C" __global__ void producers_that_leave(const int* a, int* b) {
  __shared__ int s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(&bar)) : "memory");
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(s + lane)), "l"(a + lane) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
    return;
  }
  wait_for(at(&bar), 0);
  b[lane] = s[31 - lane];
}

//@ good producers_that_wait_themselves block=64 args="int32[32]= int32[32]"
extern "C" __global__ void producers_that_wait_themselves(const int* a, int* b) {
  __shared__ int s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(&bar)) : "memory");
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(s + lane)), "l"(a + lane) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (s[lane] == -1) b[lane] = 0;
  } else {
    wait_for(at(&bar), 0);
    b[lane] = s[31 - lane];
  }
}

__device__ void expect_one_more(unsigned long long* bar) {
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(bar)), "r"(blockDim.x + 1) : "memory");
  __syncthreads();
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(bar)) : "memory");
}
__device__ bool is_over(unsigned long long* bar) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(bar)) : "memory");
  return done != 0;
}

//@ good wait_that_the_clock_ends block=2 args="int32[2]"
extern "C" __global__ void wait_that_the_clock_ends(int* b) {
  __shared__ __align__(8) unsigned long long bar;
  expect_one_more(&bar);
  const long long start = clock64();
  while (!is_over(&bar) && clock64() - start < 1000000000) {}
  b[threadIdx.x] = 1;
}

//@ good waits_that_the_clock_ends_one_by_one block=2 args="int32[2]=0"
extern "C" __global__ void waits_that_the_clock_ends_one_by_one(int* b) {
  __shared__ __align__(8) unsigned long long bar;
  expect_one_more(&bar);
  for (int i = 0; i < 6; ++i) {
    const long long start = clock64();
    while (!is_over(&bar) && clock64() - start < 1000000000) {}
    b[threadIdx.x] += 1;
  }
}

//@ good wait_with_sleeps_that_the_clock_ends block=2 args="int32[2]"
extern "C" __global__ void wait_with_sleeps_that_the_clock_ends(int* b) {
  __shared__ __align__(8) unsigned long long bar;
  expect_one_more(&bar);
  const int start = clock();
  for (unsigned pause = 8; !is_over(&bar) && clock() - start < 20000000; pause = pause < 256 ? 2 * pause : pause) __nanosleep(pause);
  b[threadIdx.x] = 1;
}

//@ good wait_of_so_many_looks block=32 args="int32[32]"
extern "C" __global__ void wait_of_so_many_looks(int* b) {
  __shared__ __align__(8) unsigned long long bar;
  expect_one_more(&bar);
  for (int i = 0; i < 3000 && !is_over(&bar); ++i) {}
  b[threadIdx.x] = 1;
}

//@ good wait_that_another_block_ends grid=2 block=32 args="int32[1]=0 int32[64]"
extern "C" __global__ void wait_that_another_block_ends(volatile int* flag, int* b) {
  __shared__ __align__(8) unsigned long long bar;
  if (blockIdx.x == 0) {
    expect_one_more(&bar);
    while (!is_over(&bar) && *flag == 0) {}
  } else if (threadIdx.x == 0) {
    float v = 1;
    for (int i = 0; i < 5000; ++i) v = v * 1.5f - 0.25f;
    *flag = v == 0 ? 2 : 1;
  }
  b[blockIdx.x * 32 + threadIdx.x] = 1;
}
