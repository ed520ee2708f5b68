// Copies over what was read, where all fences that the PTX ISA asks for are wanted, also behind barriers (strict_proxies). Each kernel
// with a mistake has a twin, its `_right`, that differs by the one line that is missing.
//@ least 90
#include "hopper.cuh"

struct alignas(128) Stage {
  float s[2][128];
  u64 full[2], empty[2];
};
__device__ __forceinline__ void make(Stage& m, int readers) {
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) {
      INIT(&m.full[k], 1);
      INIT(&m.empty[k], readers);
    }
    INIT_FENCE;
  }
  __syncthreads();
}
#define BRING(stage, from)           \
  EXPECT(&m.full[stage], 512);       \
  BULK_IN(m.s[stage], from, 512, &m.full[stage])

// A ring of one stage, as pipelines have it: the second warp copies, and the first one reads and gives the stage back.
//@ bug stage_given_back_without_a_fence race block=64 args="float32[384]= float32[32]" strict=1 severity=warning name=proxy-order says=no_fence.proxy.async_lies_between
template <int right>
__device__ __forceinline__ void ring(const float* in, float* out) {
  __shared__ Stage m;
  make(m, 32);
  if (threadIdx.x == 32) {
    for (int k = 0; k < 3; ++k) {
      if (k > 0) wait_for(&m.empty[0], (k - 1) & 1);
      if (right == 2) PROXY;
      BRING(0, in + 128 * k);  //! hazard=write_after_read
    }
  }
  if (threadIdx.x < 32) {
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
      wait_for(&m.full[0], k & 1);
      sum += m.s[0][threadIdx.x];  //~
      if (right == 1) PROXY_SHARED;
      ARRIVE(&m.empty[0]);
    }
    out[threadIdx.x] = sum;
  }
}
extern "C" __global__ void stage_given_back_without_a_fence(const float* in, float* out) { ring<0>(in, out); }
//@ good stage_given_back_without_a_fence_right block=64 args="float32[384]= float32[32]" strict=1
extern "C" __global__ void stage_given_back_without_a_fence_right(const float* in, float* out) { ring<1>(in, out); }
//@ good stage_fenced_by_who_copies block=64 args="float32[384]= float32[32]" strict=1
extern "C" __global__ void stage_fenced_by_who_copies(const float* in, float* out) { ring<2>(in, out); }

//@ bug barrier_without_a_fence race block=64 args="float32[256]= float32[64]" strict=1 severity=warning name=proxy-order says=no_fence.proxy.async_lies_between
template <bool right>
__device__ __forceinline__ void between_barriers(const float* in, float* out) {
  __shared__ Stage m;
  make(m, 1);
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      BRING(0, in + 128 * k);  //!
    }
    wait_for(&m.full[0], k);
    sum += m.s[0][threadIdx.x] + m.s[0][127 - threadIdx.x];  //~
    if (right) PROXY_SHARED;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void barrier_without_a_fence(const float* in, float* out) { between_barriers<false>(in, out); }
//@ good barrier_without_a_fence_right block=64 args="float32[256]= float32[64]" strict=1
extern "C" __global__ void barrier_without_a_fence_right(const float* in, float* out) { between_barriers<true>(in, out); }

// The fence stands in front of the reads.
//@ bug fence_in_front_of_the_reads race block=64 args="float32[256]= float32[64]" strict=1 severity=warning name=proxy-order
template <bool right>
__device__ __forceinline__ void in_front(const float* in, float* out) {
  __shared__ Stage m;
  make(m, 64);
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      if (k > 0) wait_for(&m.empty[0], 0);
      BRING(0, in + 128 * k);  //!
    }
    wait_for(&m.full[0], k);
    if (!right) PROXY;
    sum += m.s[0][threadIdx.x];  //~
    if (right) PROXY;
    ARRIVE(&m.empty[0]);
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void fence_in_front_of_the_reads(const float* in, float* out) { in_front<false>(in, out); }
//@ good fence_in_front_of_the_reads_right block=64 args="float32[256]= float32[64]" strict=1
extern "C" __global__ void fence_in_front_of_the_reads_right(const float* in, float* out) { in_front<true>(in, out); }

// The second warp's reads have no fence.
//@ bug fence_by_half_of_the_readers race block=64 args="float32[256]= float32[64]" strict=1 severity=warning name=proxy-order
template <bool right>
__device__ __forceinline__ void by_halves(const float* in, float* out) {
  __shared__ Stage m;
  make(m, 64);
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      if (k > 0) wait_for(&m.empty[0], 0);
      BRING(0, in + 128 * k);  //!
    }
    wait_for(&m.full[0], k);
    sum += m.s[0][threadIdx.x];  //~
    if (right || threadIdx.x < 32) PROXY;
    ARRIVE(&m.empty[0]);
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void fence_by_half_of_the_readers(const float* in, float* out) { by_halves<false>(in, out); }
//@ good fence_by_half_of_the_readers_right block=64 args="float32[256]= float32[64]" strict=1
extern "C" __global__ void fence_by_half_of_the_readers_right(const float* in, float* out) { by_halves<true>(in, out); }

// Rows of matrices for products of registers, and a box that comes over them.
//@ bug matrices_read_without_a_fence race block=64 args="float32[1024]= map:32x32:32x4 uint32[32]" strict=1 severity=warning name=proxy-order
template <bool right>
__device__ __forceinline__ void rows_of_matrices(const Map& map, unsigned* out) {
  __shared__ Stage m;
  make(m, 1);
  unsigned sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      EXPECT(&m.full[0], 512);
      BOX_IN(m.s[0], &map, 0, 4 * k, &m.full[0]);  //!
    }
    wait_for(&m.full[0], k);
    if (threadIdx.x >= 32) {
      unsigned v[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(at(m.s[0] + threadIdx.x % 32 * 4)) : "memory");  //~
      sum += v[0] ^ v[1] ^ v[2] ^ v[3];
      if (right) PROXY_SHARED;
    }
    MEET(1, 64);
  }
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}
extern "C" __global__ void matrices_read_without_a_fence(float*, const __grid_constant__ Map map, unsigned* out) { rows_of_matrices<false>(map, out); }
//@ good matrices_read_without_a_fence_right block=64 args="float32[1024]= map:32x32:32x4 uint32[32]" strict=1
extern "C" __global__ void matrices_read_without_a_fence_right(float*, const __grid_constant__ Map map, unsigned* out) { rows_of_matrices<true>(map, out); }

// Two stages: what is read of one does not lie where the other comes.
//@ good other_stage_than_the_one_read block=32 args="float32[256]= float32[32]" strict=1
extern "C" __global__ void other_stage_than_the_one_read(const float* in, float* out) {
  __shared__ Stage m;
  make(m, 1);
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      BRING(k, in + 128 * k);
    }
    wait_for(&m.full[k], 0);
    sum += m.s[k][threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// A bulk store reads by the proxy that copies.
//@ good stored_and_copied_over block=32 args="float32[256]= float32[256]" strict=1
extern "C" __global__ void stored_and_copied_over(const float* in, float* out) {
  __shared__ Stage m;
  make(m, 1);
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) {
      BRING(0, in + 128 * k);
      wait_for(&m.full[0], k);
      BULK_OUT(out + 128 * k, m.s[0], 512);
      COMMIT_BULK;
      WAIT_BULK(0);
    }
  }
}

// Without strict proxies the same ring is silent.
//@ good stage_given_back_where_nobody_is_strict block=64 args="float32[384]= float32[32]"
extern "C" __global__ void stage_given_back_where_nobody_is_strict(const float* in, float* out) { ring<0>(in, out); }
