// Programs of warps: masks, groups that a match finds, elected lanes, and scans of published samples.
//@ least 90
#include <cuda_fp16.h>

__device__ bool elected(unsigned mask) {
  unsigned yes;
  asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(yes) : "r"(mask) : "memory");
  return yes != 0;
}

//@ bug elected_lane_writes_and_others_read_at_once race most=90 block=32 args="int32[32]"
extern "C" __global__ void elected_lane_writes_and_others_read_at_once(int* b) {
  __shared__ int base;
  if (threadIdx.x == 0) base = 0;
  __syncwarp();
  if (elected(0xffffffff)) base = 100;  //! hazard=write_after_read thread=0 count=1 other_line=1 only=optimised
  b[threadIdx.x] = base + threadIdx.x;  //! hazard=read_after_write thread=1 count=31 other_line=-1 only=debug
}

//@ bug match_of_lanes_that_its_mask_lacks sync block=32 args="int32[32]= uint32[32] 65535:uint32" hazard=Invalid
extern "C" __global__ void match_of_lanes_that_its_mask_lacks(const int* a, unsigned* b, unsigned mask) {
  b[threadIdx.x] = __match_any_sync(mask, a[threadIdx.x] % 3);  //! thread=16 count=16
}

//@ bug mask_of_a_branch_used_behind_it sync block=32 args="int32[32]= int32[32]" hazard=Invalid
extern "C" __global__ void mask_of_a_branch_used_behind_it(const int* a, int* b) {
  unsigned mask = 0x00ffff00u;
  int v = a[threadIdx.x];
  if (v > 8 && v <= 24) {
    mask = __activemask();
    v = -v;
  }
  b[threadIdx.x] = __reduce_min_sync(mask, v);  //! thread=0 count=16
}

//@ bug loop_that_lanes_leave_for_the_end sync block=32 args="int32[32]= int32[32]" hazard=in_warp
extern "C" __global__ void loop_that_lanes_leave_for_the_end(const int* a, int* b) {
  int v = a[threadIdx.x];
  #pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    if (v > 28 - 4 * i) return;
    v += __shfl_down_sync(0xffffffff, v, 4);  //! thread=24
    b[threadIdx.x] = v;
  }
}

//@ bug sums_of_four_warps_as_if_they_were_32 uninitialised block=128 args="int32[128]= int32[1]"
extern "C" __global__ void sums_of_four_warps_as_if_they_were_32(const int* a, int* b) {
  __shared__ int sums[32];
  int lane = threadIdx.x % 32, v = __reduce_add_sync(0xffffffff, a[threadIdx.x]);
  if (lane == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = sums[lane];
  for (int step = 16; step; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
  if (lane == 0) *b = v;  //! thread=0 count=1 origin=shared
}

//@ bug result_of_a_subset_read_by_all uninitialised block=32 args="int32[32]= int32[32]" origin=shared
extern "C" __global__ void result_of_a_subset_read_by_all(const int* a, int* b) {
  __shared__ int total[4];
  int v = a[threadIdx.x];
  unsigned even = __ballot_sync(0xffffffff, v % 2 == 0);
  if (v % 2 == 0) {
    int sum = __reduce_add_sync(even, v);
    if (threadIdx.x == __ffs(even) - 1) total[v % 4] = sum;
  }
  __syncwarp();
  b[threadIdx.x] = total[threadIdx.x % 4];  //! count=24
}

// Asked on an H200: operations of one mask at two places complete as if they were one.
//@ good warps_meet_in_both_branches block=64 args="int32[64]= int32[64]"
extern "C" __global__ void warps_meet_in_both_branches(const int* a, int* b) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t % 2) {
    s[t] = a[t];
    __syncwarp();
    s[t ^ 1] += 1;
  } else {
    s[t] = -a[t];
    __syncwarp();
    s[t ^ 1] -= 1;
  }
  __syncwarp();
  b[t] = s[t];
}

//@ good vote_in_both_branches block=32 args="int32[32]= int32[32]"
extern "C" __global__ void vote_in_both_branches(const int* a, int* b) {
  int v = a[threadIdx.x], all;
  if (v < 17) {
    all = __any_sync(0xffffffff, v == 3);
    v *= 2;
  } else {
    all = __any_sync(0xffffffff, v == 100);
    v *= 3;
  }
  b[threadIdx.x] = v + all;
}

