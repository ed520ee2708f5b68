// Barriers of the standard library, groups and pipelines, as programs use them: with one step missing, and whole.
// With -G a look at a barrier takes a thousand instructions, and a wait is taken to last for ever after 2^18 of each warp.
//@ least 80
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

//@ good work_between_arrival_and_wait block=64 args="int32[64]= int32[64]"
extern "C" __global__ void work_between_arrival_and_wait(const int* a, int* b) {
  __shared__ Barrier bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  int own = 0;
  for (int round = 0; round < 3; ++round) {
    s[threadIdx.x] = a[threadIdx.x] + round;
    auto token = bar.arrive();
    own += a[threadIdx.x] * round;
    bar.wait(cuda::std::move(token));
    own += s[63 - threadIdx.x];
    bar.arrive_and_wait();
  }
  b[threadIdx.x] = own;
}

//@ bug second_round_written_before_the_first_is_read race block=64 args="int32[64]= int32[64]"
extern "C" __global__ void second_round_written_before_the_first_is_read(const int* a, int* b) {
  __shared__ Barrier bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  int own = 0;
  for (int round = 0; round < 3; ++round) {
    s[threadIdx.x] = a[threadIdx.x] + round;  //~
    bar.wait(bar.arrive());
    own += s[63 - threadIdx.x];  //! both_orders=True hazard=read_after_write
  }
  b[threadIdx.x] = own;
}

//@ bug arrived_and_read_without_a_wait race block=64 args="int32[64]= int32[64]"
extern "C" __global__ void arrived_and_read_without_a_wait(const int* a, int* b) {
  __shared__ Barrier bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, 64);
  s[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = a[threadIdx.x];  //! hazard=write_after_read both_orders=True
  auto token = bar.arrive();
  b[threadIdx.x] = s[63 - threadIdx.x];  //~
  bar.wait(cuda::std::move(token));
}

//@ bug expected_count_of_the_whole_block_where_half_arrive barrier budget=50000000 block=64 args="int32[64]= int32[64]"
extern "C" __global__ void expected_count_of_the_whole_block_where_half_arrive(const int* a, int* b) {
  __shared__ Barrier bar;
  __shared__ int s[32];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x < 32) {
    s[threadIdx.x] = a[threadIdx.x];
    bar.arrive_and_wait();  //! count=32 says=32_of_64_arrivals
    b[threadIdx.x] = s[31 - threadIdx.x];
  }
}

//@ good ring_of_full_and_empty_barriers block=64 args="int32[256]= int32[32]"
extern "C" __global__ void ring_of_full_and_empty_barriers(const int* a, int* b) {
  __shared__ Barrier full[2], empty[2];
  __shared__ int s[2][32];
  if (threadIdx.x < 2) {
    init(full + threadIdx.x, 64);
    init(empty + threadIdx.x, 64);
  }
  __syncthreads();
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int k = 0; k < 8; ++k) {
      if (k >= 2) empty[k % 2].arrive_and_wait();
      s[k % 2][lane] = a[32 * k + lane];
      (void)full[k % 2].arrive();
    }
  } else {
    int sum = 0;
    for (int k = 0; k < 8; ++k) {
      full[k % 2].arrive_and_wait();
      sum += s[k % 2][31 - lane];
      if (k + 2 < 8) (void)empty[k % 2].arrive();
    }
    b[lane] = sum;
  }
}

//@ good ring_of_two_that_all_wait_for block=64 args="int32[256]= int32[32]"
extern "C" __global__ void ring_of_two_that_all_wait_for(const int* a, int* b) {
  __shared__ Barrier full[2];
  __shared__ int s[2][32];
  if (threadIdx.x < 2) init(full + threadIdx.x, 64);
  __syncthreads();
  int lane = threadIdx.x % 32;
  int sum = 0;
  for (int k = 0; k < 8; ++k) {
    if (threadIdx.x < 32) s[k % 2][lane] = a[32 * k + lane];
    full[k % 2].arrive_and_wait();
    if (threadIdx.x >= 32) {
      sum += s[k % 2][31 - lane];
    }
  }
  if (threadIdx.x >= 32) b[lane] = sum;
}

