// Asynchronous copies and barriers in shared memory: pipelines, cuda::barrier, bulk copies.
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void reverse(const float4* in, float4* out) {
  __shared__ float4 s[128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = s[127 - t];
}
// Two stages: while one is summed up the other is on its way.
extern "C" __global__ void two_stages(const int* in, int* out, int batches) {
  __shared__ int s[2][64];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  for (int b = 0; b < batches; ++b) {
    if (b + 1 < batches) __pipeline_memcpy_async(&s[(b + 1) & 1][t], &in[(b + 1) * 64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[b & 1][63 - t] * (b + 1);
    __syncthreads();
  }
  out[t] = sum;
}
// Data on its way is not there before a thread waits for it.
extern "C" __global__ void not_yet(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = s[t + 32] = s[t + 64] = -1;
  __pipeline_memcpy_async(&s[t], &in[t], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[t + 32], &in[t], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[t + 64], &in[t], 4);
  for (int k = 0; k < 3; ++k) out[t + 32 * k] = s[t + 32 * k];
  __pipeline_wait_prior(1);
  for (int k = 0; k < 3; ++k) out[96 + t + 32 * k] = s[t + 32 * k];
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (int k = 0; k < 3; ++k) out[192 + t + 32 * k] = s[t + 32 * k];
}
extern "C" __global__ void partial(const char* in, int* out) {
  __shared__ __align__(16) int s[5 * 4];
  for (int k = 0; k < 20; ++k) s[k] = -1;
  unsigned a = (unsigned)__cvta_generic_to_shared(s);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(a), "l"(in), "r"(6));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0+16], [%1], 16, %2;" ::"r"(a), "l"(in), "r"(0));
  asm volatile("{ .reg .pred p; setp.eq.u32 p, 1, 1; cp.async.ca.shared.global [%0+32], [%1+4], 4, p; }" ::"r"(a), "l"(in));
  asm volatile("{ .reg .pred p; setp.eq.u32 p, 1, 0; cp.async.ca.shared.global [%0+48], [%1+8], 8, p; }" ::"r"(a), "l"(in));
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (int k = 0; k < 20; ++k) out[k] = s[k];
}
extern "C" __global__ void block_barrier(int* data, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int s[96];
  int t = threadIdx.x;
  if (t == 0) init(&b, blockDim.x);
  __syncthreads();
  int v = t;
  for (int r = 0; r < rounds; ++r) {
    s[t] = v;
    b.arrive_and_wait();
    v = s[(t + 1) % blockDim.x] + r;
    auto token = b.arrive();
    b.wait(cuda::std::move(token));
  }
  data[t] = v;
}
// Warp 0 fills, the others empty, with a barrier for each direction.
extern "C" __global__ void producer_consumer(const int* in, int* out, int n) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier ready[2], filled[2];
  __shared__ int buffer[2][64];
  int t = threadIdx.x;
  if (t < 2) {
    init(&ready[t], blockDim.x);
    init(&filled[t], blockDim.x);
  }
  __syncthreads();
  if (t < 32) {
    for (int i = 0; i < n / 64; ++i) {
      ready[i & 1].arrive_and_wait();
      for (int k = t; k < 64; k += 32) buffer[i & 1][k] = in[i * 64 + k];
      (void)filled[i & 1].arrive();
    }
  } else {
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    for (int i = 0; i < n / 64; ++i) {
      filled[i & 1].arrive_and_wait();
      if (t - 32 < 64) out[i * 64 + t - 32] = 2 * buffer[i & 1][t - 32];
      (void)ready[i & 1].arrive();
    }
  }
}
extern "C" __global__ void drops(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int sum;
  if (threadIdx.x == 0) init(&b, blockDim.x), sum = 0;
  __syncthreads();
  if (threadIdx.x >= 40) {
    b.arrive_and_drop();
    return;
  }
  for (int i = 0; i < 3; ++i) {
    atomicAdd(&sum, 1);
    b.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void barrier_copies(const int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ __align__(16) int s[256];
  auto group = cg::this_thread_block();
  if (threadIdx.x == 0) init(&b, blockDim.x);
  group.sync();
  cuda::memcpy_async(group, s, in, cuda::aligned_size_t<16>(sizeof(s)), b);
  b.arrive_and_wait();
  out[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void pipeline(const int* in, int* out, int batches) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int s[2][64];
  auto group = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(group, &state);
  int sum = 0;
  for (int compute = 0, fetch = 0; compute < batches; ++compute) {
    for (; fetch < batches && fetch < compute + 2; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(group, s[fetch % 2], in + fetch * 64, sizeof(int) * 64, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[compute % 2][63 - threadIdx.x] * (compute + 1);
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void bulk(const int* in, int* out, int n) {
  extern __shared__ __align__(128) int s[];
  __shared__ unsigned long long b;
  unsigned bar = (unsigned)__cvta_generic_to_shared(&b), to = (unsigned)__cvta_generic_to_shared(s);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(4 * n));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(in), "r"(4 * n), "r"(bar) : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar) : "memory");
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = s[i] * 3 + 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out), "r"(to), "r"(4 * n) : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
#endif
