// Products of warpgroups on tiles that others bring, and what is done with their results: with one mistake each, and correct
// ones.
//@ least 90
//@ specific
#include "hopper.cuh"

constexpr int kStages = 2, kTiles = 6, kBytes = 2304;
struct alignas(128) Ring {
  Tiles tile[kStages];
  u64 full[kStages], empty[kStages];
};
__device__ __forceinline__ void make(Ring& ring, int consumers) {
  if (threadIdx.x == 0) {
    for (int k = 0; k < kStages; ++k) {
      INIT(&ring.full[k], 1);
      INIT(&ring.empty[k], consumers);
    }
    INIT_FENCE;
  }
  __syncthreads();
}
// The last warpgroup of the block brings tiles, one thread of it.
__device__ __forceinline__ bool brings() { return threadIdx.x == blockDim.x - 128; }
__device__ __forceinline__ bool uses() { return threadIdx.x < blockDim.x - 128; }
__device__ __forceinline__ void produce(Ring& ring, const float* in) {
  for (int i = 0; i < kTiles; ++i) {
    const int k = i % kStages;
    wait_for(&ring.empty[k], (i / kStages + 1) & 1);
    EXPECT(&ring.full[k], kBytes);
    BULK_IN(&ring.tile[k], in + i * 576, kBytes, &ring.full[k]);
  }
}
__device__ __forceinline__ void bring(Ring& ring, int k, const float* in) {
  EXPECT(&ring.full[k], kBytes);
  BULK_IN(&ring.tile[k], in + k * 576, kBytes, &ring.full[k]);
}
__device__ __forceinline__ void put(float* out, const float* d) {
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}

// CUTLASS's cooperative kernels do so: two warpgroups multiply each tile, registers move to them, and the stage before is given
// back while the next product is under way.
//@ good cooperative_warpgroups block=384 args="float32[3456]= float32[1024]"
extern "C" __global__ void __launch_bounds__(384) cooperative_warpgroups(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 2);
  if (!uses()) {
    REGISTERS_DEC(40);
    if (brings()) {
      produce(ring, in);
      for (int i = kTiles; i < kTiles + kStages; ++i) wait_for(&ring.empty[i % kStages], (i / kStages + 1) & 1);
    }
    return;
  }
  REGISTERS_INC(232);
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < kTiles; ++i) {
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    FENCE;
    MULTIPLY(d, matrix_at(ring.tile[i % kStages].a), matrix_at(ring.tile[i % kStages].b));
    COMMIT;
    WAIT(1);
    if (i > 0 && threadIdx.x % 128 == 0) ARRIVE(&ring.empty[(i - 1) % kStages]);
  }
  WAIT(0);
  if (threadIdx.x % 128 == 0) ARRIVE(&ring.empty[(kTiles - 1) % kStages]);
  put(out, d);
}

// CUTLASS's ping-pong kernels do so: two warpgroups take every second tile, and their products and epilogues take turns.
//@ good ping_pong_warpgroups block=384 budget=40000000 args="float32[3456]= float32[1536]"
extern "C" __global__ void __launch_bounds__(384) ping_pong_warpgroups(const float* in, float* out) {
  __shared__ Ring ring;
  __shared__ alignas(128) float result[512];
  __shared__ u64 order[2];
  if (threadIdx.x == 0) {
    INIT(&order[0], 128);
    INIT(&order[1], 128);
  }
  make(ring, 1);
  if (brings()) produce(ring, in);
  if (!uses()) return;
  const int group = threadIdx.x / 128, t = threadIdx.x % 128;
  int turn = 0;
  if (group == 1) ARRIVE(&order[0]);
  for (int i = group; i < kTiles; i += 2, ++turn) {
    float d[4] = {0, 0, 0, 0};
    wait_for(&order[group], turn & 1);
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    FENCE;
    MULTIPLY(d, matrix_at(ring.tile[i % kStages].a), matrix_at(ring.tile[i % kStages].b));
    COMMIT;
    WAIT(0);
    if (t == 0) ARRIVE(&ring.empty[i % kStages]);
    for (int k = 0; k < 4; ++k) result[t * 4 + k] = d[k];
    PROXY_SHARED;
    MEET(1 + group, 128);
    if (t == 0) {
      BULK_OUT(out + i % 3 * 512, result, 2048);
      COMMIT_BULK;
      WAIT_BULK(0);
    }
    MEET(1 + group, 128);
    ARRIVE(&order[1 - group]);
  }
}

