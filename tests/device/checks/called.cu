// Mistakes in functions, inlined or not, and in headers of the toolkit: the report names the kernel's line that led
// there, with -G too, and that of the other side of a race.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

//@ bug half_pairs_past_the_end illegal_address block=32 args="float16[62]= float16[64]="
extern "C" __global__ void half_pairs_past_the_end(__half2* a, const __half2* b) {
  a[threadIdx.x] += b[threadIdx.x];  //! thread=31 access=read ; thread=31 access=write
}

//@ bug inlined_through_two_calls illegal_address block=32 args="int32[32]= int32[32]"
__device__ __forceinline__ int second_of(const int* p) {
  return p[1];  //! thread=31 count=1 function=second_of
}

__device__ __forceinline__ int sum_of_two(const int* p) {
  return p[0] + second_of(p);
}

extern "C" __global__ void inlined_through_two_calls(const int* a, int* b) {
  b[threadIdx.x] = sum_of_two(a + threadIdx.x);
}

//@ bug written_and_read_by_helpers race block=64 args="int32[64]="
__device__ __noinline__ void put_into(int* s, int i, int v) {
  s[i] = v;  //! hazard=write_after_read other_line=4 thread=32 other_thread=31 says=(called_at_ both_orders=True
}

__device__ __noinline__ int get_from(const int* s, int i) {
  return s[i];
}

extern "C" __global__ void written_and_read_by_helpers(int* a) {
  __shared__ int s[64];
  put_into(s, threadIdx.x, a[threadIdx.x]);
  a[threadIdx.x] = get_from(s, 63 - threadIdx.x);  //! uninitialised thread=0 count=32
}

//@ bug written_by_either_call race block=64 args="int32[64]="
__device__ __noinline__ void put_at(int* s, int i, int v) {
  s[i] = v;  //! hazard=write_after_read other_line=11 thread=0 says=(called_at both_orders=True
}

extern "C" __global__ void written_by_either_call(int* a) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32)
    put_at(s, threadIdx.x, a[threadIdx.x]);
  else
    put_at(s, threadIdx.x, 7);
  a[threadIdx.x] = s[63 - threadIdx.x];
}

//@ bug read_by_either_call race block=64 args="int32[64]="
__device__ __noinline__ int take_from(const int* s, int i) {
  return s[i];
}

extern "C" __global__ void read_by_either_call(int* a) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  int v = take_from(s, threadIdx.x) + take_from(s, 63 - threadIdx.x);
  v += take_from(s, threadIdx.x ^ 1);
  s[threadIdx.x] = v;  //! hazard=write_after_read other_line=-9 thread=32 other_thread=33 says=_or_
}

//@ bug grid_barrier_of_one_block limit grid=2 block=32 cooperative=1 args="int32[64]"
extern "C" __global__ void grid_barrier_of_one_block(int* a) {
  if (blockIdx.x == 0) cg::this_grid().sync();  //! limit ; waiting in_block=0
  a[blockIdx.x * 32 + threadIdx.x] = 1;
}

//@ bug tile_shuffle_after_a_return sync block=32 args="int32[32]= 20:int32"
extern "C" __global__ void tile_shuffle_after_a_return(int* a, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (threadIdx.x >= n) return;
  a[threadIdx.x] = tile.shfl_xor(a[threadIdx.x], 16);  //! thread=4 count=12
}

//@ bug barrier_of_a_function_for_half sync block=64 args="int32[64]" hazard=in_block
__device__ __noinline__ void meet_and_count(int* a) {
  a[threadIdx.x] += 1;
  __syncthreads();  //! thread=0 count=32 says=gone_past other_thread=32 other_line=6
}

extern "C" __global__ void barrier_of_a_function_for_half(int* a) {
  a[threadIdx.x] = 1;
  if (threadIdx.x < 32) meet_and_count(a);
  a[threadIdx.x] += 2;
}

//@ bug group_barrier_for_half sync block=64 args="int32[64]" hazard=in_block
extern "C" __global__ void group_barrier_for_half(int* a) {
  if (threadIdx.x < 32) cg::this_thread_block().sync();  //! thread=0 count=32 says=gone_past other_thread=32
  a[threadIdx.x] = 2;
}

//@ bug counting_barrier_for_half sync block=64 args="int32[64]=" hazard=in_block
extern "C" __global__ void counting_barrier_for_half(int* a) {
  int odd = 0;
  if (threadIdx.x < 32) odd = __syncthreads_count(a[threadIdx.x] & 1);  //! thread=0 count=32 says=gone_past other_thread=32
  a[threadIdx.x] += odd;
}

