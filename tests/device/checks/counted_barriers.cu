// Barriers in loops, with counts, of the standard library, and of the grid.
//@ least 90
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

//@ bug stride_loop_with_a_barrier_and_a_rest sync most=90 block=64 args="int32[100]= int32[64] 100:int32"
extern "C" __global__ void stride_loop_with_a_barrier_and_a_rest(const int* a, int* b, int n) {
  __shared__ int s[64];
  int sum = 0;
  #pragma unroll 1
  for (int i = threadIdx.x; i < n; i += 64) {
    s[threadIdx.x] = a[i];
    __syncthreads();
    sum += s[threadIdx.x ^ 1];
    __syncwarp();
  }
  __syncthreads();  //! hazard=in_warp thread=36 other_line=-4 ; hazard=in_block thread=0 other_line=1
  b[threadIdx.x] = sum;
}

//@ bug producer_that_arrives_twice race block=96 args="int32[64]= int32[32]"
extern "C" __global__ void producer_that_arrives_twice(const int* a, int* b) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < 64) s[t] = 0;
  __syncthreads();
  if (t < 32) {
    s[t] = a[t];
    asm volatile("bar.arrive 1, 96;" ::: "memory");
    asm volatile("bar.arrive 1, 96;" ::: "memory");
  } else if (t < 64) {
    for (int i = 0; i < 300; ++i) asm volatile("" ::: "memory");
    s[t] = a[t];  //~
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 96;" ::: "memory");
    b[t - 64] = s[t - 64] + s[t - 32];  //! thread=64 hazard=read_after_write
  }
}

//@ bug one_leaves_without_a_word_to_the_barrier barrier block=4 args="int32[4]= int32[4] 3:int32"
extern "C" __global__ void one_leaves_without_a_word_to_the_barrier(const int* a, int* b, int n) {
  __shared__ Barrier bar;
  __shared__ int s[4];
  if (threadIdx.x == 0) init(&bar, 4);
  __syncthreads();
  if (threadIdx.x >= n) return;
  s[threadIdx.x] = a[threadIdx.x];
  bar.arrive_and_wait();  //! says=1_of_4_arrivals
  b[threadIdx.x] = s[n - 1 - threadIdx.x];
}

//@ bug wait_for_the_parity_of_the_phase_before race block=64 args="int32[32]= int32[32]"
extern "C" __global__ void wait_for_the_parity_of_the_phase_before(const int* a, int* b) {
  __shared__ Barrier full;
  __shared__ int s[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) init(&full, 32);
  if (threadIdx.x < 32) s[lane] = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    s[lane] = a[lane];  //! hazard=write_after_read thread=0 other_thread=32 other_line=4
    (void)full.arrive();
  } else {
    full.wait_parity(true);
    b[lane] = s[lane];
  }
}

//@ bug flag_of_a_round_cleared_while_others_look race grid=3 block=32 cooperative=1 args="int32[1]=0 int32[3]=" hazard=write_after_read
extern "C" __global__ void flag_of_a_round_cleared_while_others_look(int* changed, int* a) {
  auto grid = cg::this_grid();
  if (threadIdx.x == 0 && a[blockIdx.x] > 1) atomicExch(changed, 1);
  grid.sync();
  if (*changed != 0 && threadIdx.x == 0) a[blockIdx.x] += 1;  //~
  if (grid.thread_rank() == 0) *changed = 0;  //! count=33 both_orders=True
  grid.sync();
}

//@ good barrier_in_a_loop_of_equal_length block=96 args="int32[96]= int32[96]"
// Each thread counts from another number on, to another one, and by another route: all do seven rounds.
extern "C" __global__ void barrier_in_a_loop_of_equal_length(const int* a, int* b) {
  __shared__ int s[96];
  int t = threadIdx.x, v = a[t];
  for (int i = t; i < t + 7; ++i) {
    if (i % 3 == 0) v += 1;
    else if (i % 3 == 1) v ^= 5;
    s[t] = v;
    __syncthreads();
    v += s[(i * 11 + t) % 96];
    __syncthreads();
  }
  b[t] = v;
}