//@ bug consumer_gives_back_before_it_reads race block=64 args="int32[128]= int32[32]"
extern "C" __global__ void consumer_gives_back_before_it_reads(const int* a, int* b) {
  __shared__ Barrier full, empty;
  __shared__ int s[32];
  if (threadIdx.x == 0) init(&full, 64), init(&empty, 64);
  __syncthreads();
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int k = 0; k < 4; ++k) {
      if (k > 0) empty.arrive_and_wait();
      s[lane] = a[32 * k + lane];  //! hazard=write_after_read
      (void)full.arrive();
    }
  } else {
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
      full.arrive_and_wait();
      if (k < 3) (void)empty.arrive();
      sum += s[31 - lane];  //~
    }
    b[lane] = sum;
  }
}

//@ good sums_of_a_part_of_the_warp block=64 args="int32[64]= int32[64]"
extern "C" __global__ void sums_of_a_part_of_the_warp(const int* a, int* b) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int v = a[threadIdx.x];
  b[threadIdx.x] = 0;
  if (v % 3 == 0) {
    auto active = cg::coalesced_threads();
    int sum = cg::reduce(active, v, cg::plus<int>());
    int first = active.shfl(v, 0);
    b[threadIdx.x] = sum - first + cg::exclusive_scan(active, 1, cg::plus<int>());
  }
  warp.sync();
  auto parity = cg::binary_partition(warp, v % 2 == 0);
  b[threadIdx.x] += parity.shfl_down(v, 0) + parity.size();
}

//@ bug tile_of_eight_synced_for_tiles_of_sixteen race block=32 args="int32[32]= int32[32]"
extern "C" __global__ void tile_of_eight_synced_for_tiles_of_sixteen(const int* a, int* b) {
  __shared__ int s[32];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[threadIdx.x] = a[threadIdx.x];  //~
  tile.sync();
  b[threadIdx.x] = s[threadIdx.x ^ 15];  //! hazard=read_after_write
}

//@ good tile_of_sixteen_synced block=32 args="int32[32]= int32[32]"
extern "C" __global__ void tile_of_sixteen_synced(const int* a, int* b) {
  __shared__ int s[32];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[threadIdx.x] = a[threadIdx.x];
  tile.sync();
  b[threadIdx.x] = s[threadIdx.x ^ 15];
}

//@ good grid_synced_after_each_phase grid=4 block=32 cooperative=1 args="int32[128]= int32[128] int32[128]"
extern "C" __global__ void grid_synced_after_each_phase(const int* a, int* b, int* c) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int round = 0; round < 2; ++round) {
    b[i] = a[i] + round;
    grid.sync();
    c[i] = b[127 - i];
    grid.sync();
  }
}

// The last block to arrive goes on at once: it may be at the next barrier before the others have left this one.
//@ bug grid_synced_before_each_read_alone race grid=4 block=32 cooperative=1 args="int32[128]= int32[128] int32[128]"
extern "C" __global__ void grid_synced_before_each_read_alone(const int* a, int* b, int* c) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int round = 0; round < 3; ++round) {
    b[i] = a[i] + round;  //~
    grid.sync();
    c[i] = b[127 - i];  //! both_orders=True
  }
}

//@ good grid_synced_with_two_arrays_in_turn grid=4 block=32 cooperative=1 args="int32[128]= int32[256] int32[128]"
extern "C" __global__ void grid_synced_with_two_arrays_in_turn(const int* a, int* b, int* c) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank(), sum = 0;
  for (int round = 0; round < 4; ++round) {
    b[round % 2 * 128 + i] = a[i] + round;
    grid.sync();
    sum += b[round % 2 * 128 + 127 - i];
  }
  c[i] = sum;
}

//@ good grid_of_one_block_synced grid=1 block=64 cooperative=1 args="int32[64]= int32[64]"
extern "C" __global__ void grid_of_one_block_synced(const int* a, int* b) {
  auto grid = cg::this_grid();
  for (int round = 0; round < 3; ++round) {
    b[threadIdx.x] = a[threadIdx.x] + round;
    grid.sync();
    if (b[63 - threadIdx.x] < 0) b[threadIdx.x] = 0;
    grid.sync();
  }
}

//@ bug pipeline_read_before_its_wait race block=32 args="int32[64]= int32[64]" hazard=read_after_write
extern "C" __global__ void pipeline_read_before_its_wait(const int* a, int* b) {
  __shared__ int s[2][32];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x;
  s[0][t] = s[1][t] = 0;
  for (int k = 0; k < 2; ++k) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[k][t], a + 32 * k + t, sizeof(int), pipe);  //~
    pipe.producer_commit();
  }
  pipe.consumer_wait();
  b[t] = s[0][t] + s[1][t];  //! thread=0 other_thread=0
  pipe.consumer_release();
  pipe.consumer_wait();
  pipe.consumer_release();
}

