// Tiles that one block of a cluster brings for all, and barriers in each other's memory: with one mistake each, and correct
// ones.
//@ least 90
#include "hopper.cuh"

constexpr int kStages = 2, kTiles = 6;
struct alignas(128) Ring {
  float tile[kStages][64];
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
}
__device__ __forceinline__ bool brings() { return threadIdx.x == 64; }
__device__ __forceinline__ bool uses() { return threadIdx.x < 64; }
// Each block brings half of every tile for both; a stage is free once the readers of both blocks have given it back.
__device__ __forceinline__ void produce(Ring& ring, const float* a) {
  const int half = rank_in_cluster() * 32;
  for (int i = 0; i < kTiles; ++i) {
    const int k = i % kStages;
    wait_in_cluster(&ring.empty[k], (i / kStages + 1) & 1);
    EXPECT(&ring.full[k], 256);
    BULK_IN_ALL(ring.tile[k] + half, a + i * 64 + half, 128, &ring.full[k], 3);
  }
}
__device__ __forceinline__ float consume(Ring& ring) {
  float sum = 0;
  for (int i = 0; i < kTiles; ++i) {
    const int k = i % kStages;
    wait_for(&ring.full[k], i / kStages & 1);
    sum += ring.tile[k][63 - threadIdx.x];
    __syncwarp();
    if (threadIdx.x % 32 < 2) ARRIVE_AT(&ring.empty[k], threadIdx.x % 32);
  }
  return sum;
}

//@ good halves_for_both_blocks grid=2 block=96 budget=40000000 args="float32[384]= float32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) halves_for_both_blocks(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 4);
  CLUSTER;
  if (brings()) produce(ring, a);
  if (uses()) out[blockIdx.x * 64 + threadIdx.x] = consume(ring);
  __syncwarp();
  CLUSTER;
}

// CUTLASS leaves a kernel so: the producer waits until all its stages have been given back, so that nobody arrives there any more.
//@ good left_when_all_is_given_back grid=2 block=96 budget=40000000 args="float32[384]= float32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) left_when_all_is_given_back(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 4);
  CLUSTER;
  if (brings()) {
    produce(ring, a);
    for (int i = kTiles; i < kTiles + kStages; ++i) wait_in_cluster(&ring.empty[i % kStages], (i / kStages + 1) & 1);
  }
  if (uses()) out[blockIdx.x * 64 + threadIdx.x] = consume(ring);
}

//@ bug cluster_does_not_meet_at_first race grid=2 block=96 args="float32[384]= float32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_does_not_meet_at_first(const float* a, float* out) {
  __shared__ Ring ring;
  if (threadIdx.x == 0) {
    INIT(&ring.full[0], 1);  //~
    INIT_FENCE;
  }
  __syncthreads();
  if (brings()) {
    EXPECT(&ring.full[0], 256);
    BULK_IN_ALL(ring.tile[0] + rank_in_cluster() * 32, a + rank_in_cluster() * 32, 128, &ring.full[0], 3);  //! race hazard=write_after_write ; uninitialised
  }
  wait_for(&ring.full[0], 0);
  if (uses()) out[blockIdx.x * 64 + threadIdx.x] = ring.tile[0][threadIdx.x];
  __syncwarp();
  CLUSTER;
}

//@ bug given_back_to_the_own_block_alone race grid=2 block=96 budget=40000000 args="float32[384]= float32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) given_back_to_the_own_block_alone(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 2);
  CLUSTER;
  if (brings()) produce(ring, a);  //! hazard=write_after_write
  if (uses()) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.full[k], i / kStages & 1);
      sum += ring.tile[k][63 - threadIdx.x];  //! hazard=read_after_write
      __syncwarp();
      if (threadIdx.x % 32 == 0) ARRIVE(&ring.empty[k]);
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
  }
  __syncwarp();
  CLUSTER;
}

