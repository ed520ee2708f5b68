// Phases of mbarriers that nobody waits for, or of which not all that belongs to them is waited for. Each kernel with a mistake has
// a twin, its `_right`, that differs by the one line that is missing.
//@ least 90
#include "hopper.cuh"

struct alignas(128) Two {
  float s[2][64];
  u64 full[2], empty[2];
};
__device__ __forceinline__ void make(Two& m, int consumers) {
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) {
      INIT(&m.full[k], 1);
      INIT(&m.empty[k], consumers);
    }
    INIT_FENCE;
  }
  __syncthreads();
}
__device__ __forceinline__ void bring(Two& m, int k, const float* in) {
  EXPECT(&m.full[k], 256);
  BULK_IN(m.s[k], in, 256, &m.full[k]);
}
#define SEND(to, value, bar) asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(value), "r"(bar) : "memory")

//@ bug barrier_of_the_other_stage race block=64 args="float32[128]= float32[64]" hazard=read_after_write
template <bool right>
__device__ __forceinline__ void other_stage(const float* in, float* out) {
  __shared__ Two m;
  make(m, 1);
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; ++k) bring(m, k, in + 64 * k);  //~
  wait_for(&m.full[0], 0);
  if (right) wait_for(&m.full[1], 0);
  out[threadIdx.x] = m.s[0][threadIdx.x] + m.s[1][threadIdx.x];  //! ; uninitialised
  wait_for(&m.full[1], 0);
}
extern "C" __global__ void barrier_of_the_other_stage(const float* in, float* out) { other_stage<false>(in, out); }
//@ good barrier_of_the_other_stage_right block=64 args="float32[128]= float32[64]"
extern "C" __global__ void barrier_of_the_other_stage_right(const float* in, float* out) { other_stage<true>(in, out); }

// The parity of the phase before: it is over at once.
//@ bug waited_for_with_the_other_parity race block=64 args="float32[128]= float32[64]" hazard=write_after_read both_orders=True
template <bool right>
__device__ __forceinline__ void other_parity(const float* in, float* out) {
  __shared__ Two m;
  make(m, 1);
  if (threadIdx.x == 0) bring(m, 0, in);  //!
  wait_for(&m.full[0], right ? 0 : 1);
  out[threadIdx.x] = m.s[0][threadIdx.x];  //! uninitialised //~
  wait_for(&m.full[0], 0);
}
extern "C" __global__ void waited_for_with_the_other_parity(const float* in, float* out) { other_parity<false>(in, out); }
//@ good waited_for_with_the_other_parity_right block=64 args="float32[128]= float32[64]"
extern "C" __global__ void waited_for_with_the_other_parity_right(const float* in, float* out) { other_parity<true>(in, out); }

//@ bug asked_once_and_not_again race block=64 args="float32[128]= float32[64]" hazard=write_after_read
template <bool right>
__device__ __forceinline__ void asked_once(const float* in, float* out) {
  __shared__ Two m;
  make(m, 1);
  if (threadIdx.x == 0) bring(m, 0, in);  //!
  bool over = is_over(&m.full[0], 0);
  while (right && !over) over = is_over(&m.full[0], 0);
  out[threadIdx.x] = m.s[0][threadIdx.x] + over;  //! uninitialised //~
  wait_for(&m.full[0], 0);
}
extern "C" __global__ void asked_once_and_not_again(const float* in, float* out) { asked_once<false>(in, out); }
//@ good asked_once_and_not_again_right block=64 args="float32[128]= float32[64]"
extern "C" __global__ void asked_once_and_not_again_right(const float* in, float* out) { asked_once<true>(in, out); }

// Thread 0 alone waits, and no barrier follows.
//@ bug waited_for_by_the_one_who_brought race block=64 args="float32[128]= float32[64]" hazard=write_after_read both_orders=True
template <bool right>
__device__ __forceinline__ void one_waits(const float* in, float* out) {
  __shared__ Two m;
  make(m, 1);
  if (threadIdx.x == 0) {
    bring(m, 0, in);  //!
    wait_for(&m.full[0], 0);
  }
  if (right) __syncthreads();
  out[threadIdx.x] = m.s[0][threadIdx.x];  //! uninitialised //~
  __syncthreads();
}
extern "C" __global__ void waited_for_by_the_one_who_brought(const float* in, float* out) { one_waits<false>(in, out); }
//@ good waited_for_by_the_one_who_brought_right block=64 args="float32[128]= float32[64]"
extern "C" __global__ void waited_for_by_the_one_who_brought_right(const float* in, float* out) { one_waits<true>(in, out); }

