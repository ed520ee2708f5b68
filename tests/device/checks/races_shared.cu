// Races in shared memory: between warps, in one warp, and of rare schedules.
//@ least 80

//@ bug first_and_last_write race block=64 args="int32[1]" hazard=write_after_write
extern "C" __global__ void first_and_last_write(int* b) {
  __shared__ int s;
  if (threadIdx.x == 0 || threadIdx.x == 63) s = threadIdx.x;  //! thread=63 other_thread=0 count=1 other_line=0
  __syncthreads();
  if (threadIdx.x == 0) *b = s;
}

//@ bug lanes_write_one_place race block=32 args="int32[1]" hazard=write_after_write
extern "C" __global__ void lanes_write_one_place(int* b) {
  __shared__ int s;
  s = threadIdx.x;  //! thread=1 other_thread=0 count=31 other_line=0
  __syncthreads();
  if (threadIdx.x == 0) *b = s;
}

//@ bug bytes_overlap_a_word race block=64 args="int32[16]"
extern "C" __global__ void bytes_overlap_a_word(int* b) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 40) ((char*)s)[7] = 1;
  if (threadIdx.x == 1) s[1] = 5;  //! hazard=write_after_write thread=1 other_thread=40 other_line=-1
  __syncthreads();
  if (threadIdx.x < 16) b[threadIdx.x] = s[threadIdx.x];
}

//@ bug pair_overlaps_a_word race block=32 args="float32[32]" hazard=read_after_write
extern "C" __global__ void pair_overlaps_a_word(float* b) {
  __shared__ __align__(8) float s[64];
  s[threadIdx.x] = threadIdx.x;
  s[threadIdx.x + 32] = 0;
  float2 v = *(float2*)(s + threadIdx.x * 2);  //! thread=0 other_thread=1 other_line=-2 bytes=8 debug_thread=1 debug_other_thread=2 debug_bytes=4 says=the_same_missing_barrier_causes_1_more_race:
  b[threadIdx.x] = v.x + v.y;
}

//@ bug written_by_one_read_by_all race block=64 args="int32[64] 7:int32" hazard=read_after_write
extern "C" __global__ void written_by_one_read_by_all(int* b, int n) {
  __shared__ int s;
  if (threadIdx.x == 0) s = n;  //~
  b[threadIdx.x] = s;  //! thread=1 other_thread=0 count=63
}

//@ bug scan_without_second_barrier race block=64 args="int32[64]= int32[64]"
extern "C" __global__ void scan_without_second_barrier(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  // The warp that ends a barrier goes first: the second one, then the first, then …
  #pragma unroll 1
  for (int step = 1; step < 64; step *= 2) {
    __syncthreads();
    int v = i >= step ? s[i - step] : 0;
    s[i] += v;  //! hazard=write_after_read thread=32 other_line=-1 other_thread=33 both_orders=True
  }
  __syncthreads();
  b[i] = s[i];
}

//@ bug one_buffer_for_two_rounds race block=64 args="int32[64]= int32[64]"
extern "C" __global__ void one_buffer_for_two_rounds(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.x, v = a[i];
  #pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    s[i] = v;  //! hazard=write_after_read thread=33 other_thread=32 other_line=2 both_orders=True
    __syncthreads();
    v += s[(i + 1) % 64];
  }
  b[i] = v;
}

//@ bug two_buffers_taken_wrongly race block=64 args="int32[64]= int32[64]"
extern "C" __global__ void two_buffers_taken_wrongly(const int* a, int* b) {
  __shared__ int s[2][64];
  int i = threadIdx.x;
  s[0][i] = a[i];
  s[1][i] = 0;
  __syncthreads();
  #pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    s[round % 2][i] = s[round % 2][(i + 32) % 64] + 1;  //! hazard=read_after_write thread=0 other_thread=32 both_orders=True
    __syncthreads();
  }
  b[i] = s[1][i];
}

