// Memory that goes from the generic to the async proxy, or back, without what makes it known there. Each kernel with a mistake has a
// twin, its `_right`, that differs by the one line that is missing.
//@ least 90
#include "hopper.cuh"

struct alignas(128) Staged {
  float s[128];
  u64 bar;
};
__device__ __forceinline__ void make(u64* bar) {
  if (threadIdx.x == 0) {
    INIT(bar, 1);
    INIT_FENCE;
  }
  __syncthreads();
}
__device__ __forceinline__ void bring(float* s, const float* in, unsigned bytes, u64* bar) {
  EXPECT(bar, bytes);
  BULK_IN(s, in, bytes, bar);
}
#define STORED(to, from, bytes) \
  if (threadIdx.x == 0) {       \
    BULK_OUT(to, from, bytes);  \
    COMMIT_BULK;                \
    WAIT_BULK(0);               \
  }

//@ bug vectors_stored_without_a_fence race block=32 args="float32[128]" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void vectors(float* out) {
  __shared__ Staged m;
  reinterpret_cast<float4*>(m.s)[threadIdx.x] = make_float4(1, 2, 3, threadIdx.x);  //~
  if (right) PROXY_SHARED;
  __syncthreads();
  STORED(out, m.s, 512);  //!
}
extern "C" __global__ void vectors_stored_without_a_fence(float* out) { vectors<false>(out); }
//@ good vectors_stored_without_a_fence_right block=32 args="float32[128]"
extern "C" __global__ void vectors_stored_without_a_fence_right(float* out) { vectors<true>(out); }

//@ bug box_stored_without_a_fence race block=32 args="float32[1024] map:32x32:32x4" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void box_out(const Map& map) {
  __shared__ Staged m;
  for (int k = threadIdx.x; k < 128; k += 32) m.s[k] = k;  //~
  if (right) PROXY;
  __syncwarp();
  if (threadIdx.x == 0) {
    BOX_OUT(&map, 0, 0, m.s);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}
extern "C" __global__ void box_stored_without_a_fence(float*, const __grid_constant__ Map map) { box_out<false>(map); }
//@ good box_stored_without_a_fence_right block=32 args="float32[1024] map:32x32:32x4"
extern "C" __global__ void box_stored_without_a_fence_right(float*, const __grid_constant__ Map map) { box_out<true>(map); }

// The sum across the block is written by one warp, and the fence is another one's.
//@ bug fence_by_those_who_wrote_nothing race block=64 args="float32[32]" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void wrong_warp(float* out) {
  __shared__ Staged m;
  if (threadIdx.x >= 32) m.s[threadIdx.x - 32] = threadIdx.x;  //~
  if ((threadIdx.x >= 32) == right) PROXY;
  __syncthreads();
  STORED(out, m.s, 128);  //!
}
extern "C" __global__ void fence_by_those_who_wrote_nothing(float* out) { wrong_warp<false>(out); }
//@ good fence_by_those_who_wrote_nothing_right block=64 args="float32[32]"
extern "C" __global__ void fence_by_those_who_wrote_nothing_right(float* out) { wrong_warp<true>(out); }

//@ bug fence_of_memory_instead_of_the_proxy race block=64 args="float32[64]" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void memory_fence(float* out) {
  __shared__ Staged m;
  m.s[threadIdx.x] = threadIdx.x;  //~
  if (right) PROXY;
  else __threadfence();
  __syncthreads();
  STORED(out, m.s, 256);  //!
}
extern "C" __global__ void fence_of_memory_instead_of_the_proxy(float* out) { memory_fence<false>(out); }
//@ good fence_of_memory_instead_of_the_proxy_right block=64 args="float32[64]"
extern "C" __global__ void fence_of_memory_instead_of_the_proxy_right(float* out) { memory_fence<true>(out); }

