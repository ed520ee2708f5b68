// Results that the async proxy stores, and the buffers that they are written to anew: with one mistake each, and correct ones.
//@ least 90
#include "hopper.cuh"

// Two results in turn: at most one store may still read when the other is written anew.
//@ bug one_store_too_many_left_under_way race block=128 args="float32[1024]" hazard=write_after_read
extern "C" __global__ void one_store_too_many_left_under_way(float* out) {
  __shared__ alignas(128) float s[2][128];
  for (int i = 0; i < 8; ++i) {
    if (threadIdx.x == 0) WAIT_READ(2);
    __syncthreads();
    s[i % 2][threadIdx.x] = i;  //!
    PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(out + i * 128, s[i % 2], 512);  //~
      COMMIT_BULK;
    }
  }
  if (threadIdx.x == 0) WAIT_READ(0);
}

//@ good at_most_one_store_left_under_way block=128 args="float32[1024]"
extern "C" __global__ void at_most_one_store_left_under_way(float* out) {
  __shared__ alignas(128) float s[2][128];
  for (int i = 0; i < 8; ++i) {
    if (threadIdx.x == 0) WAIT_READ(1);
    __syncthreads();
    s[i % 2][threadIdx.x] = i;
    PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(out + i * 128, s[i % 2], 512);
      COMMIT_BULK;
    }
  }
  if (threadIdx.x == 0) WAIT_READ(0);
}

//@ bug stores_waited_for_by_another_thread race block=128 args="float32[256]" hazard=write_after_read
extern "C" __global__ void stores_waited_for_by_another_thread(float* out) {
  __shared__ alignas(128) float s[128];
  for (int i = 0; i < 2; ++i) {
    s[threadIdx.x] = i;  //!
    PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(out + i * 128, s, 512);  //~
      COMMIT_BULK;
    }
    if (threadIdx.x == 32) WAIT_READ(0);
    __syncthreads();
  }
  if (threadIdx.x == 0) WAIT_READ(0);
}

//@ bug stores_not_committed race block=128 args="float32[256]" hazard=write_after_read
extern "C" __global__ void stores_not_committed(float* out) {
  __shared__ alignas(128) float s[128];
  for (int i = 0; i < 2; ++i) {
    s[threadIdx.x] = i;  //!
    PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(out + i * 128, s, 512);  //~
      WAIT_READ(0);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    COMMIT_BULK;
    WAIT_READ(0);
  }
}

//@ good stores_waited_for_by_their_own_thread block=128 args="float32[256]"
extern "C" __global__ void stores_waited_for_by_their_own_thread(float* out) {
  __shared__ alignas(128) float s[128];
  for (int i = 0; i < 2; ++i) {
    s[threadIdx.x] = i;
    PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == i * 32) {
      BULK_OUT(out + i * 128, s, 512);
      COMMIT_BULK;
      WAIT_READ(0);
    }
    __syncthreads();
  }
}

//@ bug waited_for_but_nobody_told race block=128 args="float32[256]" hazard=read_after_write both_orders=True
extern "C" __global__ void waited_for_but_nobody_told(float* out) {
  __shared__ alignas(128) float s[128];
  for (int i = 0; i < 2; ++i) {
    s[threadIdx.x] = i;  //~
    PROXY_SHARED;
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(out + i * 128, s, 512);  //!
      COMMIT_BULK;
      WAIT_READ(0);
    }
  }
}

//@ good each_warp_stores_its_own_part block=128 args="float32[512]"
extern "C" __global__ void each_warp_stores_its_own_part(float* out) {
  __shared__ alignas(128) float s[4][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 4; ++i) {
    if (lane == 0) WAIT_READ(0);
    __syncwarp();
    s[warp][lane] = i;
    PROXY_SHARED;
    __syncwarp();
    if (lane == 0) {
      BULK_OUT(out + i * 128 + warp * 32, s[warp], 128);
      COMMIT_BULK;
    }
  }
  if (lane == 0) WAIT_READ(0);
}

//@ bug each_warp_stores_before_its_lanes_have_met race block=128 args="float32[128]" hazard=read_after_write
extern "C" __global__ void each_warp_stores_before_its_lanes_have_met(float* out) {
  __shared__ alignas(128) float s[4][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  s[warp][lane] = lane;  //~
  PROXY_SHARED;
  if (lane == 0) {
    BULK_OUT(out + warp * 32, s[warp], 128);  //!
    COMMIT_BULK;
    WAIT_READ(0);
  }
}

//@ good stored_waited_for_and_read_back_by_all block=64 args="float32[64] float32[64]"
extern "C" __global__ void stored_waited_for_and_read_back_by_all(float* a, float* out) {
  __shared__ alignas(128) float s[64];
  s[threadIdx.x] = threadIdx.x;
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(a, s, 256);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
  __syncthreads();
  out[threadIdx.x] = a[63 - threadIdx.x];
}

//@ bug stored_and_read_back_by_all_when_only_read race block=64 args="float32[64] float32[64]" hazard=read_after_write
extern "C" __global__ void stored_and_read_back_by_all_when_only_read(float* a, float* out) {
  __shared__ alignas(128) float s[64];
  s[threadIdx.x] = threadIdx.x;
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(a, s, 256);  //~
    COMMIT_BULK;
    WAIT_READ(0);
  }
  __syncthreads();
  out[threadIdx.x] = a[63 - threadIdx.x];  //! race ; uninitialised
  if (threadIdx.x == 0) WAIT_BULK(0);
}

//@ bug two_stores_to_one_place race block=64 args="float32[64]" hazard=write_after_write
extern "C" __global__ void two_stores_to_one_place(float* out) {
  __shared__ alignas(128) float s[2][32];
  s[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x;
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    BULK_OUT(out, s[threadIdx.x / 32], 128);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ good sums_of_two_warps_at_one_place block=64 args="float32[64]="
extern "C" __global__ void sums_of_two_warps_at_one_place(float* out) {
  __shared__ alignas(128) float s[2][32];
  s[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x;
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    BULK_ADD(out, s[threadIdx.x / 32], 128);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}