//@ bug only_in_the_last_iteration race block=64 args="int32[64]= int32[64] 5:int32"
extern "C" __global__ void only_in_the_last_iteration(const int* a, int* b, int n) {
  __shared__ int s[64];
  int i = threadIdx.x, v = a[i];
  #pragma unroll 1
  for (int round = 0; round < n; ++round) {
    s[i] = v;
    if (round + 1 < n) __syncthreads();
    v = s[i == 63 && round + 1 == n ? 10 : i];  //! hazard=read_after_write thread=63 other_thread=10 count=1 other_line=-2
  }
  b[i] = v;
}

//@ bug only_one_thread_of_the_last_block race grid=7 block=64 args="int32[448]" hazard=read_after_write
extern "C" __global__ void only_one_thread_of_the_last_block(int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = i;  //~
  int from = blockIdx.x == 6 && i == 50 ? 3 : i;
  b[blockIdx.x * 64 + i] = s[from];  //! thread=50 in_block=6 other_thread=3 other_block=6 count=1
}

//@ bug barrier_of_a_warp_between_warps race block=64 args="int32[64]= int32[64]"
extern "C" __global__ void barrier_of_a_warp_between_warps(const int* a, int* b) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncwarp();
  if (threadIdx.x >= 32) b[threadIdx.x] = s[threadIdx.x - 32];  //! hazard=read_after_write thread=32 other_thread=0 count=32 other_line=-2
}

//@ bug lane_0_forgets_to_wait race block=32 args="int32[32]= int32[1]" hazard=read_after_write
extern "C" __global__ void lane_0_forgets_to_wait(const int* a, int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = a[threadIdx.x];  //~
  if (threadIdx.x == 0) {
    int sum = 0;
    #pragma unroll 1
    for (int i = 0; i < 32; ++i) sum += s[i];  //! thread=0 other_thread=1 count=31
    *b = sum;
  }
}

//@ bug shuffle_is_no_fence race block=32 args="int32[32]= int32[32]" hazard=read_after_write
extern "C" __global__ void shuffle_is_no_fence(const int* a, int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = a[threadIdx.x];  //~
  int v = __shfl_sync(0xffffffff, a[threadIdx.x], 0);
  b[threadIdx.x] = s[threadIdx.x ^ 1] + v;  //! thread=0 other_thread=1 count=32
}

//@ bug tree_within_a_warp race block=32 args="int32[32]= int32[1]"
extern "C" __global__ void tree_within_a_warp(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  s[i + 32] = 0;
  __syncwarp();
  #pragma unroll 1
  for (int step = 16; step; step /= 2) s[i] += s[i + step];  //! hazard=write_after_read thread=16 other_thread=0 both_orders=True
  if (i == 0) *b = s[0];
}

//@ bug other_half_of_the_warp race block=32 args="int32[32]= int32[32]" hazard=read_after_write
extern "C" __global__ void other_half_of_the_warp(const int* a, int* b) {
  __shared__ int s[32];
  int lane = threadIdx.x;
  unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  s[lane] = a[lane];  //~
  __syncwarp(half);
  b[lane] = s[lane ^ 16];  //! thread=0 other_thread=16 count=32
}

//@ bug atomic_then_plain race block=64 args="int32[64]"
extern "C" __global__ void atomic_then_plain(int* b) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  atomicAdd(&n, 1);
  b[threadIdx.x] = n;  //! hazard=read_after_write thread=32 other_thread=63 other_line=-1 both_orders=True
}

//@ bug plain_then_atomic race block=64 args="int32[1]" hazard=write_after_write
extern "C" __global__ void plain_then_atomic(int* b) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;  //~
  atomicAdd(&n, 1);  //! thread=1 other_thread=0 count=63
  __syncthreads();
  if (threadIdx.x == 0) *b = n;
}