//@ bug ping_pong_without_turns race block=384 args="float32[3456]= float32[3072]"
extern "C" __global__ void __launch_bounds__(384) ping_pong_without_turns(const float* in, float* out) {
  __shared__ Ring ring;
  __shared__ alignas(128) float result[512];
  make(ring, 1);
  if (brings()) produce(ring, in);
  if (!uses()) return;
  const int group = threadIdx.x / 128, t = threadIdx.x % 128;
  for (int i = group; i < kTiles; i += 2) {
    float d[4] = {0, 0, 0, 0};
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    FENCE;
    MULTIPLY(d, matrix_at(ring.tile[i % kStages].a), matrix_at(ring.tile[i % kStages].b));
    COMMIT;
    WAIT(0);
    if (t == 0) ARRIVE(&ring.empty[i % kStages]);
    for (int k = 0; k < 4; ++k) result[t * 4 + k] = d[k];  //!
    PROXY_SHARED;
    MEET(1 + group, 128);
    if (t == 0) {
      BULK_OUT(out + i * 512, result, 2048);  //!
      COMMIT_BULK;
      WAIT_BULK(0);
    }
    MEET(1 + group, 128);
  }
}

//@ bug multiplied_before_the_tile_has_come race block=256 args="float32[3456]= float32[512]"
extern "C" __global__ void multiplied_before_the_tile_has_come(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings()) {
    EXPECT(&ring.full[0], kBytes);
    BULK_IN(&ring.tile[0], in, kBytes, &ring.full[0]);  //~
    ARRIVE(&ring.empty[0]);
    wait_for(&ring.full[0], 0);
  }
  if (!uses()) return;
  float d[4] = {0, 0, 0, 0};
  wait_for(&ring.empty[0], 0);
  FENCE;
  MULTIPLY(d, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));  //! hazard=read_after_write
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug given_back_with_its_product_under_way race block=256 args="float32[3456]= float32[512]"
extern "C" __global__ void given_back_with_its_product_under_way(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings()) produce(ring, in);  //! hazard=write_after_read
  if (!uses()) return;
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < kTiles; ++i) {
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    FENCE;
    MULTIPLY(d, matrix_at(ring.tile[i % kStages].a), matrix_at(ring.tile[i % kStages].b));  //~
    COMMIT;
    if (threadIdx.x == 0) ARRIVE(&ring.empty[i % kStages]);
    WAIT(0);
  }
  put(out, d);
}

// The tile is converted where it lies, and multiplied.
//@ bug converted_in_place_without_a_fence race block=256 args="float32[3456]= float32[512]"
extern "C" __global__ void converted_in_place_without_a_fence(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings())
    for (int k = 0; k < 2; ++k) bring(ring, k, in);
  if (!uses()) return;
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < 2; ++i) {
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    for (int k = threadIdx.x; k < 576; k += 128) (&ring.tile[i % kStages].a[0])[k] ^= 0x80008000;  //~
    MEET(1, 128);
    FENCE;
    MULTIPLY(d, matrix_at(ring.tile[i % kStages].a), matrix_at(ring.tile[i % kStages].b));  //! hazard=read_after_write says=no_fence.proxy.async_lies_between
    COMMIT;
    WAIT(0);
  }
  put(out, d);
}

//@ good converted_in_place block=256 args="float32[3456]= float32[512]"
extern "C" __global__ void converted_in_place(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings()) produce(ring, in);
  if (!uses()) return;
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < kTiles; ++i) {
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    for (int k = threadIdx.x; k < 576; k += 128) (&ring.tile[i % kStages].a[0])[k] ^= 0x80008000;
    PROXY_SHARED;
    MEET(1, 128);
    FENCE;
    MULTIPLY(d, matrix_at(ring.tile[i % kStages].a), matrix_at(ring.tile[i % kStages].b));
    COMMIT;
    WAIT(0);
    if (threadIdx.x == 0) ARRIVE(&ring.empty[i % kStages]);
  }
  put(out, d);
}

