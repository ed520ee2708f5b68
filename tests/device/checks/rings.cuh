// A ring of tiles between a warp that brings them and two that use them.
#pragma once
#include "hopper.cuh"

constexpr int kStages = 3, kTiles = 8;
struct alignas(128) Ring {
  float tile[kStages][64];
  u64 full[kStages], empty[kStages];
};
// The stage and parity of a turn, as CUTLASS's PipelineState keeps them.
struct Turn {
  int stage = 0, parity = 0;
  __device__ void next() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};
__device__ __forceinline__ void make(Ring& ring, int producers, int consumers) {
  if (threadIdx.x == 0) {
    for (int k = 0; k < kStages; ++k) {
      INIT(&ring.full[k], producers);
      INIT(&ring.empty[k], consumers);
    }
    INIT_FENCE;
  }
  __syncthreads();
}
__device__ __forceinline__ bool brings() { return threadIdx.x == 64; }
__device__ __forceinline__ bool uses() { return threadIdx.x < 64; }
__device__ __forceinline__ void produce(Ring& ring, const float* a) {
  for (int i = 0; i < kTiles; ++i) {
    const int k = i % kStages;
    wait_for(&ring.empty[k], (i / kStages + 1) & 1);
    EXPECT(&ring.full[k], 256);
    BULK_IN(ring.tile[k], a + i * 64, 256, &ring.full[k]);
  }
}
__device__ __forceinline__ float consume(Ring& ring) {
  float sum = 0;
  for (int i = 0; i < kTiles; ++i) {
    const int k = i % kStages;
    wait_for(&ring.full[k], i / kStages & 1);
    sum += ring.tile[k][63 - threadIdx.x];
    ARRIVE(&ring.empty[k]);
  }
  return sum;
}