//@ bug atomic_of_another_width race block=64 args="int32[1]"
extern "C" __global__ void atomic_of_another_width(int* b) {
  __shared__ __align__(8) int n[2];
  if (threadIdx.x < 2) n[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd((unsigned long long*)n, 1ull);  //! hazard=write_after_write thread=0 other_thread=32 bytes=8 other_line=1
  else if (threadIdx.x == 32) n[1] = 3;
  __syncthreads();
  if (threadIdx.x == 0) *b = n[0];
}

//@ bug named_barrier_of_too_few race block=96 args="int32[96]= int32[96]" hazard=read_after_write
extern "C" __global__ void named_barrier_of_too_few(const int* a, int* b) {
  __shared__ int s[96];
  int i = threadIdx.x;
  s[i] = a[i];  //~
  if (i < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  b[i] = s[i < 64 ? 63 - i : i - 64];  //! thread=64 other_thread=0 count=32
}

//@ bug arrives_and_reads race block=64 args="int32[32]= int32[32]" hazard=write_after_read
extern "C" __global__ void arrives_and_reads(const int* a, int* b) {
  __shared__ int s[32];
  int lane = threadIdx.x % 32;
  int* p = s;
  asm volatile("" : "+l"(p));  // the compiler must not keep what lies there
  if (threadIdx.x < 32) {
    p[lane] = a[lane];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    b[lane] = p[lane];  //~
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    p[lane] = 0;  //! thread=32 other_thread=0 count=32
  }
}

//@ bug volatile_and_plain race block=64 args="int32[32] 5:int32" hazard=read_after_write
extern "C" __global__ void volatile_and_plain(int* b, int n) {
  __shared__ int data;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = n;  //~
    flag = 1;
  } else if (threadIdx.x >= 32) {
    while (flag == 0) {}
    b[threadIdx.x - 32] = data;  //! thread=32 other_thread=0 count=32
  }
}

//@ bug read_before_the_others_wait race block=32 args="float32[128]= float32[32]" hazard=read_after_write
extern "C" __global__ void read_before_the_others_wait(const float* a, float* b) {
  __shared__ __align__(16) float s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + threadIdx.x * 4) : "memory");  //~
  asm volatile("cp.async.wait_all;" ::: "memory");
  b[threadIdx.x] = s[(threadIdx.x * 4 + 4) % 128];  //! thread=0 other_thread=1
}

//@ bug same_value_in_shared race block=64 args="int32[1] 7:int32" severity=warning hazard=write_after_write
extern "C" __global__ void same_value_in_shared(int* b, int n) {
  __shared__ int s;
  s = n;  //! thread=1 other_thread=0 count=63
  __syncthreads();
  if (threadIdx.x == 0) *b = s;
}

//@ bug same_but_for_one race block=64 args="int32[1]" hazard=write_after_write
extern "C" __global__ void same_but_for_one(int* b) {
  __shared__ int s;
  s = threadIdx.x == 40 ? 9 : 7;  //! severity=error thread=40 other_thread=39
  __syncthreads();
  if (threadIdx.x == 0) *b = s;
}

//@ bug through_a_generic_pointer race block=64 args="int32[64]= int32[64] 1:int32" hazard=read_after_write
extern "C" __global__ void through_a_generic_pointer(int* a, int* b, int which) {
  __shared__ int s[64];
  int* p = which ? s : a;
  p[threadIdx.x] = threadIdx.x;  //~
  b[threadIdx.x] = *(volatile int*)(p + (threadIdx.x ^ 1));  //! thread=0 other_thread=1 count=64 space=shared
}

//@ bug volatile_is_no_barrier race block=128 args="float32[128]= float32[128]"
extern "C" __global__ void volatile_is_no_barrier(const float* a, float* b) {
  __shared__ volatile float s[128];
  s[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = a[threadIdx.x];  //! hazard=write_after_read thread=0 other_thread=127 other_line=1 both_orders=True
  b[threadIdx.x] = s[127 - threadIdx.x];
}

//@ bug volatile_tail_of_a_reduction race block=64 args="float32[64]= float32[32]" severity=warning name=warp-synchronous
extern "C" __global__ void volatile_tail_of_a_reduction(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    volatile float* v = s;
    v[threadIdx.x] += v[threadIdx.x + 32];  //~
    b[threadIdx.x] = v[threadIdx.x] + v[(threadIdx.x + 16) % 32];  //! hazard=read_after_write
  }
}