//@ good votes_over_named_barriers block=96 args="int32[96]= int32[96]"
extern "C" __global__ void votes_over_named_barriers(const int* a, int* b) {
  int v = a[threadIdx.x], n;
  if (threadIdx.x < 64)
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 10; barrier.cta.red.popc.u32 %0, 3, 64, p; }" : "=r"(n) : "r"(v) : "memory");
  else
    asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 10; barrier.cta.red.and.pred q, 4, 32, p; selp.s32 %0, 1, 0, q; }" : "=r"(n) : "r"(v) : "memory");
  b[threadIdx.x] = n;
}

//@ good who_leaves_drops_out_of_the_barrier block=64 args="int32[64]= int32[64]"
extern "C" __global__ void who_leaves_drops_out_of_the_barrier(const int* a, int* b) {
  __shared__ Barrier bar;
  __shared__ int s[2][64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  s[0][t] = a[t];
  for (int left = 64, k = 0; left > 1; left /= 2, k ^= 1) {
    bar.arrive_and_wait();
    if (t >= left / 2) {
      bar.arrive_and_drop();
      return;
    }
    s[k ^ 1][t] = s[k][t] + s[k][t + left / 2];
    if (left == 2) b[0] = s[k ^ 1][0];
    bar.arrive_and_wait();
  }
}

struct Sum {
  int* to;
  const int* from;
  __device__ void operator()() noexcept { *to = from[0] + from[1]; }
};
//@ good barrier_that_adds_up_when_all_have_come block=64 args="int32[64]= int32[64]"
extern "C" __global__ void barrier_that_adds_up_when_all_have_come(const int* a, int* b) {
  using Adding = cuda::barrier<cuda::thread_scope_block, Sum>;
  __shared__ __align__(alignof(Adding)) unsigned char room[sizeof(Adding)];
  __shared__ int part[2], total;
  Adding* bar = reinterpret_cast<Adding*>(room);
  if (threadIdx.x == 0) new (bar) Adding(64, Sum{&total, part});
  __syncthreads();
  int v = __reduce_add_sync(0xffffffff, a[threadIdx.x]);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  bar->arrive_and_wait();
  b[threadIdx.x] = total;
}

//@ good grid_goes_on_until_nothing_changes grid=4 block=32 cooperative=1 args="int32[130]= int32[130]=0 int32[2]=0"
// Relaxation with two arrays; a flag for each parity of rounds, cleared two meetings before it is used again.
extern "C" __global__ void grid_goes_on_until_nothing_changes(int* from, int* to, int* changed) {
  auto grid = cg::this_grid();
  int i = 1 + blockIdx.x * 32 + threadIdx.x;
  if (i == 1) to[0] = from[0];
  if (i == 128) to[129] = from[129];
  for (int round = 0; round < 6; ++round) {
    if (grid.thread_rank() == 0) changed[(round + 1) % 2] = 0;
    int v = min(from[i], max(from[i - 1], from[i + 1] - 2));
    to[i] = v;
    if (v != from[i]) atomicExch(changed + round % 2, 1);
    grid.sync();
    if (changed[round % 2] == 0) break;
    int* last = from;
    from = to;
    to = last;
    grid.sync();
  }
}

//@ good launch_that_waits_for_no_other grid=2 block=32 args="int32[64]= int32[64]"
extern "C" __global__ void launch_that_waits_for_no_other(const int* a, int* b) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  int i = blockIdx.x * 32 + threadIdx.x;
  b[i] = a[63 - i];
  asm volatile("griddepcontrol.launch_dependents;");
}

// The report names the line of the kernel, not the toolkit's header that it calls.
//@ bug barrier_object_without_a_barrier race block=64 args="int32[64]="
extern "C" __global__ void barrier_object_without_a_barrier(int* b) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  s[threadIdx.x] = b[threadIdx.x];
  barrier.arrive_and_wait();  //! says=_(in_
  b[threadIdx.x] = s[63 - threadIdx.x];
}