// Warp 0 writes, warp 1 stores: an mbarrier hands over, and orders nothing for the copy.
//@ bug handed_over_by_an_mbarrier_without_a_fence race block=64 args="float32[32]" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void by_mbarrier(float* out) {
  __shared__ Staged m;
  if (threadIdx.x == 0) INIT(&m.bar, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    m.s[threadIdx.x] = threadIdx.x;  //~
    if (right) PROXY_SHARED;
    ARRIVE(&m.bar);
  } else if (threadIdx.x == 32) {
    wait_for(&m.bar, 0);
    BULK_OUT(out, m.s, 128);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}
extern "C" __global__ void handed_over_by_an_mbarrier_without_a_fence(float* out) { by_mbarrier<false>(out); }
//@ good handed_over_by_an_mbarrier_without_a_fence_right block=64 args="float32[32]"
extern "C" __global__ void handed_over_by_an_mbarrier_without_a_fence_right(float* out) { by_mbarrier<true>(out); }

//@ bug handed_over_by_a_named_barrier_without_a_fence race block=96 args="float32[64]=" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void by_name(float* out) {
  __shared__ Staged m;
  if (threadIdx.x < 64) {
    m.s[threadIdx.x] = threadIdx.x;  //~
    if (right) PROXY_SHARED;
    MEET_ARRIVE(2, 96);
  } else {
    MEET(2, 96);
    if (threadIdx.x == 64) {
      BULK_ADD(out, m.s, 256);  //!
      COMMIT_BULK;
      WAIT_BULK(0);
    }
  }
}
extern "C" __global__ void handed_over_by_a_named_barrier_without_a_fence(float* out) { by_name<false>(out); }
//@ good handed_over_by_a_named_barrier_without_a_fence_right block=96 args="float32[64]="
extern "C" __global__ void handed_over_by_a_named_barrier_without_a_fence_right(float* out) { by_name<true>(out); }

// Two stages: the fence is there for the first one only.
//@ bug second_stage_written_behind_the_fence race block=32 args="float32[64]" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void second_stage(float* out) {
  __shared__ Staged m;
  m.s[threadIdx.x] = threadIdx.x;
  if (!right) PROXY;
  m.s[32 + threadIdx.x] = threadIdx.x;  //~
  if (right) PROXY;
  __syncwarp();
  STORED(out, m.s, 256);  //!
}
extern "C" __global__ void second_stage_written_behind_the_fence(float* out) { second_stage<false>(out); }
//@ good second_stage_written_behind_the_fence_right block=32 args="float32[64]"
extern "C" __global__ void second_stage_written_behind_the_fence_right(float* out) { second_stage<true>(out); }

// The tile has been used as scratch memory by plain writes, and the next one is brought into it.
//@ bug scratch_under_the_next_tile race block=64 args="float32[128]= float32[64]" hazard=write_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void scratch(const float* in, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  float sum = 0;
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x == 0) bring(m.s, in + 64 * i, 256, &m.bar);  //!
    wait_for(&m.bar, i);
    const float own = m.s[threadIdx.x];
    __syncthreads();
    m.s[threadIdx.x ^ 33] = own * own;  //~
    if (right) PROXY_SHARED;
    __syncthreads();
    sum += m.s[threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void scratch_under_the_next_tile(const float* in, float* out) { scratch<false>(in, out); }
//@ good scratch_under_the_next_tile_right block=64 args="float32[128]= float32[64]"
extern "C" __global__ void scratch_under_the_next_tile_right(const float* in, float* out) { scratch<true>(in, out); }

//@ bug zeros_under_a_box race block=64 args="float32[1024]= map:32x32:32x4 float32[64]" hazard=write_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void zeros(const Map& map, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  for (int k = threadIdx.x; k < 128; k += 64) m.s[k] = 0;  //~
  if (right) PROXY;
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&m.bar, 512);
    BOX_IN(m.s, &map, 0, 30, &m.bar);  //!
  }
  wait_for(&m.bar, 0);
  out[threadIdx.x] = m.s[threadIdx.x];
}
extern "C" __global__ void zeros_under_a_box(float*, const __grid_constant__ Map map, float* out) { zeros<false>(map, out); }
//@ good zeros_under_a_box_right block=64 args="float32[1024]= map:32x32:32x4 float32[64]"
extern "C" __global__ void zeros_under_a_box_right(float*, const __grid_constant__ Map map, float* out) { zeros<true>(map, out); }

