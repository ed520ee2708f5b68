// Memory that the generic and the async proxy share: without a fence between the two, and correct ones.
//@ least 90
#include "hopper.cuh"

//@ bug matrices_stored_without_a_fence race block=32 args="float32[128]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void matrices_stored_without_a_fence(float* out) {
  __shared__ alignas(128) unsigned s[128];
  unsigned v[4] = {threadIdx.x, 1, 2, 3};
  STORE_MATRICES(s + threadIdx.x * 4, v);  //~
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 512);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ good matrices_stored_behind_a_fence block=32 args="float32[128]"
extern "C" __global__ void matrices_stored_behind_a_fence(float* out) {
  __shared__ alignas(128) unsigned s[128];
  unsigned v[4] = {threadIdx.x, 1, 2, 3};
  STORE_MATRICES(s + threadIdx.x * 4, v);
  PROXY_SHARED;
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 512);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ bug fence_in_front_of_the_writes race block=64 args="float32[64]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void fence_in_front_of_the_writes(float* out) {
  __shared__ alignas(128) float s[64];
  PROXY;
  s[threadIdx.x] = threadIdx.x;  //~
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 256);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ bug fence_by_the_first_warp_alone race block=64 args="float32[64]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void fence_by_the_first_warp_alone(float* out) {
  __shared__ alignas(128) float s[64];
  s[threadIdx.x] = threadIdx.x;  //~
  if (threadIdx.x < 32) PROXY;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 256);  //! other_thread=32
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ good fence_by_the_one_who_copies block=64 args="float32[64]"
extern "C" __global__ void fence_by_the_one_who_copies(float* out) {
  __shared__ alignas(128) float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    PROXY;
    BULK_OUT(out, s, 256);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ good fence_by_a_warp_between_two_barriers block=96 args="float32[64]"
extern "C" __global__ void fence_by_a_warp_between_two_barriers(float* out) {
  __shared__ alignas(128) float s[64];
  if (threadIdx.x < 64) s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x >= 64) PROXY;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 256);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ bug fence_of_global_memory_for_shared race block=64 args="float32[64]" hazard=read_after_write
extern "C" __global__ void fence_of_global_memory_for_shared(float* out) {
  __shared__ alignas(128) float s[64];
  s[threadIdx.x] = threadIdx.x;  //~
  PROXY_GLOBAL;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 256);  //! says=fence.proxy.async_lies_between
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ bug zeros_under_a_copy_without_a_fence race block=64 args="float32[32]= float32[64]" hazard=write_after_write
extern "C" __global__ void zeros_under_a_copy_without_a_fence(const float* a, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
  }
  s[threadIdx.x] = 0;  //~
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);  //! says=no_fence.proxy.async_lies_between
  }
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ good zeros_under_a_copy block=64 args="float32[32]= float32[64]"
extern "C" __global__ void zeros_under_a_copy(const float* a, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
  }
  s[threadIdx.x] = 0;
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);
  }
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

// The tile is scaled where it lies, and brought anew.
//@ bug scaled_in_place_and_brought_anew race block=64 args="float32[128]= float32[64]" hazard=write_after_write
extern "C" __global__ void scaled_in_place_and_brought_anew(const float* a, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      EXPECT(&bar, 256);
      BULK_IN(s, a + k * 64, 256, &bar);  //! says=no_fence.proxy.async_lies_between
    }
    wait_for(&bar, k);
    s[threadIdx.x] *= 2;  //~
    __syncthreads();
    sum += s[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

//@ bug scaled_in_place_and_stored race block=64 args="float32[64]= float32[64]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void scaled_in_place_and_stored(const float* a, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    EXPECT(&bar, 256);
    BULK_IN(s, a, 256, &bar);
  }
  __syncthreads();
  wait_for(&bar, 0);
  s[threadIdx.x] *= 2;  //~
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 256);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

// Brought and stored by the async proxy alone: nobody else touches it.
//@ good brought_and_stored block=32 args="float32[256]= float32[256]"
extern "C" __global__ void brought_and_stored(const float* a, float* out) {
  __shared__ alignas(128) float s[2][64];
  __shared__ u64 bar[2];
  if (threadIdx.x != 0) return;
  INIT(&bar[0], 1);
  INIT(&bar[1], 1);
  INIT_FENCE;
  for (int k = 0; k < 4; ++k) {
    if (k >= 2) WAIT_READ(1);
    EXPECT(&bar[k % 2], 256);
    BULK_IN(s[k % 2], a + k * 64, 256, &bar[k % 2]);
    wait_for(&bar[k % 2], k / 2);
    BULK_OUT(out + k * 64, s[k % 2], 256);
    COMMIT_BULK;
  }
  WAIT_READ(0);
}

