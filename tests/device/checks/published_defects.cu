// The shapes of mistakes in published kernels (docs/defects-found.md), written anew and small, and their corrected twins.
//@ least 80
#include <cuda/barrier>
#include <cuda_pipeline.h>
#pragma nv_diag_suppress static_var_with_dynamic_init

// The block that counts last adds up what the others stored, and no fence stands before the counter.
//@ bug last_block_without_fence race grid=4 block=32 args="float32[128]= float32[4] float32[1] uint32[1]=0" hazard=read_after_write
extern "C" __global__ void last_block_without_fence(const float* a, float* part, float* sum, unsigned* counter) {
  __shared__ bool last;
  float v = a[blockIdx.x * 32 + threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  if (threadIdx.x == 0) part[blockIdx.x] = v;  //~
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(counter, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 1) {
    float total = 0;
    for (int i = 0; i < gridDim.x; i++) total += part[i];  //! thread=1
    *sum = total;
  }
}

//@ good last_block_with_fence grid=4 block=32 args="float32[128]= float32[4] float32[1] uint32[1]=0"
extern "C" __global__ void last_block_with_fence(const float* a, float* part, float* sum, unsigned* counter) {
  __shared__ bool last;
  float v = a[blockIdx.x * 32 + threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  if (threadIdx.x == 0) part[blockIdx.x] = v;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicInc(counter, gridDim.x) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 1) {
    float total = 0;
    for (int i = 0; i < gridDim.x; i++) total += part[i];
    *sum = total;
  }
}

// One array for the maxima of the warps, and then for their sums: a warp may still read the maximum.
//@ bug maximum_and_sum_in_one_place race block=64 args="float32[64]= float32[64]"
extern "C" __global__ void maximum_and_sum_in_one_place(const float* a, float* b) {
  __shared__ float s[2];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float most = a[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, o));
  if (lane == 0) s[warp] = most;
  __syncthreads();
  if (threadIdx.x == 0) s[0] = fmaxf(s[0], s[1]);
  __syncthreads();
  float v = expf(a[threadIdx.x] - s[0]), sum = v;  //~
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffff, sum, o);
  if (lane == 0) s[warp] = sum;  //! hazard=write_after_read both_orders=True
  __syncthreads();
  b[threadIdx.x] = v / (s[0] + s[1]);
}

//@ good maximum_and_sum_in_turn block=64 args="float32[64]= float32[64]"
extern "C" __global__ void maximum_and_sum_in_turn(const float* a, float* b) {
  __shared__ float s[2];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float most = a[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, o));
  if (lane == 0) s[warp] = most;
  __syncthreads();
  if (threadIdx.x == 0) s[0] = fmaxf(s[0], s[1]);
  __syncthreads();
  float v = expf(a[threadIdx.x] - s[0]), sum = v;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffff, sum, o);
  __syncthreads();
  if (lane == 0) s[warp] = sum;
  __syncthreads();
  b[threadIdx.x] = v / (s[0] + s[1]);
}

// Five copies are started into four buffers before the first is waited for.
//@ bug one_copy_too_many race block=32 args="float32[256]= float32[32]"
extern "C" __global__ void one_copy_too_many(const float* a, float* b) {
  __shared__ float s[4][32];
  int started = 0;
  float sum = 0;
  #pragma unroll 1
  for (int i = 0; i < 8; i++) {
    #pragma unroll 1
    for (; started <= i + 4; started++) {
      if (started < 8) __pipeline_memcpy_async(&s[started % 4][threadIdx.x], a + started * 32 + threadIdx.x, 4);  //! hazard=write_after_write other_line=0
      __pipeline_commit();
    }
    __pipeline_wait_prior(4);
    __syncthreads();
    sum += s[i % 4][31 - threadIdx.x];  //! hazard=read_after_write
    __syncthreads();
  }
  b[threadIdx.x] = sum;
}

//@ good as_many_copies_as_buffers block=32 args="float32[256]= float32[32]"
extern "C" __global__ void as_many_copies_as_buffers(const float* a, float* b) {
  __shared__ float s[4][32];
  int started = 0;
  float sum = 0;
  #pragma unroll 1
  for (int i = 0; i < 8; i++) {
    #pragma unroll 1
    for (; started < i + 4; started++) {
      if (started < 8) __pipeline_memcpy_async(&s[started % 4][threadIdx.x], a + started * 32 + threadIdx.x, 4);
      __pipeline_commit();
    }
    __pipeline_wait_prior(3);
    __syncthreads();
    sum += s[i % 4][31 - threadIdx.x];
    __syncthreads();
  }
  b[threadIdx.x] = sum;
}

// The block has rows, and the first thread of each initialises the barrier.
//@ bug barrier_of_each_row race block=8x8 args="int32[64]" hazard=write_after_write
extern "C" __global__ void barrier_of_each_row(int* b) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x * blockDim.y);  //! thread=0,1 other_thread=0 other_line=0
  __syncthreads();
  bar.arrive_and_wait();
  b[threadIdx.y * 8 + threadIdx.x] = threadIdx.x;
}

//@ good barrier_of_the_block block=8x8 args="int32[64]"
extern "C" __global__ void barrier_of_the_block(int* b) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0 && threadIdx.y == 0) init(&bar, blockDim.x * blockDim.y);
  __syncthreads();
  bar.arrive_and_wait();
  b[threadIdx.y * 8 + threadIdx.x] = threadIdx.x;
}