//@ bug half_of_the_bytes_expected race grid=2 block=96 args="float32[384]= float32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) half_of_the_bytes_expected(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 4);
  CLUSTER;
  if (brings()) {
    EXPECT(&ring.full[0], 128);
    BULK_IN_ALL(ring.tile[0] + rank_in_cluster() * 32, a + rank_in_cluster() * 32, 128, &ring.full[0], 3);  //! hazard=write_after_read both_orders=True
  }
  if (uses()) {
    wait_for(&ring.full[0], 0);
    out[blockIdx.x * 64 + threadIdx.x] = ring.tile[0][threadIdx.x];  //! uninitialised
  }
  CLUSTER;
}  //! hazard=exit_after_write

//@ bug other_block_not_among_those_that_get_it barrier grid=2 block=96 budget=40000000 args="float32[384]= float32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) other_block_not_among_those_that_get_it(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 4);
  CLUSTER;
  if (brings()) {
    EXPECT(&ring.full[0], 256);
    BULK_IN_ALL(ring.tile[0] + rank_in_cluster() * 32, a + rank_in_cluster() * 32, 128, &ring.full[0], 1 << rank_in_cluster());
  }
  if (uses()) {
    wait_for(&ring.full[0], 0);  //! says=128_bytes_of_asynchronous_copies_that_never_come
    out[blockIdx.x * 64 + threadIdx.x] = ring.tile[0][threadIdx.x];
  }
  CLUSTER;  //!
}

//@ bug left_while_the_other_still_arrives illegal_address grid=2 block=96 budget=40000000 args="float32[384]= float32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) left_while_the_other_still_arrives(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 4);
  CLUSTER;
  if (brings()) produce(ring, a);
  if (uses()) {
    const float sum = consume(ring);  //!
    out[blockIdx.x * 64 + threadIdx.x] = sum;
  }
}

// A tile goes from block to block through shared memory, behind a barrier of the receiver's.
//@ good handed_round_the_cluster grid=4 block=32 args="float32[128]"
extern "C" __global__ void __cluster_dims__(4, 1, 1) handed_round_the_cluster(float* out) {
  __shared__ alignas(128) float s[4][32];
  __shared__ u64 full[4];
  const int rank = rank_in_cluster(), next = (rank + 1) % 4;
  if (threadIdx.x == 0) {
    for (int k = 0; k < 4; ++k) INIT(&full[k], 1);
    INIT_FENCE;
    for (int k = 1; k < 4; ++k) EXPECT(&full[k], 128);
  }
  s[0][threadIdx.x] = rank * 32 + threadIdx.x;
  PROXY;
  CLUSTER;
  float sum = s[0][threadIdx.x];
  for (int k = 0; k < 3; ++k) {
    if (threadIdx.x == 0) BULK_ACROSS(in_block(s[k + 1], next), s[k], 128, in_block(&full[k + 1], next));
    wait_in_cluster(&full[k + 1], 0);
    sum += s[k + 1][threadIdx.x];
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
  CLUSTER;
}

//@ bug source_changed_while_it_goes_to_the_neighbour race grid=2 block=32 args="float32[64]" hazard=write_after_read
extern "C" __global__ void __cluster_dims__(2, 1, 1) source_changed_while_it_goes_to_the_neighbour(float* out) {
  __shared__ alignas(128) float mine[32], theirs[32];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    EXPECT(&bar, 128);
  }
  mine[threadIdx.x] = threadIdx.x;
  PROXY;
  CLUSTER;
  const int other = 1 - rank_in_cluster();
  if (threadIdx.x == 0) BULK_ACROSS(in_block(theirs, other), mine, 128, in_block(&bar, other));  //~
  __syncwarp();
  mine[threadIdx.x] = 0;  //!
  wait_in_cluster(&bar, 0);
  out[blockIdx.x * 32 + threadIdx.x] = theirs[threadIdx.x];
  CLUSTER;
}

//@ bug arrivals_at_the_neighbour_without_a_release race grid=2 block=64 args="float32[128]" hazard=read_after_write
extern "C" __global__ void __cluster_dims__(2, 1, 1) arrivals_at_the_neighbour_without_a_release(float* out) {
  __shared__ float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 64);
    INIT_FENCE;
  }
  CLUSTER;
  const int other = 1 - rank_in_cluster();
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(in_block(s + threadIdx.x, other)), "f"(1.0f) : "memory");  //~
  asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&bar, other)) : "memory");
  wait_in_cluster(&bar, 0);
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];  //!
  CLUSTER;
}