// The other block's zeros lie where the copy for both will land.
//@ bug neighbours_zeros_under_a_copy_for_both race grid=2 block=32 args="float32[32]= float32[64]" hazard=write_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void for_both(const float* in, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  m.s[threadIdx.x] = 0;  //~
  if (right) PROXY;
  if (threadIdx.x == 0) EXPECT(&m.bar, 128);
  CLUSTER;
  if (threadIdx.x == 0 && rank_in_cluster() == 0) BULK_IN_ALL(m.s, in, 128, &m.bar, 3);  //!
  wait_for(&m.bar, 0);
  out[rank_in_cluster() * 32 + threadIdx.x] = m.s[threadIdx.x];
  CLUSTER;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours_zeros_under_a_copy_for_both(const float* in, float* out) { for_both<false>(in, out); }
//@ good neighbours_zeros_under_a_copy_for_both_right grid=2 block=32 args="float32[32]= float32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours_zeros_under_a_copy_for_both_right(const float* in, float* out) { for_both<true>(in, out); }

// Written by the other block, stored by this one.
//@ bug neighbours_words_stored_without_a_fence race grid=2 block=32 args="float32[64]" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void neighbours_words(float* out) {
  __shared__ Staged m;
  const unsigned there = in_block(m.s + threadIdx.x, rank_in_cluster() ^ 1);
  CLUSTER;
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there), "f"(1.0f) : "memory");  //~
  if (right) PROXY;
  CLUSTER;
  STORED(out + rank_in_cluster() * 32, m.s, 128);  //!
  CLUSTER;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours_words_stored_without_a_fence(float* out) { neighbours_words<false>(out); }
//@ good neighbours_words_stored_without_a_fence_right grid=2 block=32 args="float32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours_words_stored_without_a_fence_right(float* out) { neighbours_words<true>(out); }

// --- global memory

//@ bug written_and_prefetched_without_a_fence race block=64 args="float32[64] float32[64]" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void own_global(float* a, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  a[threadIdx.x] = threadIdx.x;  //~
  if (right) PROXY_GLOBAL;
  __syncthreads();
  if (threadIdx.x == 32) bring(m.s, a, 256, &m.bar);  //!
  wait_for(&m.bar, 0);
  out[threadIdx.x] = m.s[threadIdx.x];
}
extern "C" __global__ void written_and_prefetched_without_a_fence(float* a, float* out) { own_global<false>(a, out); }
//@ good written_and_prefetched_without_a_fence_right block=64 args="float32[64] float32[64]"
extern "C" __global__ void written_and_prefetched_without_a_fence_right(float* a, float* out) { own_global<true>(a, out); }

// One block's atomic sums are another block's tile.
//@ bug sums_of_another_block_without_a_fence race grid=2 block=32 args="float32[32]= uint32[1]=0 float32[32]" hazard=read_after_write says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void sums_of_another(float* a, unsigned* flag, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  if (blockIdx.x == 0) {
    atomicAdd(a + threadIdx.x, 1.0f);  //~
    __syncthreads();
    if (threadIdx.x == 0) raise(flag);
    return;
  }
  if (threadIdx.x == 0) {
    await(flag);
    if (right) PROXY;
    bring(m.s, a, 128, &m.bar);  //!
  }
  wait_for(&m.bar, 0);
  out[threadIdx.x] = m.s[threadIdx.x];
}
extern "C" __global__ void sums_of_another_block_without_a_fence(float* a, unsigned* flag, float* out) { sums_of_another<false>(a, flag, out); }
//@ good sums_of_another_block_without_a_fence_right grid=2 block=32 args="float32[32]= uint32[1]=0 float32[32]"
extern "C" __global__ void sums_of_another_block_without_a_fence_right(float* a, unsigned* flag, float* out) { sums_of_another<true>(a, flag, out); }

// --- back from the async to the generic proxy