// A neighbour is read, and then replaced at the edge.
//@ bug halo_read_before_the_edge illegal_address grid=2 block=32 args="float32[64]= float32[64]"
extern "C" __global__ void halo_read_before_the_edge(const float* a, float* b) {
  __shared__ float west[32];
  int i = blockIdx.x * 32 + threadIdx.x;
  west[threadIdx.x] = a[(int)(blockIdx.x * 32) - 1];  //! thread=0 side=before
  __syncthreads();
  if (blockIdx.x == 0) west[threadIdx.x] = a[0];
  __syncthreads();
  b[i] = a[i] - west[threadIdx.x];
}

//@ good halo_with_the_edge_chosen_first grid=2 block=32 args="float32[64]= float32[64]"
extern "C" __global__ void halo_with_the_edge_chosen_first(const float* a, float* b) {
  __shared__ float west[32];
  int i = blockIdx.x * 32 + threadIdx.x;
  west[threadIdx.x] = a[blockIdx.x == 0 ? 0 : blockIdx.x * 32 - 1];
  __syncthreads();
  b[i] = a[i] - west[threadIdx.x];
}

// __syncthreads() as if it were a barrier of the grid.
//@ bug sum_of_other_blocks race grid=2 block=32 args="float32[64]= float32[1]"
extern "C" __global__ void sum_of_other_blocks(float* w, float* sum) {
  int i = blockIdx.x * 32 + threadIdx.x;
  w[i] = w[i] / 2;  //! hazard=write_after_read thread=0 in_block=1 other_block=0 other_line=4
  __syncthreads();
  if (i == 0) {
    float s = 0;
    for (int k = 0; k < 64; k++) s += w[k];
    *sum = s;
  }
}

//@ good sum_of_its_own_block grid=2 block=32 args="float32[64]= float32[2]"
extern "C" __global__ void sum_of_its_own_block(float* w, float* sum) {
  int i = blockIdx.x * 32 + threadIdx.x;
  w[i] = w[i] / 2;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0;
    for (int k = 0; k < 32; k++) s += w[i + k];
    sum[blockIdx.x] = s;
  }
}

// A mask of the lanes below, to count their votes.
//@ bug vote_of_the_lanes_below sync block=32 args="int32[32]= int32[32]"
extern "C" __global__ void vote_of_the_lanes_below(const int* a, int* b) {
  unsigned below = (1u << threadIdx.x) - 1;
  b[threadIdx.x] = __popc(__ballot_sync(below, a[threadIdx.x] % 3 == 0));  //! thread=0
}

//@ good vote_of_all_counted_below block=32 args="int32[32]= int32[32]"
extern "C" __global__ void vote_of_all_counted_below(const int* a, int* b) {
  unsigned below = (1u << threadIdx.x) - 1;
  b[threadIdx.x] = __popc(__ballot_sync(0xffffffff, a[threadIdx.x] % 3 == 0) & below);
}

// Lanes store their sums, and the first lane reads them all.
//@ bug lane_reads_the_warps_sums race block=32 args="float32[32]= float32[1]" hazard=read_after_write
extern "C" __global__ void lane_reads_the_warps_sums(const float* a, float* sum) {
  __shared__ float s[32];
  s[threadIdx.x] = a[threadIdx.x] * 2;  //~
  if (threadIdx.x == 0) {
    float total = 0;
    #pragma unroll 1
    for (int k = 0; k < 32; k++) total += s[k];  //! thread=0
    *sum = total;
  }
}

//@ good lane_waits_for_the_warps_sums block=32 args="float32[32]= float32[1]"
extern "C" __global__ void lane_waits_for_the_warps_sums(const float* a, float* sum) {
  __shared__ float s[32];
  s[threadIdx.x] = a[threadIdx.x] * 2;
  __syncwarp();
  if (threadIdx.x == 0) {
    float total = 0;
    #pragma unroll 1
    for (int k = 0; k < 32; k++) total += s[k];
    *sum = total;
  }
}

// The first pass writes half as many sums as the second one reads.
//@ bug more_sums_read_than_written uninitialised block=32 args="int32[64]=first32 int32[1]"
extern "C" __global__ void more_sums_read_than_written(const int* sums, int* total) {
  __shared__ int s[32];
  s[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + 32];
  __syncthreads();
  for (int k = 16; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = s[0];  //! thread=0
}

//@ good as_many_sums_read_as_written block=32 args="int32[32]= int32[1]"
extern "C" __global__ void as_many_sums_read_as_written(const int* sums, int* total) {
  __shared__ int s[32];
  s[threadIdx.x] = sums[threadIdx.x];
  __syncthreads();
  for (int k = 16; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = s[0];
}

// A flag of another thread decides, and nothing says that it is written already.
//@ bug flag_of_an_earlier_thread race block=64 args="int32[64]= int32[64]=0" hazard=write_after_read
extern "C" __global__ void flag_of_an_earlier_thread(const int* a, int* keep) {
  int i = threadIdx.x, v = 1;
  for (int k = 0; k < i; k++) {
    if (keep[k] && a[k] % 7 == a[i] % 7) v = 0;  //~
  }
  keep[i] = v;  //! both_orders=True
}

//@ good flags_in_turn block=64 args="int32[64]= int32[64]=0"
extern "C" __global__ void flags_in_turn(const int* a, int* keep) {
  int i = threadIdx.x;
  keep[i] = 1;
  for (int k = 0; k < 64; k++) {
    __syncthreads();
    if (k < i && keep[k] && a[k] % 7 == a[i] % 7) keep[i] = 0;
  }
}
