// Shared memory of the other blocks of a cluster, with mistakes and without.
//@ least 90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned in_block(const void* p, int rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(p)), "r"(rank));
  return there;
}
#define CLUSTER_ARRIVE asm volatile("barrier.cluster.arrive.release;" ::: "memory")
#define CLUSTER_WAIT asm volatile("barrier.cluster.wait.acquire;" ::: "memory")
#define LOAD(v, p) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(p) : "memory")
#define STORE(p, v) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(p), "r"(v) : "memory")

//@ bug neighbour_read_without_a_cluster_barrier race grid=2 block=32 args="int32[64]= int32[64]" hazard=read_after_write
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbour_read_without_a_cluster_barrier(const int* a, int* b) {
  __shared__ int s[32];
  int i = blockIdx.x * 32 + threadIdx.x, v = 0;
  s[threadIdx.x] = a[i];  //~
  __syncthreads();
  if (blockIdx.x == 1) LOAD(v, in_block(s + threadIdx.x, 0));  //! thread=0 in_block=1 other_thread=0 other_block=0 count=32 says=of_block_(0,0,0)_at_offset_0_of_s,
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  b[i] = v;
}

//@ bug last_word_of_the_neighbour_written_at_once race grid=2 block=32 args="int32[64]=" hazard=write_after_write
extern "C" __global__ void __cluster_dims__(2, 1, 1) last_word_of_the_neighbour_written_at_once(int* a) {
  __shared__ int s[32];
  s[threadIdx.x] = a[threadIdx.x];  //~
  if (blockIdx.x == 1 && threadIdx.x == 31) STORE(in_block(s + 31, 0), 7);  //! thread=31 in_block=1 other_thread=31 other_block=0 says=offset_124 count=1
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  a[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

//@ bug generic_address_of_the_neighbour race grid=4 block=64 args="int32[256]= int32[256]" hazard=read_after_write
extern "C" __global__ void __cluster_dims__(4, 1, 1) generic_address_of_the_neighbour(const int* a, int* b) {
  __shared__ int s[64];
  auto cluster = cg::this_cluster();
  int i = blockIdx.x * 64 + threadIdx.x, v = 0;
  s[threadIdx.x] = a[i];  //~
  __syncthreads();
  if (blockIdx.x == 3) v = *cluster.map_shared_rank(s + 63 - threadIdx.x, 2);  //! in_block=3 other_block=2 count=64
  cluster.sync();
  b[i] = v;
}

//@ bug written_by_the_neighbour_behind_a_block_barrier race grid=2 block=64 args="int32[128]" hazard=write_after_read
extern "C" __global__ void __cluster_dims__(2, 1, 1) written_by_the_neighbour_behind_a_block_barrier(int* b) {
  __shared__ int s[64];
  int v = 0;
  s[threadIdx.x] = threadIdx.x;
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  if (blockIdx.x == 1) v = s[63 - threadIdx.x];  //~
  __syncthreads();
  if (blockIdx.x == 0) STORE(in_block(s + threadIdx.x, 1), v);  //! in_block=0 other_block=1 count=64
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  b[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

//@ bug written_between_arriving_and_waiting race grid=2 block=32 args="int32[64]" hazard=read_after_write
extern "C" __global__ void __cluster_dims__(2, 1, 1) written_between_arriving_and_waiting(int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = 0;
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  CLUSTER_ARRIVE;
  if (blockIdx.x == 0) STORE(in_block(s + threadIdx.x, 1), 1);  //~
  CLUSTER_WAIT;
  if (blockIdx.x == 1) b[threadIdx.x] = s[threadIdx.x];  //! thread=0 in_block=1 other_thread=0 other_block=0 count=32
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
}

//@ bug atomic_on_a_counter_that_is_cleared race grid=2 block=32 args="int32[2]" hazard=write_after_write
extern "C" __global__ void __cluster_dims__(2, 1, 1) atomic_on_a_counter_that_is_cleared(int* b) {
  __shared__ int count;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) count = 0;  //~
  __syncthreads();
  if (blockIdx.x == 1) atomicAdd(cluster.map_shared_rank(&count, 0), 1);  //! in_block=1 thread=0 other_thread=0 other_block=0
  cluster.sync();
  if (threadIdx.x == 0) b[blockIdx.x] = count;
}

//@ bug the_owner_leaves_while_the_neighbour_reads race grid=2 block=32 args="int32[64]= int32[64]" hazard=exit_after_read
extern "C" __global__ void __cluster_dims__(2, 1, 1) the_owner_leaves_while_the_neighbour_reads(const int* a, int* b) {
  __shared__ int s[32];
  int i = blockIdx.x * 32 + threadIdx.x, v = 0;
  s[threadIdx.x] = a[i];
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  if (blockIdx.x == 1) LOAD(v, in_block(s + threadIdx.x, 0));  //~
  b[i] = v;
}  //! in_block=0 other_block=1 other_thread=0 count=32

//@ bug the_owner_leaves_in_a_function race grid=2 block=32 args="int32[64]= int32[64]" hazard=exit_after_read
__device__ __noinline__ void leave(int* to, int v) {
  *to = v;
  if (v > 0) asm volatile("exit;");  //! in_block=0 other_block=1 other_thread=0 says=called_at
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) the_owner_leaves_in_a_function(const int* a, int* b) {
  __shared__ int s[32];
  int i = blockIdx.x * 32 + threadIdx.x, v = 0;
  s[threadIdx.x] = a[i];
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  if (blockIdx.x == 1) LOAD(v, in_block(s + threadIdx.x, 0));  //~
  leave(b + i, v + 1);
  b[i] = 0;
}

//@ bug the_owner_has_left illegal_address grid=2 block=32 args="int32[64]= int32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) the_owner_has_left(const int* a, int* b) {
  __shared__ int s[32];
  int i = blockIdx.x * 32 + threadIdx.x, v = 0;
  s[threadIdx.x] = a[i];
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  if (blockIdx.x == 0) LOAD(v, in_block(s + threadIdx.x, 1));  //! thread=0 in_block=0 count=32 says=of_block_(1,0,0)'s_shared_memory,_whose_threads_have_all_exited
  b[i] = v;
}

//@ bug one_past_the_neighbours_memory illegal_address grid=2 block=32 args="int32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) one_past_the_neighbours_memory(int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  if (blockIdx.x == 0) STORE(in_block(s + threadIdx.x + 1, 1), 1);  //! thread=31 in_block=0 count=1 distance=1 side=after says=of_block_(1,0,0)
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  b[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

//@ bug atomic_of_a_word_astride misaligned_address grid=2 block=32 args="int32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) atomic_of_a_word_astride(int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  if (blockIdx.x == 1 && threadIdx.x == 0) asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(in_block(s, 0) + 2) : "memory");  //! thread=0 in_block=1
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  b[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

//@ bug a_block_that_the_cluster_has_not illegal_address grid=2 block=1 args="int32[2]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) a_block_that_the_cluster_has_not(int* b) {
  __shared__ int s;
  int v = 0;
  s = blockIdx.x;
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  LOAD(v, in_block(&s, 2));  //! thread=0 in_block=1 count=2 says=that_the_cluster_does_not_have
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  b[blockIdx.x] = v + s;
}

//@ bug the_neighbour_wrote_all_but_the_last uninitialised grid=2 block=32 args="int32[64]" origin=shared
extern "C" __global__ void __cluster_dims__(2, 1, 1) the_neighbour_wrote_all_but_the_last(int* b) {
  __shared__ int s[32];
  int v = 0;
  if (threadIdx.x < 31) s[threadIdx.x] = threadIdx.x;
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  LOAD(v, in_block(s + threadIdx.x, 1 - blockIdx.x));  //~
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  b[blockIdx.x * 32 + threadIdx.x] = v + 1;  //! thread=31 in_block=0 other_thread=31 other_line=-3 count=2 index=31
}

//@ bug a_sum_in_the_neighbour_that_nobody_cleared uninitialised grid=2 block=32 args="int32[2]" origin=shared
extern "C" __global__ void __cluster_dims__(2, 1, 1) a_sum_in_the_neighbour_that_nobody_cleared(int* b) {
  __shared__ int sum;
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(in_block(&sum, 1 - blockIdx.x)) : "memory");  //! thread=0 in_block=1 count=2
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  if (threadIdx.x == 0) b[blockIdx.x] = sum;
}

//@ good histogram_over_the_cluster grid=4 block=64 args="int32[1024]= int32[128]=0"
extern "C" __global__ void __cluster_dims__(2, 1, 1) histogram_over_the_cluster(const int* a, int* bins) {
  __shared__ int s[64];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = 0;
  cluster.sync();
  for (int k = 0; k < 4; ++k) {
    int bin = a[blockIdx.x * 256 + k * 64 + threadIdx.x] * 7 % 128;
    atomicAdd(cluster.map_shared_rank(s, bin / 64) + bin % 64, 1);
  }
  cluster.sync();
  atomicAdd(bins + cluster.block_rank() * 64 + threadIdx.x, s[threadIdx.x]);
}

//@ good halos_of_the_neighbours grid=4 block=32 args="int32[128]= int32[128]"
extern "C" __global__ void __cluster_dims__(4, 1, 1) halos_of_the_neighbours(const int* a, int* b) {
  __shared__ int s[2][34];
  int i = blockIdx.x * 32 + threadIdx.x, t = threadIdx.x + 1;
  s[0][t] = a[i];
  for (int step = 0; step < 3; ++step) {
    int now = step % 2;
    if (t == 1) STORE(in_block(&s[now][33], (blockIdx.x + 3) % 4), s[now][1]);
    if (t == 32) STORE(in_block(&s[now][0], (blockIdx.x + 1) % 4), s[now][32]);
    CLUSTER_ARRIVE;
    CLUSTER_WAIT;
    s[1 - now][t] = s[now][t - 1] + s[now][t + 1];
  }
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  b[i] = s[1][t];
}

//@ good own_work_between_arriving_and_waiting grid=2 block=64 args="int32[128]= int32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) own_work_between_arriving_and_waiting(const int* a, int* b) {
  __shared__ int s[64], own[64];
  int i = blockIdx.x * 64 + threadIdx.x, v = 0;
  s[threadIdx.x] = a[i];
  CLUSTER_ARRIVE;
  own[threadIdx.x] = a[i] * 2;
  __syncthreads();
  int mine = own[63 - threadIdx.x];
  CLUSTER_WAIT;
  LOAD(v, in_block(s + 63 - threadIdx.x, 1 - blockIdx.x));
  CLUSTER_ARRIVE;
  b[i] = v + mine;
  CLUSTER_WAIT;
  s[threadIdx.x] = v;
}

//@ good a_flag_in_the_neighbour grid=2 block=32 args="int32[32]= int32[32]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) a_flag_in_the_neighbour(const int* a, int* b) {
  __shared__ int s[32], flag;
  if (threadIdx.x == 0) flag = 0;
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  if (blockIdx.x == 0) {
    STORE(in_block(s + threadIdx.x, 1), a[threadIdx.x]);
    __syncwarp();
    if (threadIdx.x == 0) {
      asm volatile("fence.acq_rel.cluster;" ::: "memory");
      asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], 1;" ::"r"(in_block(&flag, 1)) : "memory");
    }
  } else {
    int seen = 0;
    while (seen == 0) asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];" : "=r"(seen) : "r"(at(&flag)) : "memory");
    b[threadIdx.x] = s[31 - threadIdx.x];
  }
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
}

//@ good its_own_memory_by_its_rank grid=2 block=32 args="int32[64]= int32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) its_own_memory_by_its_rank(const int* a, int* b) {
  __shared__ int s[32];
  int i = blockIdx.x * 32 + threadIdx.x, v;
  STORE(in_block(s + threadIdx.x, blockIdx.x), a[i]);
  __syncthreads();
  LOAD(v, in_block(s + 31 - threadIdx.x, blockIdx.x));
  b[i] = v;
}

//@ good everybody_leaves_when_the_readers_have_arrived grid=2 block=64 args="int32[128]= int32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) everybody_leaves_when_the_readers_have_arrived(const int* a, int* b) {
  __shared__ int s[64];
  int i = blockIdx.x * 64 + threadIdx.x, v;
  s[threadIdx.x] = a[i];
  CLUSTER_ARRIVE;
  CLUSTER_WAIT;
  LOAD(v, in_block(s + threadIdx.x, 1 - blockIdx.x));
  CLUSTER_ARRIVE;
  b[i] = v;
  CLUSTER_WAIT;
}