// The bulk store has read its source, which is not yet that it has written.
//@ bug stored_and_read_in_the_same_block race block=64 args="float32[64] float32[64]" hazard=read_after_write
template <bool right>
__device__ __forceinline__ void read_back(float* a, float* out) {
  __shared__ Staged m;
  m.s[threadIdx.x] = threadIdx.x;
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(a, m.s, 256);  //~
    COMMIT_BULK;
    if (right) WAIT_BULK(0);
    else WAIT_READ(0);
  }
  __syncthreads();
  out[threadIdx.x] = a[63 - threadIdx.x];  //! ; uninitialised
}
extern "C" __global__ void stored_and_read_in_the_same_block(float* a, float* out) { read_back<false>(a, out); }
//@ good stored_and_read_in_the_same_block_right block=64 args="float32[64] float32[64]"
extern "C" __global__ void stored_and_read_in_the_same_block_right(float* a, float* out) { read_back<true>(a, out); }

// Another block's store is announced before it has been made.
//@ bug store_announced_when_only_read race grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]" hazard=read_after_write
template <bool right>
__device__ __forceinline__ void announced(float* a, unsigned* flag, float* out) {
  __shared__ Staged m;
  if (blockIdx.x == 0) {
    m.s[threadIdx.x] = threadIdx.x;
    PROXY_SHARED;
    __syncwarp();
    if (threadIdx.x == 0) {
      BULK_OUT(a, m.s, 128);  //~
      COMMIT_BULK;
      if (right) WAIT_BULK(0);
      else WAIT_READ(0);
      raise(flag);
    }
    return;
  }
  await(flag);
  out[threadIdx.x] = a[threadIdx.x];  //!
}
extern "C" __global__ void store_announced_when_only_read(float* a, unsigned* flag, float* out) { announced<false>(a, flag, out); }
//@ good store_announced_when_only_read_right grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]"
extern "C" __global__ void store_announced_when_only_read_right(float* a, unsigned* flag, float* out) { announced<true>(a, flag, out); }

// A block brings what another one has stored in bulk: the flag is of the generic proxy.
//@ bug stored_by_one_block_and_brought_by_another race grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]" hazard=read_after_write
template <bool right>
__device__ __forceinline__ void from_block_to_block(float* a, unsigned* flag, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  if (blockIdx.x == 0) {
    m.s[threadIdx.x] = threadIdx.x;
    PROXY_SHARED;
    __syncwarp();
    if (threadIdx.x == 0) {
      BULK_OUT(a, m.s, 128);  //~
      COMMIT_BULK;
      if (right) WAIT_BULK(0);
      raise(flag);
      WAIT_READ(0);
    }
    return;
  }
  if (threadIdx.x == 0) {
    await(flag);
    PROXY;
    bring(m.s, a, 128, &m.bar);  //!
  }
  wait_for(&m.bar, 0);
  out[threadIdx.x] = m.s[threadIdx.x];
}
extern "C" __global__ void stored_by_one_block_and_brought_by_another(float* a, unsigned* flag, float* out) { from_block_to_block<false>(a, flag, out); }
//@ good stored_by_one_block_and_brought_by_another_right grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]"
extern "C" __global__ void stored_by_one_block_and_brought_by_another_right(float* a, unsigned* flag, float* out) { from_block_to_block<true>(a, flag, out); }

//@ bug sum_in_bulk_and_plain_sum_of_it race block=32 args="float32[32]= float32[32]"
template <bool right>
__device__ __forceinline__ void summed(float* a, float* out) {
  __shared__ Staged m;
  m.s[threadIdx.x] = 1;
  PROXY_SHARED;
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_ADD(a, m.s, 128);  //~
    COMMIT_BULK;
    if (right) WAIT_BULK(0);
  }
  __syncwarp();
  a[threadIdx.x] *= 2;  //! hazard=after_write
  out[threadIdx.x] = 0;
  if (threadIdx.x == 0) WAIT_BULK(0);
}
extern "C" __global__ void sum_in_bulk_and_plain_sum_of_it(float* a, float* out) { summed<false>(a, out); }
//@ good sum_in_bulk_and_plain_sum_of_it_right block=32 args="float32[32]= float32[32]"
extern "C" __global__ void sum_in_bulk_and_plain_sum_of_it_right(float* a, float* out) { summed<true>(a, out); }

