// Copies in stages: the pipelines of the standard library, and tiles that are filled again too early.
//@ least 80
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

//@ bug group_copy_that_nobody_waits_for race block=32 args="int32[32]= int32[32]" hazard=read_after_write
extern "C" __global__ void group_copy_that_nobody_waits_for(const int* a, int* b) {
  __shared__ int s[32];
  auto block = cg::this_thread_block();
  s[threadIdx.x] = 0;
  block.sync();
  cg::memcpy_async(block, s, a, sizeof(int) * 32);  //~
  block.sync();
  b[threadIdx.x] = s[31 - threadIdx.x];  //! thread=0
  cg::wait(block);
}

//@ bug stage_filled_again_while_others_read race block=64 args="float32[256]= float32[64]"
extern "C" __global__ void stage_filled_again_while_others_read(const float* a, float* b) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0;
  __pipeline_memcpy_async(&s[0][t], a + t, 4);
  __pipeline_commit();
  #pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2][t], a + 64 * (k + 1) + t, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[k % 2][63 - t];  //!
  }
  b[t] = sum;
}

//@ bug third_batch_in_a_pipeline_of_two barrier block=2 args="int32[6]= int32[2]"
extern "C" __global__ void third_batch_in_a_pipeline_of_two(const int* a, int* b) {
  __shared__ int s[3][2];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  #pragma unroll 1
  for (int k = 0; k < 3; ++k) {
    pipe.producer_acquire();  //! count=2 says=2_of_2_arrivals
    cuda::memcpy_async(block, s[k], a + 2 * k, 8, pipe);
    pipe.producer_commit();
  }
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    pipe.consumer_wait();
    sum += s[k][1 - threadIdx.x];
    pipe.consumer_release();
  }
  b[threadIdx.x] = sum;
}

//@ bug waits_for_all_but_the_copy_that_it_reads race block=32 args="int32[96]= int32[96]" hazard=read_after_write
extern "C" __global__ void waits_for_all_but_the_copy_that_it_reads(const int* a, int* b) {
  __shared__ int s[3][32];
  int t = threadIdx.x;
  for (int k = 0; k < 3; ++k) s[k][t] = 0;
  for (int k = 0; k < 3; ++k) {
    __pipeline_memcpy_async(&s[k][t], a + 32 * k + t, 4);  //~
    __pipeline_commit();
  }
  #pragma unroll 1
  for (int k = 0; k < 3; ++k) {
    __pipeline_wait_prior(1);
    b[32 * k + t] = s[k][t];  //! thread=0 other_thread=0
  }
  __pipeline_wait_prior(0);
}

//@ bug barrier_object_at_half_a_word misaligned_address block=32 args="int32[32]"
extern "C" __global__ void barrier_object_at_half_a_word(int* b) {
  __shared__ __align__(8) int room[4];
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"((unsigned)__cvta_generic_to_shared(room + 1)) : "memory");  //! thread=0 count=1
  b[threadIdx.x] = 1;
}

//@ good three_stages_and_one_barrier_a_round block=64 args="float32[320]= float32[64]"
extern "C" __global__ void three_stages_and_one_barrier_a_round(const float* a, float* b) {
  __shared__ float s[3][64];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    __pipeline_memcpy_async(&s[k][t], a + 64 * k + t, 4);
    __pipeline_commit();
  }
  for (int k = 0; k < 5; ++k) {
    __pipeline_wait_prior(1);
    __syncthreads();
    if (k + 2 < 5) __pipeline_memcpy_async(&s[(k + 2) % 3][t], a + 64 * (k + 2) + t, 4);
    __pipeline_commit();
    sum += s[k % 3][63 - t];
  }
  b[t] = sum;
}

//@ good pipeline_with_producers_and_consumers block=16 args="int32[32]= int32[32]"
extern "C" __global__ void pipeline_with_producers_and_consumers(const int* a, int* b) {
  __shared__ int s[2][8];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  const auto role = threadIdx.x < 8 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  int t = threadIdx.x % 8;
  for (int k = 0; k < 4; ++k) {
    if (role == cuda::pipeline_role::producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[k % 2][t], a + 8 * k + t, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      b[8 * k + t] = s[k % 2][7 - t];
      pipe.consumer_release();
    }
  }
}

//@ good pipeline_of_each_thread block=32 args="float32[128]= float32[32]"
extern "C" __global__ void pipeline_of_each_thread(const float* a, float* b) {
  __shared__ float s[2][32];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x;
  float sum = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(&s[0][t], a + t, sizeof(float), pipe);
  pipe.producer_commit();
  for (int k = 0; k < 4; ++k) {
    if (k < 3) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[(k + 1) % 2][t], a + 32 * (k + 1) + t, sizeof(float), pipe);
      pipe.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    sum += s[k % 2][t];
    pipe.consumer_release();
  }
  b[t] = sum;
}

//@ good copies_of_the_tail_are_padded block=32 args="float32[100]= float32[128] 100:int32"
extern "C" __global__ void copies_of_the_tail_are_padded(const float* a, float* b, int n) {
  __shared__ __align__(16) float s[128];
  int first = threadIdx.x * 4, left = max(0, min(4, n - first));
  __pipeline_memcpy_async(s + first, a + min(first, n - 4), 16, 16 - left * 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  for (int i = threadIdx.x; i < 128; i += 32) b[i] = s[i ^ 5];
}