//@ good scaled_in_place_fenced_stored_and_brought_anew block=64 args="float32[128]= float32[128]"
extern "C" __global__ void scaled_in_place_fenced_stored_and_brought_anew(const float* a, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
  }
  __syncthreads();
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      EXPECT(&bar, 256);
      BULK_IN(s, a + k * 64, 256, &bar);
    }
    wait_for(&bar, k);
    s[threadIdx.x] *= 2;
    PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(out + k * 64, s, 256);
      COMMIT_BULK;
      WAIT_READ(0);
    }
    __syncthreads();
  }
}

//@ bug sum_of_what_was_not_fenced race block=32 args="float32[32]=" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void sum_of_what_was_not_fenced(float* out) {
  __shared__ alignas(128) float s[32];
  s[threadIdx.x] = threadIdx.x;  //~
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_ADD(out, s, 128);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ bug atomic_sums_stored_without_a_fence race block=64 args="float32[32]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void atomic_sums_stored_without_a_fence(float* out) {
  __shared__ alignas(128) float s[32];
  if (threadIdx.x < 32) s[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(s + threadIdx.x % 32, 1.0f);  //~
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 128);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ bug small_copies_stored_without_a_fence race block=32 args="float32[128]= float32[128]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void small_copies_stored_without_a_fence(const float* a, float* out) {
  __shared__ alignas(128) float s[128];
  COPY16(s + threadIdx.x * 4, a + threadIdx.x * 4);  //~
  WAIT_COPIES;
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 512);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ bug fence_in_the_first_round_only race block=64 args="float32[128]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void fence_in_the_first_round_only(float* out) {
  __shared__ alignas(128) float s[64];
  for (int k = 0; k < 2; ++k) {
    s[threadIdx.x] = threadIdx.x + k;  //~
    if (k == 0) PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(out + k * 64, s, 256);  //!
      COMMIT_BULK;
      WAIT_READ(0);
    }
    __syncthreads();
  }
}

//@ bug barrier_that_the_copy_need_not_see race block=32 args="float32[32]= float32[32]" hazard=write_after_write
extern "C" __global__ void barrier_that_the_copy_need_not_see(const float* a, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (threadIdx.x == 0) INIT(&bar, 1);  //~
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);  //! says=the_copy_need_not_see_that_the_mbarrier_was_made
  }
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ good barrier_made_known_by_a_fence_of_the_proxy block=32 args="float32[32]= float32[32]"
extern "C" __global__ void barrier_made_known_by_a_fence_of_the_proxy(const float* a, float* out) {
  __shared__ alignas(128) float s[32];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    PROXY_SHARED;
    EXPECT(&bar, 128);
    BULK_IN(s, a, 128, &bar);
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}

//@ good sums_stored_behind_a_fence block=64 args="float32[32]="
extern "C" __global__ void sums_stored_behind_a_fence(float* out) {
  __shared__ alignas(128) float s[32];
  if (threadIdx.x < 32) s[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(s + threadIdx.x % 32, 1.0f);
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_ADD(out, s, 128);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ good small_copies_stored_behind_a_fence block=32 args="float32[128]= float32[128]"
extern "C" __global__ void small_copies_stored_behind_a_fence(const float* a, float* out) {
  __shared__ alignas(128) float s[128];
  COPY16(s + threadIdx.x * 4, a + threadIdx.x * 4);
  WAIT_COPIES;
  PROXY_SHARED;
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 512);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

// A read in order by a whole warp in between hides no write from before the barrier.
//@ bug scattered_writes_read_in_rows_then_stored race block=64 args="float32[64] int32[64]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void scattered_writes_read_in_rows_then_stored(float* out, int* sums) {
  __shared__ alignas(128) float s[64];
  s[threadIdx.x ^ 5] = threadIdx.x;  //~
  __syncthreads();
  float v = s[threadIdx.x];
  if (threadIdx.x == 0) {
    BULK_OUT(out, s, 256);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
  sums[threadIdx.x] = (int)v;
}

//@ bug scattered_writes_read_in_rows_then_copied_over race block=64 args="float32[64]= int32[64]" hazard=write_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void scattered_writes_read_in_rows_then_copied_over(const float* in, int* out) {
  __shared__ alignas(128) float s[192];
  __shared__ alignas(8) u64 bar;
  int t = threadIdx.x;
  if (t == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    PROXY;
  }
  s[64 + (t ^ 5)] = t;  //~
  __syncthreads();
  s[t] = 1;
  s[128 + t] = 2;
  float v = s[64 + t];
  __syncthreads();
  if (t == 0) {
    EXPECT(&bar, 256);
    BULK_IN(s + 64, in, 256, &bar);  //!
  }
  wait_for(&bar, 0);
  out[t] = (int)(v + s[64 + t]);
}