__device__ __noinline__ int meet_twice(int* s, int v) {
  s[threadIdx.x] = v;
  __syncthreads();
  int other = s[threadIdx.x ^ 1];
  __syncthreads();
  return other;
}

//@ good function_with_barriers grid=2 block=64 args="int32[64]= int32[64] 3:int32"
extern "C" __global__ void function_with_barriers(const int* a, int* b, int n) {
  __shared__ int s[64];
  int v = a[threadIdx.x];
  for (int i = 0; i < n; ++i) v += meet_twice(s, v);
  if (blockIdx.x == 1) v = meet_twice(s, v) + meet_twice(s, 1);
  if (blockIdx.x == 0) b[threadIdx.x] = v;
}

__device__ __noinline__ int some_return_early(const int* a, int* b, int n) {
  __shared__ int s[64];
  if (threadIdx.x >= n) return 0;
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = s[n - 1 - threadIdx.x];
  return 1;
}

//@ good early_return_of_a_function block=64 args="int32[64]= int32[64] 50:int32"
extern "C" __global__ void early_return_of_a_function(const int* a, int* b, int n) { some_return_early(a, b, n); }

__device__ __noinline__ void meet_deeper(int* s, int v, int depth) {
  s[threadIdx.x] = v;
  __syncthreads();
  if (depth > 0) meet_deeper(s, v + s[63 - threadIdx.x] * 0, depth - 1);
}

//@ good recursive_function_with_barriers block=64 args="int32[64]"
extern "C" __global__ void recursive_function_with_barriers(int* b) {
  __shared__ int s[3][64];
  for (int i = 0; i < 3; ++i) meet_deeper(s[i], i, 0);
  b[threadIdx.x] = s[0][threadIdx.x] + s[2][63 - threadIdx.x];
}

// Calls through pointers, and recursion, say nothing of how other functions are reached.
//@ bug read_by_helpers_beside_a_pointer race block=64 args="int32[64]"
typedef int (*Step)(int);
__device__ int twice(int v) { return 2 * v; }
__device__ int thrice(int v) { return 3 * v; }
__device__ Step steps[2] = {twice, thrice};
__device__ __noinline__ int value_at(const int* p) { return *p; }  //~
__device__ __noinline__ int mirrored(const int* s) { return value_at(s + 63 - threadIdx.x); }  //~

extern "C" __global__ void read_by_helpers_beside_a_pointer(int* b) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;  //! hazard=write_after_read inlined_at=None says=(called_at
  int v = mirrored(s);
  b[threadIdx.x] = steps[v & 1](v);
}

//@ bug read_by_helpers_beside_a_recursion race block=64 args="int32[64]"
__device__ __noinline__ int rabbits(int n) { return n < 2 ? n : rabbits(n - 1) + rabbits(n - 2); }
__device__ __noinline__ int item_at(const int* p) { return *p; }  //~
__device__ __noinline__ int reversed(const int* s) { return item_at(s + 63 - threadIdx.x); }  //~

extern "C" __global__ void read_by_helpers_beside_a_recursion(int* b) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;  //! hazard=write_after_read inlined_at=None says=(called_at
  b[threadIdx.x] = rabbits(reversed(s) & 3);
}

// The function was called there through a pointer that may be to it, or directly.
//@ bug read_through_a_pointer_or_not race block=64 args="int32[64]"
typedef int (*Reader)(const int*);
__device__ __noinline__ int near_end(const int* p) { return p[63 - threadIdx.x]; }  //~
__device__ int at_start(const int* p) { return p[threadIdx.x]; }
__device__ Reader readers[2] = {near_end, at_start};

extern "C" __global__ void read_through_a_pointer_or_not(int* b) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;  //! hazard=write_after_read inlined_at=None says=_or_
  int v = near_end(s);
  __syncthreads();
  b[threadIdx.x] = v + readers[v & 1](s);
}

// Each look takes many instructions with -G: fewer of them say that nobody comes.
//@ bug toolkits_barrier_waits_for_ever barrier block=1 args="int32[1]"
extern "C" __global__ void toolkits_barrier_waits_for_ever(int* b) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  init(&bar, 2);
  bar.arrive_and_wait();  //! thread=0 says=1_of_2_arrivals
  *b = 1;
}
