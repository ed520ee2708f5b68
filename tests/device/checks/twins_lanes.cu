// One lane tells others what its whole warp has done. What the warp has only read is a warning of a name of its own, as published
// kernels do so; what it has written, or does elsewhere, is an error. Each kernel with a mistake has a twin, its `_right`.
//@ least 90
#include "hopper.cuh"

struct alignas(128) Shared {
  float s[128];
  u64 full, empty;
  unsigned flag;
};
__device__ __forceinline__ void make(Shared& m, int readers) {
  if (threadIdx.x == 0) {
    INIT(&m.full, 1);
    INIT(&m.empty, readers);
    INIT_FENCE;
    m.flag = 0;
  }
  __syncthreads();
}
#define MET(right) if (right) __syncwarp()
#define LANE (threadIdx.x % 32)
// The last warp brings tiles of 128 floats one after the other to one place.
#define BRING(from)                 \
  EXPECT(&m.full, 512);             \
  BULK_IN(m.s, from, 512, &m.full)
#define RAISE(flag) asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"r"(at(flag)) : "memory")
#define COUNT(flag) asm volatile("red.release.cta.shared.add.u32 [%0], 1;" ::"r"(at(flag)) : "memory")
#define SET(flag) asm volatile("st.relaxed.cta.shared.u32 [%0], 1;" ::"r"(at(flag)) : "memory")
#define FENCE_CTA asm volatile("fence.acq_rel.cta;" ::: "memory")
__device__ __forceinline__ void await_here(const unsigned* flag, unsigned value) {
  unsigned seen;
  do asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"(at(flag)) : "memory");
  while (seen != value);
}

//@ bug stage_given_back_by_one_lane race block=64 args="float32[512]= float32[32]" severity=warning name=order-by-lane says=lies_between_it_and_where_another_lane_of_its_warp_arrives_for_it
template <bool right>
__device__ __forceinline__ void ring(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x == 32) {
    for (int k = 0; k < 4; ++k) {
      if (k > 0) wait_for(&m.empty, (k - 1) & 1);
      BRING(in + 128 * k);  //! hazard=write_after_read
    }
  }
  if (threadIdx.x < 32) {
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
      wait_for(&m.full, k & 1);
      sum += m.s[LANE * 4];  //~
      MET(right);
      if (LANE == 0) ARRIVE(&m.empty);
    }
    out[LANE] = sum;
  }
}
extern "C" __global__ void stage_given_back_by_one_lane(const float* in, float* out) { ring<false>(in, out); }
//@ good stage_given_back_by_one_lane_right block=64 args="float32[512]= float32[32]"
extern "C" __global__ void stage_given_back_by_one_lane_right(const float* in, float* out) { ring<true>(in, out); }

// The arrival has a guard, and no branch leads around it.
//@ bug stage_given_back_by_a_guard race block=64 args="float32[256]= float32[32]" severity=warning name=order-by-lane
template <bool right>
__device__ __forceinline__ void guarded(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x == 32) {
    BRING(in);
    wait_for(&m.empty, 0);
    BRING(in + 128);  //! hazard=write_after_read
  }
  if (threadIdx.x < 32) {
    wait_for(&m.full, 0);
    out[LANE] = m.s[LANE * 4];  //~
    MET(right);
    asm volatile("{ .reg .pred p; .reg .b64 s; setp.eq.u32 p, %1, 0; @p mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(&m.empty)), "r"(LANE) : "memory");
    wait_for(&m.full, 1);
  }
}
extern "C" __global__ void stage_given_back_by_a_guard(const float* in, float* out) { guarded<false>(in, out); }
//@ good stage_given_back_by_a_guard_right block=64 args="float32[256]= float32[32]"
extern "C" __global__ void stage_given_back_by_a_guard_right(const float* in, float* out) { guarded<true>(in, out); }

// Some lanes read, and all are together again before one of them arrives.
//@ bug some_lanes_read race block=64 args="float32[256]= float32[32]=0" severity=warning name=order-by-lane
template <bool right>
__device__ __forceinline__ void read_by_some(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x == 32) {
    BRING(in);
    wait_for(&m.empty, 0);
    BRING(in + 128);  //! hazard=write_after_read
    wait_for(&m.full, 1);
  }
  if (threadIdx.x < 32) {
    wait_for(&m.full, 0);
    if (LANE % 2 == 1)
      for (unsigned i = 0; i < LANE; ++i) out[LANE] += m.s[i];  //~
    MET(right);
    if (LANE == 0) ARRIVE(&m.empty);
  }
}
extern "C" __global__ void some_lanes_read(const float* in, float* out) { read_by_some<false>(in, out); }
//@ good some_lanes_read_right block=64 args="float32[256]= float32[32]=0"
extern "C" __global__ void some_lanes_read_right(const float* in, float* out) { read_by_some<true>(in, out); }

