// The read-only cache: what a kernel reads through it nobody may write as long as the kernel runs.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

//@ bug read_only_cache_of_what_the_block_wrote race block=64 args="int32[64] int32[64]"
extern "C" __global__ void read_only_cache_of_what_the_block_wrote(int* a, int* b) {
  a[threadIdx.x] = threadIdx.x * 3;  //~
  __syncthreads();
  b[threadIdx.x] = __ldg(a + 63 - threadIdx.x);  //!
}

//@ bug read_only_cache_behind_a_barrier_of_the_grid race grid=2 block=32 cooperative=1 args="float32[64]= float32[64]"
extern "C" __global__ void read_only_cache_behind_a_barrier_of_the_grid(float* a, float* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  a[i] = 2 * a[i];  //~
  cg::this_grid().sync();
  b[i] = __ldg(a + (i + 32) % 64);  //!
}

//@ bug vector_through_the_read_only_cache_of_which_one_number_is_new race block=32 args="float32[128]= float32[32]"
extern "C" __global__ void vector_through_the_read_only_cache_of_which_one_number_is_new(float* a, float* b) {
  if (threadIdx.x == 20) a[38] = 1;  //~
  __syncwarp();
  float4 v = __ldg((const float4*)a + threadIdx.x);  //! thread=9 count=1
  b[threadIdx.x] = v.x + v.y + v.z + v.w;
}

//@ good half_is_read_only_and_half_is_written grid=2 block=32 args="int32[128]="
extern "C" __global__ void half_is_read_only_and_half_is_written(int* a) {
  int i = blockIdx.x * 32 + threadIdx.x;
  a[64 + i] = __ldg(a + 63 - i) + 1;
}

//@ good other_caches_of_what_the_block_wrote block=64 args="int32[64] int32[64]"
extern "C" __global__ void other_caches_of_what_the_block_wrote(int* a, int* b) {
  __stcg(a + threadIdx.x, (int)threadIdx.x);
  __syncthreads();
  int other = 63 - threadIdx.x;
  b[threadIdx.x] = __ldcg(a + other) + __ldca(a + other) + __ldcs(a + other) + __ldcv(a + other) + __ldlu(a + other);
}