//@ bug fence_behind_the_barrier_by_one_warp race block=128 args="float32[512]"
extern "C" __global__ void fence_behind_the_barrier_by_one_warp(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 576; i += 128) s.a[i] = 0x3c003c00;  //~
  __syncthreads();
  if (threadIdx.x < 32) PROXY;
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //! hazard=read_after_write says=no_fence.proxy.async_lies_between
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ good fence_behind_the_barrier_by_each_warp block=128 args="float32[512]"
extern "C" __global__ void fence_behind_the_barrier_by_each_warp(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 576; i += 128) s.a[i] = 0x3c003c00;
  __syncthreads();
  PROXY;
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  WAIT(0);
  put(out, d);
}

// Attention kernels do so: the result of the first product is, in registers, a matrix of the second, and the sum so far is
// scaled in between.
__device__ __forceinline__ void as_matrix(const float* d, unsigned* a) {
  for (int k = 0; k < 4; ++k) a[k] = __float_as_uint(d[k]) & 0x3fff3fff;
}

//@ good scores_in_registers block=256 args="float32[3456]= float32[512]"
extern "C" __global__ void scores_in_registers(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings()) produce(ring, in);
  if (!uses()) return;
  float sum[4] = {0, 0, 0, 0};
  for (int i = 0; i < kTiles; ++i) {
    float scores[4] = {0, 0, 0, 0};
    unsigned a[4];
    Tiles& tile = ring.tile[i % kStages];
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    FENCE;
    MULTIPLY(scores, matrix_at(tile.a), matrix_at(tile.b));
    COMMIT;
    WAIT(0);
    as_matrix(scores, a);
    for (int k = 0; k < 4; ++k) sum[k] *= 0.5f + scores[0];
    FENCE;
    MULTIPLY_REGISTERS(sum, a, matrix_at(tile.b));
    COMMIT;
    WAIT(0);
    if (threadIdx.x == 0) ARRIVE(&ring.empty[i % kStages]);
  }
  put(out, sum);
}

// The scores of the next tile are multiplied while this one's are still added up.
//@ good scores_ahead_of_the_sum block=256 args="float32[3456]= float32[512]"
extern "C" __global__ void scores_ahead_of_the_sum(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings()) produce(ring, in);
  if (!uses()) return;
  float sum[4] = {0, 0, 0, 0}, scores[4] = {0, 0, 0, 0};
  unsigned a[4];
  wait_for(&ring.full[0], 0);
  FENCE;
  MULTIPLY(scores, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));
  COMMIT;
  WAIT(0);
  as_matrix(scores, a);
  for (int i = 1; i < kTiles; ++i) {
    Tiles &tile = ring.tile[i % kStages], &last = ring.tile[(i - 1) % kStages];
    float next[4] = {0, 0, 0, 0};
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    FENCE;
    MULTIPLY(next, matrix_at(tile.a), matrix_at(tile.b));
    COMMIT;
    MULTIPLY_REGISTERS(sum, a, matrix_at(last.b));
    COMMIT;
    WAIT(1);
    const float factor = 0.5f + next[0];
    WAIT(0);
    if (threadIdx.x == 0) ARRIVE(&ring.empty[(i - 1) % kStages]);
    as_matrix(next, a);
    for (int k = 0; k < 4; ++k) sum[k] *= factor;
  }
  put(out, sum);
}

//@ bug sum_scaled_while_it_is_added_to race only=optimised block=256 args="float32[3456]= float32[512]" hazard=read_before_the_wait
extern "C" __global__ void sum_scaled_while_it_is_added_to(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings()) bring(ring, 0, in);
  if (!uses()) return;
  float sum[4] = {0, 0, 0, 0}, scores[4] = {0, 0, 0, 0};
  wait_for(&ring.full[0], 0);
  FENCE;
  MULTIPLY(scores, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));
  COMMIT;
  MULTIPLY(sum, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));  //~
  COMMIT;
  WAIT(1);
  for (int k = 0; k < 4; ++k) sum[k] *= scores[k];  //!
  WAIT(0);
  put(out, sum);
}

//@ bug scores_made_into_a_matrix_without_a_fence race only=optimised block=256 args="float32[3456]= float32[512]" hazard=no_fence
extern "C" __global__ void scores_made_into_a_matrix_without_a_fence(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings()) bring(ring, 0, in);
  if (!uses()) return;
  float sum[4] = {0, 0, 0, 0}, scores[4] = {0, 0, 0, 0};
  unsigned a[4];
  wait_for(&ring.full[0], 0);
  FENCE;
  MULTIPLY(scores, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));
  COMMIT;
  WAIT(0);
  for (int k = 0; k < 4; ++k) a[k] = __float_as_uint(scores[k]) & 0x3fff3fff;  //~
  MULTIPLY_REGISTERS(sum, a, matrix_at(ring.tile[0].b));  //!
  COMMIT;
  WAIT(0);
  put(out, sum);
}