// A warp copies over what it has read itself: nothing puts the read of one proxy before the write of the other.
//@ bug copied_over_what_was_read race block=32 args="float32[256]= float32[32]" severity=warning name=proxy-order says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void read_and_copied_over(const float* in, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) bring(m.s, in + 128 * k, 512, &m.bar);  //!
    wait_for(&m.bar, k);
    sum += m.s[threadIdx.x] + m.s[127 - threadIdx.x];  //~
    if (right) PROXY_SHARED;
    __syncwarp();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void copied_over_what_was_read(const float* in, float* out) { read_and_copied_over<false>(in, out); }
//@ good copied_over_what_was_read_right block=32 args="float32[256]= float32[32]"
extern "C" __global__ void copied_over_what_was_read_right(const float* in, float* out) { read_and_copied_over<true>(in, out); }

// A barrier, or a phase of an mbarrier, behind the read is enough: published kernels have no fence there.
//@ good copied_over_behind_a_barrier block=64 args="float32[256]= float32[64]"
extern "C" __global__ void copied_over_behind_a_barrier(const float* in, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) bring(m.s, in + 128 * k, 512, &m.bar);
    wait_for(&m.bar, k);
    sum += m.s[threadIdx.x] + m.s[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
//@ good copied_over_behind_a_phase block=64 args="float32[256]= float32[64]"
extern "C" __global__ void copied_over_behind_a_phase(const float* in, float* out) {
  __shared__ Staged m;
  __shared__ u64 empty;
  if (threadIdx.x == 0) INIT(&empty, 64);
  make(&m.bar);
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      if (k > 0) wait_for(&empty, 0);
      bring(m.s, in + 128 * k, 512, &m.bar);
    }
    wait_for(&m.bar, k);
    sum += m.s[threadIdx.x] + m.s[127 - threadIdx.x];
    ARRIVE(&empty);
  }
  out[threadIdx.x] = sum;
}
// By a barrier of some of the warps, which the warp that copies only arrives at, or waits at.
//@ good copied_over_behind_a_named_barrier block=96 args="float32[256]= float32[64]"
extern "C" __global__ void copied_over_behind_a_named_barrier(const float* in, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  if (threadIdx.x < 64) {
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
      if (threadIdx.x == 0) bring(m.s, in + 128 * k, 512, &m.bar);
      wait_for(&m.bar, k);
      sum += m.s[threadIdx.x] + m.s[127 - threadIdx.x];
      MEET(1, 64);
    }
    out[threadIdx.x] = sum;
  }
}
//@ good copied_over_by_a_warp_that_reads_nothing block=64 args="float32[256]= float32[32]"
extern "C" __global__ void copied_over_by_a_warp_that_reads_nothing(const float* in, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  if (threadIdx.x < 32) {
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
      wait_for(&m.bar, k);
      sum += m.s[threadIdx.x] + m.s[127 - threadIdx.x];
      if (k == 0) MEET_ARRIVE(1, 64);
    }
    out[threadIdx.x] = sum;
  } else {
    for (int k = 0; k < 2; ++k) {
      if (k > 0) MEET(1, 64);
      if (threadIdx.x == 32) bring(m.s, in + 128 * k, 512, &m.bar);
    }
  }
}
// In the memory of all blocks of a cluster.
//@ good copied_over_behind_a_barrier_of_the_cluster grid=2 block=32 args="float32[256]= float32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) copied_over_behind_a_barrier_of_the_cluster(const float* in, float* out) {
  __shared__ Staged m;
  make(&m.bar);
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) EXPECT(&m.bar, 512);
    CLUSTER;
    if (threadIdx.x == 0 && rank_in_cluster() == 0) BULK_IN_ALL(m.s, in + 128 * k, 512, &m.bar, 3);
    wait_for(&m.bar, k);
    sum += m.s[threadIdx.x] + m.s[127 - threadIdx.x];
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}