// Two copies of one phase, of which the bytes of one alone are expected: it may be over after either.
//@ bug bytes_of_one_copy_of_two_expected race block=64 args="float32[128]= float32[64]"
template <bool right>
__device__ __forceinline__ void half_expected(const float* in, float* out) {
  __shared__ Two m;
  make(m, 1);
  if (threadIdx.x == 0) {
    EXPECT(&m.full[0], right ? 512 : 256);
    BULK_IN(m.s[0], in, 256, &m.full[0]);
    BULK_IN(m.s[1], in + 64, 256, &m.full[0]);  //~
  }
  wait_for(&m.full[0], 0);
  out[threadIdx.x] = m.s[1][threadIdx.x];  //! hazard=read_after_write
}
extern "C" __global__ void bytes_of_one_copy_of_two_expected(const float* in, float* out) { half_expected<false>(in, out); }
//@ good bytes_of_one_copy_of_two_expected_right block=64 args="float32[128]= float32[64]"
extern "C" __global__ void bytes_of_one_copy_of_two_expected_right(const float* in, float* out) { half_expected<true>(in, out); }

// The stage is filled again, and the phase in which its readers gave it back is not waited for.
//@ bug stage_filled_again_without_a_wait race block=96 args="float32[256]= float32[64]" hazard=write_after_write
template <bool right>
__device__ __forceinline__ void filled_again(const float* in, float* out) {
  __shared__ Two m;
  make(m, 64);
  if (threadIdx.x == 64) {
    for (int i = 0; i < 4; ++i) {
      if (i >= 2 && (right || i == 2)) wait_for(&m.empty[i % 2], 0);
      bring(m, i % 2, in + i * 64);  //! //~
    }
  } else if (threadIdx.x < 64) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      wait_for(&m.full[i % 2], i / 2);
      sum += m.s[i % 2][threadIdx.x];
      ARRIVE(&m.empty[i % 2]);
    }
    out[threadIdx.x] = sum;
  }
}
extern "C" __global__ void stage_filled_again_without_a_wait(const float* in, float* out) { filled_again<false>(in, out); }
//@ good stage_filled_again_without_a_wait_right block=96 args="float32[256]= float32[64]"
extern "C" __global__ void stage_filled_again_without_a_wait_right(const float* in, float* out) { filled_again<true>(in, out); }

// The copy is brought, nobody needs it any more, and the block ends.
//@ bug tile_that_nobody_waits_for_at_the_end race block=64 args="float32[128]= float32[64]" hazard=exit_after_write
template <bool right>
__device__ __forceinline__ void not_needed(const float* in, float* out) {
  __shared__ Two m;
  make(m, 1);
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; ++k) bring(m, k, in + 64 * k);  //~
  wait_for(&m.full[0], 0);
  out[threadIdx.x] = m.s[0][threadIdx.x];
  if (right) wait_for(&m.full[1], 0);
}
extern "C" __global__ void tile_that_nobody_waits_for_at_the_end(const float* in, float* out) { not_needed<false>(in, out); }  //!
//@ good tile_that_nobody_waits_for_at_the_end_right block=64 args="float32[128]= float32[64]"
extern "C" __global__ void tile_that_nobody_waits_for_at_the_end_right(const float* in, float* out) { not_needed<true>(in, out); }

// The barrier is made anew for the next use while its phase is not over.
//@ bug barrier_made_anew_with_a_copy_under_way race block=64 args="float32[128]= float32[64]"
template <bool right>
__device__ __forceinline__ void made_anew(const float* in, float* out) {
  __shared__ Two m;
  make(m, 1);
  if (threadIdx.x == 0) bring(m, 0, in);
  if (right) wait_for(&m.full[0], 0);
  __syncthreads();
  if (threadIdx.x == 0) {
    INIT(&m.full[0], 1);
    INIT_FENCE;
    bring(m, 0, in + 64);  //! hazard=write_after_write
  }
  __syncthreads();
  wait_for(&m.full[0], 0);
  out[threadIdx.x] = m.s[0][threadIdx.x];  //! hazard=read_after_write
}
extern "C" __global__ void barrier_made_anew_with_a_copy_under_way(const float* in, float* out) { made_anew<false>(in, out); }
//@ good barrier_made_anew_with_a_copy_under_way_right block=64 args="float32[128]= float32[64]"
extern "C" __global__ void barrier_made_anew_with_a_copy_under_way_right(const float* in, float* out) { made_anew<true>(in, out); }