//@ bug result_is_the_next_matrix_too_early race only=optimised block=256 args="float32[3456]= float32[512]" hazard=read_before_the_wait
extern "C" __global__ void result_is_the_next_matrix_too_early(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings()) bring(ring, 0, in);
  if (!uses()) return;
  float sum[4] = {0, 0, 0, 0}, scores[4] = {0, 0, 0, 0};
  wait_for(&ring.full[0], 0);
  FENCE;
  MULTIPLY(scores, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));  //~
  COMMIT;
  unsigned a[4];
  for (int k = 0; k < 4; ++k) a[k] = __float_as_uint(scores[k]) + 1;  //!
  FENCE;
  MULTIPLY_REGISTERS(sum, a, matrix_at(ring.tile[0].b));
  COMMIT;
  WAIT(0);
  put(out, sum);
}

//@ bug result_stored_into_a_tile_that_others_multiply race block=384 args="float32[3456]= float32[1024]" hazard=read_after_write both_orders=True
extern "C" __global__ void __launch_bounds__(384) result_stored_into_a_tile_that_others_multiply(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 2);
  if (brings()) bring(ring, 0, in);
  if (!uses()) return;
  float d[4] = {0, 0, 0, 0};
  wait_for(&ring.full[0], 0);
  FENCE;
  MULTIPLY(d, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));  //!
  COMMIT;
  WAIT(0);
  if (threadIdx.x < 128) {
    ring.tile[0].a[threadIdx.x * 4] = __float_as_uint(d[0]);  //~
  }
  put(out, d);
}

// The result goes over the tiles to the async proxy, by matrices of eight rows.
//@ good result_over_the_tiles block=128 args="float32[576]= uint32[512]"
extern "C" __global__ void result_over_the_tiles(const float* in, unsigned* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (threadIdx.x == 0) {
    EXPECT(&ring.full[0], kBytes);
    BULK_IN(&ring.tile[0], in, kBytes, &ring.full[0]);
  }
  float d[4] = {0, 0, 0, 0};
  wait_for(&ring.full[0], 0);
  FENCE;
  MULTIPLY(d, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));
  COMMIT;
  WAIT(0);
  __syncthreads();
  unsigned v[4];
  for (int k = 0; k < 4; ++k) v[k] = __float_as_uint(d[k]);
  STORE_MATRICES(ring.tile[0].a + threadIdx.x * 4, v);
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(out, ring.tile[0].a, 2048);
    COMMIT_BULK;
    WAIT_READ(0);
  }
}

//@ bug result_over_the_tiles_without_a_meeting race block=128 args="float32[576]= uint32[512]" hazard=write_after_read
extern "C" __global__ void result_over_the_tiles_without_a_meeting(const float* in, unsigned* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (threadIdx.x == 0) {
    EXPECT(&ring.full[0], kBytes);
    BULK_IN(&ring.tile[0], in, kBytes, &ring.full[0]);
  }
  float d[4] = {0, 0, 0, 0};
  wait_for(&ring.full[0], 0);
  FENCE;
  MULTIPLY(d, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));  //~
  COMMIT;
  if (threadIdx.x / 32 == 1) ring.tile[0].a[threadIdx.x] = 0;  //!
  WAIT(0);
  out[threadIdx.x] = __float_as_uint(d[0]);
}

//@ bug next_tile_over_a_result_that_is_still_stored race block=128 args="float32[1152]= uint32[512]" hazard=write_after_read
extern "C" __global__ void next_tile_over_a_result_that_is_still_stored(const float* in, unsigned* out) {
  __shared__ Ring ring;
  make(ring, 1);
  for (int k = threadIdx.x; k < 512; k += 128) ring.tile[0].a[k] = k;
  PROXY_SHARED;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(out, ring.tile[0].a, 2048);  //~
    COMMIT_BULK;
    EXPECT(&ring.full[0], kBytes);
    BULK_IN(&ring.tile[0], in, kBytes, &ring.full[0]);  //!
    WAIT_READ(0);
  }
  wait_for(&ring.full[0], 0);
}