//@ bug flag_of_one_lane race block=64 args="float32[32]= float32[32]" severity=warning name=order-by-lane says=another_lane_of_its_warp_releases_for_it
template <bool right>
__device__ __forceinline__ void flag(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x < 32) m.s[LANE] = in[LANE];
  __syncthreads();
  if (threadIdx.x < 32) {
    out[LANE] = m.s[31 - LANE];  //~
    MET(right);
    if (LANE == 0) RAISE(&m.flag);
  } else {
    await_here(&m.flag, 1);
    m.s[LANE] = 0;  //! hazard=write_after_read
  }
}
extern "C" __global__ void flag_of_one_lane(const float* in, float* out) { flag<false>(in, out); }
//@ good flag_of_one_lane_right block=64 args="float32[32]= float32[32]"
extern "C" __global__ void flag_of_one_lane_right(const float* in, float* out) { flag<true>(in, out); }

// One lane of each of two warps counts.
//@ bug counted_by_one_lane_of_each race block=96 args="float32[64]= float32[64]" severity=warning name=order-by-lane
template <bool right>
__device__ __forceinline__ void counted(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x < 64) m.s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 64) {
    out[threadIdx.x] = m.s[63 - threadIdx.x];  //~
    MET(right);
    if (LANE == 7) COUNT(&m.flag);
  } else {
    await_here(&m.flag, 2);
    m.s[LANE] = m.s[LANE + 32] = 0;  //! hazard=write_after_read
  }
}
extern "C" __global__ void counted_by_one_lane_of_each(const float* in, float* out) { counted<false>(in, out); }
//@ good counted_by_one_lane_of_each_right block=96 args="float32[64]= float32[64]"
extern "C" __global__ void counted_by_one_lane_of_each_right(const float* in, float* out) { counted<true>(in, out); }

// A fence of the lane in front of a relaxed flag.
//@ bug fence_of_one_lane race block=64 args="float32[32]= float32[32]" severity=warning name=order-by-lane
template <bool right>
__device__ __forceinline__ void fenced(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x < 32) m.s[LANE] = in[LANE];
  __syncthreads();
  if (threadIdx.x < 32) {
    out[LANE] = m.s[31 - LANE];  //~
    MET(right);
    if (LANE == 0) {
      FENCE_CTA;
      SET(&m.flag);
    }
  } else {
    await_here(&m.flag, 1);
    m.s[LANE] = 0;  //! hazard=write_after_read
  }
}
extern "C" __global__ void fence_of_one_lane(const float* in, float* out) { fenced<false>(in, out); }
//@ good fence_of_one_lane_right block=64 args="float32[32]= float32[32]"
extern "C" __global__ void fence_of_one_lane_right(const float* in, float* out) { fenced<true>(in, out); }

// Between blocks, in global memory.
//@ bug flag_of_one_lane_between_blocks race grid=2 block=32 args="float32[32]= float32[32] uint32[1]=0" severity=warning name=order-by-lane
template <bool right>
__device__ __forceinline__ void between_blocks(float* in, float* out, unsigned* flag) {
  if (blockIdx.x == 0) {
    out[LANE] = in[31 - LANE];  //~
    MET(right);
    if (LANE == 0) raise(flag);
  } else {
    await(flag);
    in[LANE] = 0;  //! hazard=write_after_read
  }
}
extern "C" __global__ void flag_of_one_lane_between_blocks(float* in, float* out, unsigned* flag) { between_blocks<false>(in, out, flag); }
//@ good flag_of_one_lane_between_blocks_right grid=2 block=32 args="float32[32]= float32[32] uint32[1]=0"
extern "C" __global__ void flag_of_one_lane_between_blocks_right(float* in, float* out, unsigned* flag) { between_blocks<true>(in, out, flag); }

// In a cluster: lane 0 of each block gives its stage back to the first block, which copies to both.
//@ bug stages_given_back_in_a_cluster race grid=2 block=64 args="float32[256]= float32[64]" severity=warning name=order-by-lane
template <bool right>
__device__ __forceinline__ void in_cluster(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 2);
  CLUSTER;
  if (threadIdx.x == 32) {
    for (int k = 0; k < 2; ++k) {
      EXPECT(&m.full, 512);
      if (rank_in_cluster() == 0) {
        if (k > 0) wait_in_cluster(&m.empty, 0);
        BULK_IN_ALL(m.s, in + 128 * k, 512, &m.full, 3);  //! hazard=write_after_read
      }
      wait_for(&m.full, k);
    }
  }
  if (threadIdx.x < 32) {
    wait_for(&m.full, 0);
    out[rank_in_cluster() * 32 + LANE] = m.s[LANE * 4];  //~
    MET(right);
    if (LANE == 0) ARRIVE_AT(&m.empty, 0);
  }
  CLUSTER;
}
extern "C" __global__ void __cluster_dims__(2) stages_given_back_in_a_cluster(const float* in, float* out) { in_cluster<false>(in, out); }
//@ good stages_given_back_in_a_cluster_right grid=2 block=64 args="float32[256]= float32[64]"
extern "C" __global__ void __cluster_dims__(2) stages_given_back_in_a_cluster_right(const float* in, float* out) { in_cluster<true>(in, out); }