//@ good groups_of_equal_keys_meet_by_themselves block=64 args="int32[64]= int32[64]"
extern "C" __global__ void groups_of_equal_keys_meet_by_themselves(const int* a, int* b) {
  __shared__ int s[64];
  int t = threadIdx.x, key = a[t] * 7 % 5;
  unsigned same = __match_any_sync(0xffffffff, key);
  s[t] = a[t];
  __syncwarp(same);
  int leader = __ffs(same) - 1, sum = 0;
  for (unsigned rest = same; rest; rest &= rest - 1) sum += s[t / 32 * 32 + __ffs(rest) - 1];
  b[t] = __shfl_sync(same, sum, leader);
}

//@ good each_group_in_its_turn block=32 args="int32[32]= int32[32] int32[4]=0"
// The loop over keys that are left: who has had its turn waits behind it.
extern "C" __global__ void each_group_in_its_turn(const int* a, int* b, int* sums) {
  int v = a[threadIdx.x], key = v % 4, rank = 0;
  for (unsigned left = 0xffffffff; left;) {
    int now = __shfl_sync(0xffffffff, key, __ffs(left) - 1);
    unsigned mine = __ballot_sync(0xffffffff, key == now);
    if (key == now) {
      int sum = __reduce_add_sync(mine, v);
      rank = __popc(mine & ((1u << threadIdx.x) - 1));
      if (elected(mine)) sums[key] += sum;
    }
    left &= ~mine;
  }
  b[threadIdx.x] = rank;
}

//@ good lanes_leave_one_after_another block=32 args="int32[32]= int32[32]"
extern "C" __global__ void lanes_leave_one_after_another(const int* a, int* b) {
  int v = a[threadIdx.x], rounds = 0;
  for (unsigned mask = 0xffffffff;;) {
    mask = __ballot_sync(mask, v > 1);
    if (v <= 1) break;
    v = v % 2 ? 3 * v + 1 : v / 2;
    rounds += __popc(mask);
  }
  b[threadIdx.x] = rounds;
}

// As shfl_scan_test of the toolkit's samples, with the lanes that there are named by the mask.
//@ good scan_by_shuffles_as_published grid=2 block=128 shared=16 args="int32[256]= 32:int32 int32[2]"
extern "C" __global__ void scan_by_shuffles_as_published(int* data, int width, int* partial_sums) {
  extern __shared__ int sums[];
  int id = blockIdx.x * blockDim.x + threadIdx.x, lane_id = id % warpSize, warp_id = threadIdx.x / warpSize;
  int value = data[id];
  unsigned mask = 0xffffffff;
  #pragma unroll
  for (int i = 1; i <= width; i *= 2) {
    int n = __shfl_up_sync(mask, value, i, width);
    if (lane_id >= i) value += n;
  }
  if (threadIdx.x % warpSize == warpSize - 1) sums[warp_id] = value;
  __syncthreads();
  if (warp_id == 0 && lane_id < blockDim.x / warpSize) {
    int warp_sum = sums[lane_id];
    int mask = (1 << (blockDim.x / warpSize)) - 1;
    for (int i = 1; i <= blockDim.x / warpSize; i *= 2) {
      int n = __shfl_up_sync(mask, warp_sum, i, blockDim.x / warpSize);
      if (lane_id >= i) warp_sum += n;
    }
    sums[lane_id] = warp_sum;
  }
  __syncthreads();
  if (warp_id > 0) value += sums[warp_id - 1];
  data[id] = value;
  if (partial_sums != nullptr && threadIdx.x == blockDim.x - 1) partial_sums[blockIdx.x] = value;
}

// The whole first warp adds the sums of four warps: what lanes 4 and on have no value for reaches no result.
//@ good sums_of_four_warps_added_by_a_whole_warp block=128 args="float32[128]= float32[1]"
extern "C" __global__ void sums_of_four_warps_added_by_a_whole_warp(const float* a, float* b) {
  __shared__ float sums[32];
  int lane = threadIdx.x % 32;
  float v = a[threadIdx.x];
  for (int step = 16; step; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
  if (lane == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = sums[lane];
  for (int step = 2; step; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
  if (lane == 0) *b = v;
}

//@ good pairs_of_halves_and_doubles_through_shuffles block=32 args="float32[32]= float64[32] float32[32]"
extern "C" __global__ void pairs_of_halves_and_doubles_through_shuffles(const float* a, double* b, float* c) {
  __half2 h = __floats2half2_rn(a[threadIdx.x], 1.0f);
  double d = a[threadIdx.x];
  for (int step = 1; step < 32; step *= 2) {
    h = __hadd2(h, __shfl_xor_sync(0xffffffff, h, step));
    d += __shfl_xor_sync(0xffffffff, d, step);
  }
  b[threadIdx.x] = d;
  c[threadIdx.x] = __low2float(h) + __high2float(h);
}