//@ bug volatile_steps_that_read_the_neighbour_first race block=64 args="int32[64]= int32[1]" severity=warning name=warp-synchronous
extern "C" __global__ void volatile_steps_that_read_the_neighbour_first(const int* a, int* b) {
  __shared__ volatile int s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  __syncthreads();
  if (i < 32) {
    int theirs = s[i + 32];
    s[i] = theirs + s[i];
    __syncwarp();
    theirs = s[i + 16];  //~
    s[i] = theirs + s[i];  //! hazard=write_after_read
    __syncwarp();
    theirs = s[i + 8];
    s[i] = theirs + s[i];
  }
  __syncthreads();
  if (i == 0) *b = s[0];
}

//@ bug volatile_steps_in_a_loop race block=32 args="int32[64]= 16:int32 int32[1]" severity=warning name=warp-synchronous only=optimised
extern "C" __global__ void volatile_steps_in_a_loop(const int* a, int first, int* b) {
  __shared__ volatile int s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  s[i + 32] = a[i + 32];
  __syncthreads();
  for (int step = first; step > 0; step /= 2) s[i] += s[i + step];  //! hazard=write_after_read other_line=0
  if (i == 0) *b = s[0];
}

//@ bug neighbour_is_read_before_the_own race block=32 args="int32[32]= int32[32]" hazard=write_after_read
extern "C" __global__ void neighbour_is_read_before_the_own(const int* a, int* b) {
  __shared__ int s[48];
  int i = threadIdx.x;
  s[i] = a[i];
  if (i < 16) s[32 + i] = 0;
  __syncthreads();
  int before = s[i];
  __syncwarp();
  int theirs = s[i + 16];  //~
  asm volatile("" ::: "memory");  // the order of these reads is the point
  int own = s[i];
  s[i] = theirs + own;  //! thread=16 other_thread=0 count=16
  b[i] = before;
}

//@ good neighbour_is_read_in_a_step_of_its_own block=32 args="int32[32]= int32[32]"
extern "C" __global__ void neighbour_is_read_in_a_step_of_its_own(const int* a, int* b) {
  __shared__ int s[48];
  int i = threadIdx.x;
  s[i] = a[i];
  if (i < 16) s[32 + i] = 0;
  __syncthreads();
  int before = s[i];
  __syncwarp();
  int theirs = s[i + 16];
  __syncwarp();
  int own = s[i];
  s[i] = theirs + own;
  b[i] = before;
}

//@ bug all_read_what_the_last_lane_writes race block=32 args="int32[32]= int32[32]" hazard=write_after_read
extern "C" __global__ void all_read_what_the_last_lane_writes(const int* a, int* b) {
  __shared__ int s;
  int i = threadIdx.x;
  if (i == 0) s = a[0];
  __syncthreads();
  int before = i == 3 ? s : 0;
  __syncwarp();
  b[i] = s + before;  //~
  asm volatile("" ::: "memory");
  if (i == 31) s = a[1];  //! thread=31
}

//@ good volatile_flag_in_shared block=64 args="float32[1]"
extern "C" __global__ void volatile_flag_in_shared(float* b) {
  __shared__ volatile int ready;
  __shared__ float value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 40) {
    value = 3;
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x == 0) {
    while (ready == 0) {}
    __threadfence_block();
    *b = value;
  }
}

//@ bug three_arrays_without_a_barrier race block=64 args="int32[64]="
extern "C" __global__ void three_arrays_without_a_barrier(int* b) {
  __shared__ int s[64], t[64], u[64];
  s[threadIdx.x] = t[threadIdx.x] = u[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = b[threadIdx.x];  //! thread=0 says=the_same_missing_barrier_causes_2_more_races:
  t[threadIdx.x] = b[threadIdx.x] + 1;
  u[threadIdx.x] = b[threadIdx.x] + 2;
  int x = s[63 - threadIdx.x];
  int y = t[63 - threadIdx.x];
  int z = u[63 - threadIdx.x];
  b[threadIdx.x] = x + y + z;
}

// Two barriers are missing, not one.
//@ bug two_barriers_are_missing race block=64 args="int32[64]="
extern "C" __global__ void two_barriers_are_missing(int* b) {
  __shared__ int s[64], t[64];
  s[threadIdx.x] = t[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = b[threadIdx.x];  //! thread=0
  int x = s[63 - threadIdx.x];
  t[threadIdx.x] = x;  //! thread=0
  b[threadIdx.x] = t[63 - threadIdx.x];
}