// A block leaves once one lane of its neighbour says that its warp has read.
//@ bug left_after_one_lane_arrived race grid=2 block=32 args="float32[32]= float32[64]=0" severity=warning name=order-by-lane
template <bool right>
__device__ __forceinline__ void left(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  m.s[LANE] = in[LANE];
  CLUSTER;
  if (rank_in_cluster() == 1) {
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(out[LANE]) : "r"(in_block(m.s + (LANE ^ 1), 0)) : "memory");  //~
    MET(right);
    if (LANE == 3) ARRIVE_AT(&m.empty, 0);
  } else {
    wait_in_cluster(&m.empty, 0);
  }
}
extern "C" __global__ void __cluster_dims__(2) left_after_one_lane_arrived(const float* in, float* out) {
  left<false>(in, out);
}  //! hazard=exit_after_read
//@ good left_after_one_lane_arrived_right grid=2 block=32 args="float32[32]= float32[64]=0"
extern "C" __global__ void __cluster_dims__(2) left_after_one_lane_arrived_right(const float* in, float* out) {
  left<true>(in, out);
}

// Lanes' writes must be in order: a lane that publishes them is an error without __syncwarp().
//@ bug published_by_one_lane race block=64 args="float32[32]= float32[32]" severity=error name=None
template <bool right>
__device__ __forceinline__ void published(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x < 32) {
    m.s[LANE] = in[LANE];  //~
    MET(right);
    if (LANE == 0) ARRIVE(&m.empty);
  } else {
    wait_for(&m.empty, 0);
    out[LANE] = m.s[31 - LANE];  //! hazard=read_after_write
  }
}
extern "C" __global__ void published_by_one_lane(const float* in, float* out) { published<false>(in, out); }
//@ good published_by_one_lane_right block=64 args="float32[32]= float32[32]"
extern "C" __global__ void published_by_one_lane_right(const float* in, float* out) { published<true>(in, out); }

// The same with other lanes' synchronization in between, of which this is none.
//@ bug published_after_others_met race block=96 args="float32[32]= float32[32]" severity=error name=None
template <bool right>
__device__ __forceinline__ void published_later(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x < 32) {
    m.s[LANE] = in[LANE];  //~
    if (LANE >= 16) __syncwarp(0xffff0000);
    MET(right);
    if (LANE == 0) FENCE_CTA;
    if (LANE == 0) ARRIVE(&m.empty);
  } else if (threadIdx.x < 64) {
    wait_for(&m.empty, 0);
    out[LANE] = m.s[31 - LANE];  //! hazard=read_after_write
  } else {
    __syncwarp();
  }
}
extern "C" __global__ void published_after_others_met(const float* in, float* out) { published_later<false>(in, out); }
//@ good published_after_others_met_right block=96 args="float32[32]= float32[32]"
extern "C" __global__ void published_after_others_met_right(const float* in, float* out) { published_later<true>(in, out); }

// Lanes that have parted from the one that arrives: nothing keeps their reads in front of it, also where a relaxed flag says
// that they have read.
//@ bug read_while_one_lane_arrives race block=64 args="float32[256]= float32[32]=0" severity=error name=None
template <bool right>
__device__ __forceinline__ void apart(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x == 32) {
    BRING(in);
    wait_for(&m.empty, 0);
    BRING(in + 128);  //! hazard=write_after_read
    wait_for(&m.full, 1);
  }
  if (threadIdx.x < 32) {
    wait_for(&m.full, 0);
    if (right || LANE != 0) {
      for (unsigned i = 0; i < LANE; ++i) out[LANE] += m.s[i];  //~
      if (!right) {
        atomicExch(&m.flag, 1u);
        return;
      }
    }
    if (!right)
      while (atomicAdd(&m.flag, 0u) == 0) {}
    MET(right);
    if (LANE == 0) ARRIVE(&m.empty);
  }
}
extern "C" __global__ void read_while_one_lane_arrives(const float* in, float* out) { apart<false>(in, out); }
//@ good read_while_one_lane_arrives_right block=64 args="float32[256]= float32[32]=0"
extern "C" __global__ void read_while_one_lane_arrives_right(const float* in, float* out) { apart<true>(in, out); }

// A lane that arrives for another warp as well.
//@ bug arrives_for_two_warps race block=96 args="float32[64]= float32[64]" severity=error name=None
template <bool right>
__device__ __forceinline__ void for_two(const float* in, float* out) {
  __shared__ Shared m;
  make(m, 1);
  if (threadIdx.x < 64) m.s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 64) {
    out[threadIdx.x] = m.s[63 - threadIdx.x];  //~
    __syncwarp();
    if (right) MEET(1, 64);
    if (threadIdx.x == 0) RAISE(&m.flag);
  } else {
    await_here(&m.flag, 1);
    m.s[LANE] = m.s[LANE + 32] = 0;  //! hazard=write_after_read
  }
}
extern "C" __global__ void arrives_for_two_warps(const float* in, float* out) { for_two<false>(in, out); }
//@ good arrives_for_two_warps_right block=96 args="float32[64]= float32[64]"
extern "C" __global__ void arrives_for_two_warps_right(const float* in, float* out) { for_two<true>(in, out); }
