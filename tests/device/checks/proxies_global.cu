// Global memory that the generic and the async proxy share: without a fence between the two, and correct ones.
//@ least 90
#include "hopper.cuh"

//@ bug fence_of_shared_memory_for_global race block=64 args="float32[64] float32[64]" hazard=read_after_write
extern "C" __global__ void fence_of_shared_memory_for_global(float* a, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
  }
  a[threadIdx.x] = threadIdx.x;  //~
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 256);
    BULK_IN(s, a, 256, &bar);  //! says=fence.proxy.async_lies_between
  }
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ good written_to_global_memory_and_brought block=64 args="float32[64] float32[64]"
extern "C" __global__ void written_to_global_memory_and_brought(float* a, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
  }
  a[threadIdx.x] = threadIdx.x;
  PROXY_GLOBAL;
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 256);
    BULK_IN(s, a, 256, &bar);
  }
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ bug box_of_what_the_block_has_just_written race block=32 args="float32[1024] map:32x32:8x4 float32[32]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void box_of_what_the_block_has_just_written(float* a, const __grid_constant__ Map map, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (threadIdx.x == 0) INIT(&bar, 1);
  PROXY;
  for (int y = 0; y < 32; ++y) a[y * 32 + threadIdx.x] = threadIdx.x;  //~
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 128);
    BOX_IN(s, &map, 0, 0, &bar);  //!
  }
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

// A flag orders what another block has written, but not for the copy.

//@ bug handed_over_by_a_flag_without_a_fence race grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void handed_over_by_a_flag_without_a_fence(float* a, unsigned* flag, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (blockIdx.x == 0) {
    a[threadIdx.x] = threadIdx.x;  //~
    __syncthreads();
    if (threadIdx.x == 0) raise(flag);
    return;
  }
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    await(flag);
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);  //!
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ bug fence_by_one_of_the_writers_of_another_block race grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void fence_by_one_of_the_writers_of_another_block(float* a, unsigned* flag, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (blockIdx.x == 0) {
    a[threadIdx.x] = threadIdx.x;  //~
    if (threadIdx.x == 5) PROXY;
    __syncthreads();
    if (threadIdx.x == 0) raise(flag);
    return;
  }
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    await(flag);
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);  //!
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ good handed_over_by_a_flag_and_fenced_by_the_reader grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]"
extern "C" __global__ void handed_over_by_a_flag_and_fenced_by_the_reader(float* a, unsigned* flag, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (blockIdx.x == 0) {
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) raise(flag);
    return;
  }
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    await(flag);
    PROXY_GLOBAL;
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ good handed_over_by_a_flag_and_fenced_by_the_writers grid=2 block=64 args="float32[64] uint32[1]=0 float32[64]"
extern "C" __global__ void handed_over_by_a_flag_and_fenced_by_the_writers(float* a, unsigned* flag, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (blockIdx.x == 0) {
    a[threadIdx.x] = threadIdx.x;
    PROXY;
    __syncthreads();
    if (threadIdx.x == 0) raise(flag);
    return;
  }
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    await(flag);
    EXPECT(&bar, 256);
    BULK_IN(s, a, 256, &bar);
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ good handed_over_by_a_flag_and_fenced_by_the_one_who_raises_it grid=2 block=64 args="float32[64] uint32[1]=0 float32[64]"
extern "C" __global__ void handed_over_by_a_flag_and_fenced_by_the_one_who_raises_it(float* a, unsigned* flag, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (blockIdx.x == 0) {
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      PROXY;
      raise(flag);
    }
    return;
  }
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    await(flag);
    EXPECT(&bar, 256);
    BULK_IN(s, a, 256, &bar);
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

// The completion of a copy is a fence itself, as is what a later copy brings by the same proxy.
//@ good stored_by_one_block_and_brought_by_another grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]"
extern "C" __global__ void stored_by_one_block_and_brought_by_another(float* a, unsigned* flag, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (blockIdx.x == 0) {
    s[threadIdx.x] = threadIdx.x;
    PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(a, s, 128);
      COMMIT_BULK;
      WAIT_BULK(0);
      raise(flag);
    }
    return;
  }
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    await(flag);
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ bug stored_by_one_block_and_brought_when_only_read race grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]" hazard=read_after_write
extern "C" __global__ void stored_by_one_block_and_brought_when_only_read(float* a, unsigned* flag, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (blockIdx.x == 0) {
    s[threadIdx.x] = threadIdx.x;
    PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(a, s, 128);  //~
      COMMIT_BULK;
      WAIT_READ(0);
      raise(flag);
      WAIT_BULK(0);
    }
    return;
  }
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    await(flag);
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);  //!
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ good box_of_what_the_block_has_written_and_fenced block=32 args="float32[1024] map:32x32:8x4 float32[32]"
extern "C" __global__ void box_of_what_the_block_has_written_and_fenced(float* a, const __grid_constant__ Map map, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (threadIdx.x == 0) INIT(&bar, 1);
  for (int y = 0; y < 32; ++y) a[y * 32 + threadIdx.x] = threadIdx.x;
  PROXY;
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 128);
    BOX_IN(s, &map, 0, 0, &bar);
  }
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ bug fence_before_the_flag_is_seen race grid=2 block=32 args="float32[32] uint32[1]=0 float32[32]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void fence_before_the_flag_is_seen(float* a, unsigned* flag, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (blockIdx.x == 0) {
    a[threadIdx.x] = threadIdx.x;  //~
    __syncthreads();
    if (threadIdx.x == 0) raise(flag);
    return;
  }
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    PROXY;
    await(flag);
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);  //!
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}