//@ good arrivals_at_the_neighbour grid=2 block=64 args="float32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) arrivals_at_the_neighbour(float* out) {
  __shared__ float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 64);
    INIT_FENCE;
  }
  CLUSTER;
  const int other = 1 - rank_in_cluster();
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(in_block(s + threadIdx.x, other)), "f"(1.0f) : "memory");
  ARRIVE_AT(&bar, other);
  wait_in_cluster(&bar, 0);
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
  CLUSTER;
}

//@ bug arrived_in_the_wrong_block barrier grid=2 block=96 budget=40000000 args="float32[384]= float32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) arrived_in_the_wrong_block(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 4);
  CLUSTER;
  if (brings()) {
    EXPECT(&ring.full[0], 256);
    BULK_IN_ALL(ring.tile[0] + rank_in_cluster() * 32, a + rank_in_cluster() * 32, 128, &ring.full[0], 3);
    wait_in_cluster(&ring.empty[0], 0);  //! says=2_of_4_arrivals
  }
  if (uses()) {
    wait_for(&ring.full[0], 0);
    out[blockIdx.x * 64 + threadIdx.x] = ring.tile[0][63 - threadIdx.x];
    __syncwarp();
    if (threadIdx.x % 32 == 0) ARRIVE_AT(&ring.empty[0], 1 - rank_in_cluster());
  }
  __syncwarp();  //!
  CLUSTER;  //!
}

// --- what one block writes and the async proxy takes to another

//@ bug copy_across_the_cluster_without_a_fence race grid=2 block=32 args="float32[64]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void __cluster_dims__(2, 1, 1) copy_across_the_cluster_without_a_fence(float* out) {
  __shared__ alignas(128) float mine[32], theirs[32];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    EXPECT(&bar, 128);
  }
  CLUSTER;
  mine[threadIdx.x] = threadIdx.x;  //~
  __syncwarp();
  const int other = 1 - rank_in_cluster();
  if (threadIdx.x == 0) BULK_ACROSS(in_block(theirs, other), mine, 128, in_block(&bar, other));  //!
  wait_in_cluster(&bar, 0);
  out[blockIdx.x * 32 + threadIdx.x] = theirs[threadIdx.x];
  CLUSTER;
}

//@ bug written_by_the_neighbour_and_stored race grid=2 block=32 args="float32[32]" hazard=read_after_write says=no_fence.proxy.async_lies_between
extern "C" __global__ void __cluster_dims__(2, 1, 1) written_by_the_neighbour_and_stored(float* out) {
  __shared__ alignas(128) float s[32];
  CLUSTER;
  if (rank_in_cluster() == 1)
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(in_block(s + threadIdx.x, 0)), "f"(1.0f) : "memory");  //~
  CLUSTER;
  if (rank_in_cluster() == 0 && threadIdx.x == 0) {
    BULK_OUT(out, s, 128);  //!
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ good written_by_the_neighbour_fenced_and_stored grid=2 block=32 args="float32[32]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) written_by_the_neighbour_fenced_and_stored(float* out) {
  __shared__ alignas(128) float s[32];
  CLUSTER;
  if (rank_in_cluster() == 1) {
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(in_block(s + threadIdx.x, 0)), "f"(1.0f) : "memory");
    PROXY;
  }
  CLUSTER;
  if (rank_in_cluster() == 0 && threadIdx.x == 0) {
    BULK_OUT(out, s, 128);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

// Half a fence on either side: what the sender has written, and what it writes at the receiver.
//@ good sent_across_the_cluster_behind_half_a_fence grid=2 block=32 args="float32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) sent_across_the_cluster_behind_half_a_fence(float* out) {
  __shared__ alignas(128) float mine[32], theirs[32];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT_FENCE;
    EXPECT(&bar, 128);
  }
  CLUSTER;
  mine[threadIdx.x] = threadIdx.x;
  asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
  __syncwarp();
  const int other = 1 - rank_in_cluster();
  if (threadIdx.x == 0) BULK_ACROSS(in_block(theirs, other), mine, 128, in_block(&bar, other));
  wait_in_cluster(&bar, 0);
  out[blockIdx.x * 32 + threadIdx.x] = theirs[threadIdx.x];
  CLUSTER;
}