// The sum of each tile is begun by its first product (scale-d is false), in two sets of registers by turns.
#define BEGIN(d, a, b, more) asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(more) : "memory")

//@ good sums_by_turns_without_zeros block=256 args="float32[3456]= float32[512]"
extern "C" __global__ void sums_by_turns_without_zeros(const float* in, float* out) {
  __shared__ Ring ring;
  make(ring, 1);
  if (brings()) produce(ring, in);
  if (!uses()) return;
  float d[4], e[4], sum[4] = {0, 0, 0, 0};
  for (int i = 0; i < kTiles; i += 2) {
    wait_for(&ring.full[0], i / 2 & 1);
    FENCE;
    BEGIN(d, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b), 0);
    COMMIT;
    wait_for(&ring.full[1], i / 2 & 1);
    FENCE;
    BEGIN(e, matrix_at(ring.tile[1].a), matrix_at(ring.tile[1].b), 0);
    BEGIN(e, matrix_at(ring.tile[1].a), matrix_at(ring.tile[1].b), 1);
    COMMIT;
    WAIT(1);
    if (threadIdx.x == 0) ARRIVE(&ring.empty[0]);
    for (int k = 0; k < 4; ++k) sum[k] += d[k];
    WAIT(0);
    if (threadIdx.x == 0) ARRIVE(&ring.empty[1]);
    for (int k = 0; k < 4; ++k) sum[k] += e[k];
  }
  put(out, sum);
}

// One warpgroup multiplies, and the other one stores what it made of the tile before.
//@ good stores_by_another_warpgroup block=256 args="float32[3456]= float32[3072]"
extern "C" __global__ void stores_by_another_warpgroup(const float* in, float* out) {
  __shared__ Ring ring;
  __shared__ alignas(128) float result[2][512];
  __shared__ u64 made[2], stored[2];
  if (threadIdx.x < 2) {
    INIT(&made[threadIdx.x], 128);
    INIT(&stored[threadIdx.x], 1);
  }
  make(ring, 1);
  if (threadIdx.x == 160) produce(ring, in);
  if (threadIdx.x == 128)
    for (int i = 0; i < kTiles; ++i) {
      wait_for(&made[i % 2], i / 2 & 1);
      BULK_OUT(out + i * 512, result[i % 2], 2048);
      COMMIT_BULK;
      WAIT_READ(0);
      ARRIVE(&stored[i % 2]);
    }
  if (threadIdx.x >= 128) return;
  for (int i = 0; i < kTiles; ++i) {
    float d[4] = {0, 0, 0, 0};
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    FENCE;
    MULTIPLY(d, matrix_at(ring.tile[i % kStages].a), matrix_at(ring.tile[i % kStages].b));
    COMMIT;
    WAIT(0);
    if (threadIdx.x == 0) ARRIVE(&ring.empty[i % kStages]);
    wait_for(&stored[i % 2], (i / 2 + 1) & 1);
    for (int k = 0; k < 4; ++k) result[i % 2][threadIdx.x * 4 + k] = d[k];
    PROXY_SHARED;
    ARRIVE(&made[i % 2]);
  }
}

// The fence stands behind the arrival: it comes too late for whoever waits.
//@ bug results_fenced_behind_the_arrival race block=256 args="float32[3456]= float32[3072]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void results_fenced_behind_the_arrival(const float* in, float* out) {
  __shared__ Ring ring;
  __shared__ alignas(128) float result[512];
  __shared__ u64 made;
  if (threadIdx.x == 0) INIT(&made, 128);
  make(ring, 1);
  if (brings()) bring(ring, 0, in);
  if (threadIdx.x == 160) {
    wait_for(&made, 0);
    BULK_OUT(out, result, 2048);  //!
    COMMIT_BULK;
    WAIT_READ(0);
  }
  if (threadIdx.x >= 128) return;
  float d[4] = {0, 0, 0, 0};
  wait_for(&ring.full[0], 0);
  FENCE;
  MULTIPLY(d, matrix_at(ring.tile[0].a), matrix_at(ring.tile[0].b));
  COMMIT;
  WAIT(0);
  for (int k = 0; k < 4; ++k) result[threadIdx.x * 4 + k] = d[k];  //~
  ARRIVE(&made);
  PROXY_SHARED;
}
