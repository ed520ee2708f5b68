// Memory of several devices at one address (multimem): with one mistake each, and correct ones.
//@ least 90
#include "hopper.cuh"
#define ADD(p, v) asm volatile("multimem.red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define ADD_RELEASE(p, v) asm volatile("multimem.red.release.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define STORE(p, v) asm volatile("multimem.st.weak.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define STORE_STRONG(p, v) asm volatile("multimem.st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define SUM(v, p) asm volatile("multimem.ld_reduce.weak.global.add.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define SUM_STRONG(v, p) asm volatile("multimem.ld_reduce.relaxed.gpu.global.add.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define SUM_ACQUIRE(v, p) asm volatile("multimem.ld_reduce.acquire.gpu.global.add.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")

//@ good stored_and_summed_behind_a_barrier block=64 args="multicast uint32[64]"
extern "C" __global__ void stored_and_summed_behind_a_barrier(unsigned* all, unsigned*, unsigned* out) {
  unsigned v;
  STORE(all + threadIdx.x, threadIdx.x);
  __syncthreads();
  SUM(v, all + 63 - threadIdx.x);
  out[threadIdx.x] = v;
}

//@ bug stored_and_summed_without_a_barrier race block=64 args="multicast uint32[64]" hazard=write_after_read both_orders=True
extern "C" __global__ void stored_and_summed_without_a_barrier(unsigned* all, unsigned*, unsigned* out) {
  unsigned v;
  STORE(all + threadIdx.x, threadIdx.x);  //!
  SUM(v, all + 63 - threadIdx.x);  //~
  out[threadIdx.x] = v;
}

//@ bug stored_by_two_warps_at_one_place race block=64 args="multicast" hazard=write_after_write
extern "C" __global__ void stored_by_two_warps_at_one_place(unsigned* all, unsigned*) {
  STORE(all + threadIdx.x % 32, threadIdx.x);  //! thread=32 other_thread=0 count=32
}

//@ good added_by_all block=64 grid=2 args="multicast"
extern "C" __global__ void added_by_all(unsigned* all, unsigned*) {
  ADD(all + threadIdx.x % 32, threadIdx.x);
}

//@ bug added_to_what_others_store race block=64 args="multicast" hazard=write_after_write
extern "C" __global__ void added_to_what_others_store(unsigned* all, unsigned*) {
  if (threadIdx.x < 32)
    STORE(all + threadIdx.x, 1u);  //~
  else
    ADD(all + threadIdx.x % 32, threadIdx.x);  //!
}

//@ bug summed_while_others_store_in_another_block race block=32 grid=2 args="multicast uint32[32]"
extern "C" __global__ void summed_while_others_store_in_another_block(unsigned* all, unsigned*, unsigned* out) {
  unsigned v;
  if (blockIdx.x == 0) {
    STORE(all + threadIdx.x, 1u);  //~
  } else {
    SUM(v, all + threadIdx.x);  //! hazard=read_after_write in_block=1 other_block=0
    out[threadIdx.x] = v;
  }
}

//@ good handed_over_by_a_release block=32 grid=2 args="multicast uint32[32]"
extern "C" __global__ void handed_over_by_a_release(unsigned* all, unsigned*, unsigned* out) {
  unsigned v, seen = 0;
  if (blockIdx.x == 0) {
    STORE(all + 1 + threadIdx.x, 1u);
    __syncthreads();
    if (threadIdx.x == 0) ADD_RELEASE(all, 1u);
  } else {
    while (seen == 0) SUM_ACQUIRE(seen, all);
    SUM(v, all + 1 + threadIdx.x);
    out[threadIdx.x] = v;
  }
}

//@ bug handed_over_by_a_relaxed_sum race block=32 grid=2 args="multicast uint32[32]"
extern "C" __global__ void handed_over_by_a_relaxed_sum(unsigned* all, unsigned*, unsigned* out) {
  unsigned v, seen = 0;
  if (blockIdx.x == 0) {
    STORE(all + 1 + threadIdx.x, 1u);  //~
    __syncthreads();
    if (threadIdx.x == 0) ADD_RELEASE(all, 1u);
  } else {
    while (seen == 0) SUM_STRONG(seen, all);
    SUM(v, all + 1 + threadIdx.x);  //! hazard=read_after_write
    out[threadIdx.x] = v;
  }
}

//@ bug handed_over_without_a_release race block=32 grid=2 args="multicast uint32[32]"
extern "C" __global__ void handed_over_without_a_release(unsigned* all, unsigned*, unsigned* out) {
  unsigned v, seen = 0;
  if (blockIdx.x == 0) {
    STORE(all + 1 + threadIdx.x, 1u);  //~
    __syncthreads();
    if (threadIdx.x == 0) ADD(all, 1u);
  } else {
    while (seen == 0) SUM_ACQUIRE(seen, all);
    SUM(v, all + 1 + threadIdx.x);  //! hazard=read_after_write
    out[threadIdx.x] = v;
  }
}

//@ bug multimem_of_the_memory_s_own_address illegal_address block=1 args="multicast"
extern "C" __global__ void multimem_of_the_memory_s_own_address(unsigned*, unsigned* own) {
  STORE(own, 1u);  //! access=write says=no_multicast_object_is_mapped
}

//@ bug plain_load_of_a_multicast_address illegal_address block=1 args="multicast uint32[1]"
extern "C" __global__ void plain_load_of_a_multicast_address(unsigned* all, unsigned*, unsigned* out) {
  *out = *all;  //! access=read
}

//@ bug one_past_the_object illegal_address block=1 args="multicast"
extern "C" __global__ void one_past_the_object(unsigned* all, unsigned*) {
  ADD(all + (2 << 20) / 4, 1u);  //!
}

//@ bug two_words_at_an_odd_one misaligned_address block=1 args="multicast"
extern "C" __global__ void two_words_at_an_odd_one(unsigned* all, unsigned*) {
  asm volatile("multimem.st.weak.global.v2.f32 [%0], {%1, %1};" ::"l"(all + 1), "f"(1.0f) : "memory");  //!
}

//@ bug sum_without_a_value uninitialised block=32 args="multicast uint32[32]"
extern "C" __global__ void sum_without_a_value(unsigned* all, unsigned*, const unsigned* in) {
  ADD(all + threadIdx.x, in[threadIdx.x] + 1);  //!
}