// Each block gets the tile, and one of them waits for its own barrier.
//@ bug neighbour_does_not_wait_for_its_own_barrier race grid=2 block=32 args="float32[64]= float32[64]" hazard=write_after_read
template <bool right>
__device__ __forceinline__ void own_barrier(const float* in, float* out) {
  __shared__ Two m;
  make(m, 1);
  if (threadIdx.x == 0) EXPECT(&m.full[0], 128);
  CLUSTER;
  if (threadIdx.x == 0 && rank_in_cluster() == 0) BULK_IN_ALL(m.s[0], in, 128, &m.full[0], 3);  //!
  if (right || rank_in_cluster() == 0) wait_for(&m.full[0], 0);
  else MEET(1, 32);
  out[rank_in_cluster() * 32 + threadIdx.x] = m.s[0][threadIdx.x];  //! uninitialised in_block=1 //~
  wait_for(&m.full[0], 0);
  CLUSTER;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbour_does_not_wait_for_its_own_barrier(const float* in, float* out) { own_barrier<false>(in, out); }
//@ good neighbour_does_not_wait_for_its_own_barrier_right grid=2 block=32 args="float32[64]= float32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbour_does_not_wait_for_its_own_barrier_right(const float* in, float* out) { own_barrier<true>(in, out); }

// DeepGEMM does so: one warp makes the barrier, another one brings, and a relaxed arrival lies between the two.
//@ bug relaxed_arrival_tells_nobody_of_a_barrier race grid=2 block=96 args="float32[64]= float32[192]" hazard=write_after_write
template <bool right>
__device__ __forceinline__ void relaxed_arrival(const float* in, float* out) {
  __shared__ Two m;
  if (threadIdx.x == 0) {
    INIT(&m.full[0], 1);  //~
    if (right) INIT_FENCE;
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (threadIdx.x == 64) {
    EXPECT(&m.full[0], 128);  //!
    BULK_IN(m.s[0], in, 128, &m.full[0]);
  }
  if (right || threadIdx.x == 64) wait_for(&m.full[0], 0);
  CLUSTER;
  out[blockIdx.x * 96 + threadIdx.x] = m.s[0][threadIdx.x % 32];
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) relaxed_arrival_tells_nobody_of_a_barrier(const float* in, float* out) { relaxed_arrival<false>(in, out); }
//@ good relaxed_arrival_tells_nobody_of_a_barrier_right grid=2 block=96 args="float32[64]= float32[192]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) relaxed_arrival_tells_nobody_of_a_barrier_right(const float* in, float* out) { relaxed_arrival<true>(in, out); }

//@ bug word_sent_by_the_neighbour_not_waited_for race grid=2 block=32 args="uint32[64]" hazard=write_after_read both_orders=True
template <bool right>
__device__ __forceinline__ void word_sent(unsigned* out) {
  __shared__ Two m;
  make(m, 1);
  if (threadIdx.x == 0) EXPECT(&m.full[0], 128);
  CLUSTER;
  SEND(in_block(&m.s[0][threadIdx.x], rank_in_cluster() ^ 1), threadIdx.x, in_block(&m.full[0], rank_in_cluster() ^ 1));  //!
  if (right) wait_in_cluster(&m.full[0], 0);
  out[rank_in_cluster() * 32 + threadIdx.x] = __float_as_uint(m.s[0][threadIdx.x]);  //! uninitialised //~
  wait_in_cluster(&m.full[0], 0);
  CLUSTER;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) word_sent_by_the_neighbour_not_waited_for(unsigned* out) { word_sent<false>(out); }
//@ good word_sent_by_the_neighbour_not_waited_for_right grid=2 block=32 args="uint32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) word_sent_by_the_neighbour_not_waited_for_right(unsigned* out) { word_sent<true>(out); }

// Small copies that arrive at an mbarrier when they have come.
//@ bug arrivals_of_small_copies_not_waited_for race block=64 args="uint32[256]= uint32[256]" hazard=write_after_read both_orders=True
template <bool right>
__device__ __forceinline__ void small_arrivals(const unsigned* in, unsigned* out) {
  __shared__ alignas(128) unsigned s[256];
  __shared__ u64 bar;
  if (threadIdx.x == 0) INIT(&bar, 64);
  __syncthreads();
  COPY16(s + threadIdx.x * 4, in + threadIdx.x * 4);  //!
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
  if (right) wait_for(&bar, 0);
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = s[255 - threadIdx.x * 4 - k];  //! uninitialised //~
  wait_for(&bar, 0);
}
extern "C" __global__ void arrivals_of_small_copies_not_waited_for(const unsigned* in, unsigned* out) { small_arrivals<false>(in, out); }
//@ good arrivals_of_small_copies_not_waited_for_right block=64 args="uint32[256]= uint32[256]"
extern "C" __global__ void arrivals_of_small_copies_not_waited_for_right(const unsigned* in, unsigned* out) { small_arrivals<true>(in, out); }

// The state of the phase before is kept, and that phase is over.
//@ bug state_of_an_earlier_phase race block=64 args="float32[128]= float32[64]" hazard=read_after_write
template <bool right>
__device__ __forceinline__ void earlier_state(const float* in, float* out) {
  __shared__ Two m;
  make(m, 1);
  u64 state = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 256;" : "=l"(state) : "r"(at(&m.full[0])) : "memory");
    BULK_IN(m.s[0], in, 256, &m.full[0]);
  }
  wait_for(&m.full[0], 0);
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 next;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 256;" : "=l"(next) : "r"(at(&m.full[0])) : "memory");
    BULK_IN(m.s[0], in + 64, 256, &m.full[0]);  //~
    if (right) state = next;
    unsigned done = 0;
    while (done == 0) asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(&m.full[0])), "l"(state) : "memory");
    out[0] = m.s[0][1];  //!
  }
  wait_for(&m.full[0], 1);
}
extern "C" __global__ void state_of_an_earlier_phase(const float* in, float* out) { earlier_state<false>(in, out); }
//@ good state_of_an_earlier_phase_right block=64 args="float32[128]= float32[64]"
extern "C" __global__ void state_of_an_earlier_phase_right(const float* in, float* out) { earlier_state<true>(in, out); }