// It is the release that moves on to the next stage: the second one is read without a wait.
//@ bug pipeline_of_a_block_never_released barrier budget=50000000 block=32 args="int32[128]= int32[32]"
extern "C" __global__ void pipeline_of_a_block_never_released(const int* a, int* b) {
  __shared__ int s[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  #pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    pipe.producer_acquire();  //! count=32
    cuda::memcpy_async(block, s[k % 2], a + 32 * k, 128, pipe);  //~
    pipe.producer_commit();
    pipe.consumer_wait();
    sum += s[k % 2][31 - threadIdx.x];  //! race hazard=read_after_write
  }
  b[threadIdx.x] = sum;
}

//@ good pipeline_of_a_block_in_two_stages block=64 args="int32[256]= int32[64]"
extern "C" __global__ void pipeline_of_a_block_in_two_stages(const int* a, int* b) {
  __shared__ int s[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0, started = 0;
  for (int k = 0; k < 4; ++k) {
    for (; started < 4 && started < k + 2; ++started) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[started % 2], a + 64 * started, cuda::aligned_size_t<16>(256), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[k % 2][63 - threadIdx.x];
    pipe.consumer_release();
  }
  b[threadIdx.x] = sum;
}

//@ bug pipeline_releases_before_it_reads race block=64 args="int32[256]= int32[64]"
extern "C" __global__ void pipeline_releases_before_it_reads(const int* a, int* b) {
  __shared__ int s[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0, started = 0;
  #pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    #pragma unroll 1
    for (; started < 4 && started < k + 2; ++started) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[started % 2], a + 64 * started, cuda::aligned_size_t<16>(256), pipe);  //! hazard=write_after_read
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    pipe.consumer_release();
    sum += s[k % 2][63 - threadIdx.x];  //~
  }
  b[threadIdx.x] = sum;
}

//@ good copies_of_a_group_waited_for block=64 args="float32[64]= float32[64]"
extern "C" __global__ void copies_of_a_group_waited_for(const float* a, float* b) {
  __shared__ float s[64];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  cg::memcpy_async(warp, s + 32 * warp.meta_group_rank(), a + 32 * warp.meta_group_rank(), sizeof(float) * 32);
  cg::wait(warp);
  float v = s[threadIdx.x ^ 31];
  block.sync();
  cg::memcpy_async(block, s, a, sizeof(float) * 64);
  cg::wait_prior<0>(block);
  b[threadIdx.x] = v + s[63 - threadIdx.x];
}

//@ bug copies_of_a_warp_read_by_another race block=64 args="float32[64]= float32[64]"
extern "C" __global__ void copies_of_a_warp_read_by_another(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  cg::memcpy_async(warp, s + 32 * warp.meta_group_rank(), a + 32 * warp.meta_group_rank(), sizeof(float) * 32);  //! hazard=write_after_read both_orders=True
  cg::wait(warp);
  b[threadIdx.x] = s[63 - threadIdx.x];  //~
}

//@ bug copy_of_a_group_into_what_others_still_read race block=64 args="float32[128]= float32[64]"
extern "C" __global__ void copy_of_a_group_into_what_others_still_read(const float* a, float* b) {
  __shared__ float s[64];
  auto block = cg::this_thread_block();
  float sum = 0;
  #pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    cg::memcpy_async(block, s, a + 64 * k, sizeof(float) * 64);  //~
    cg::wait(block);
    sum += s[63 - threadIdx.x];  //!
  }
  b[threadIdx.x] = sum;
}

//@ good completion_function_of_a_barrier block=64 args="int32[64]= int32[64]"
struct Add {
  int *sum, *part;
  __device__ void operator()() {
    for (int w = 0; w < 2; ++w) *sum += part[w];
  }
};
extern "C" __global__ void completion_function_of_a_barrier(const int* a, int* b) {
  using With = cuda::barrier<cuda::thread_scope_block, Add>;
  __shared__ __align__(alignof(With)) char room[sizeof(With)];
  __shared__ int sum, part[2];
  With* bar = reinterpret_cast<With*>(room);
  if (threadIdx.x == 0) sum = 0, new (bar) With(64, Add{&sum, part});
  __syncthreads();
  int v = a[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  bar->arrive_and_wait();
  b[threadIdx.x] = sum;
}
