// Barriers and warp operations that not everybody reaches, and threads that wait for ever.
//@ least 80

//@ bug barrier_under_a_condition sync most=90 block=64 args="int32[64]" hazard=in_warp
extern "C" __global__ void barrier_under_a_condition(int* a) {
  if (threadIdx.x % 4 == 0) {
    a[threadIdx.x] = 1;
    __syncthreads();  //! thread=0 other_thread=1 other_line=3 only=debug ; hazard=in_block thread=32 other_thread=1 other_line=3 only=debug
  } else {
    a[threadIdx.x] = 2;
    asm volatile("bar.sync 0;");  //! thread=1 other_thread=0 other_line=-3 only=optimised ; hazard=in_block thread=33 other_thread=0 other_line=-3 only=optimised
  }
}

//@ bug exit_before_the_barrier barrier block=64 args="int32[64]"
extern "C" __global__ void exit_before_the_barrier(int* a) {
  if (threadIdx.x == 5) asm volatile("bar.sync 1, 64;");  //! thread=5 says=1_of_64
  else a[threadIdx.x] = 1;
}

//@ bug one_warp_too_few barrier block=96 args="int32[96]"
extern "C" __global__ void one_warp_too_few(int* a) {
  a[threadIdx.x] = 1;
  if (threadIdx.x < 64) asm volatile("bar.sync 2, 96;");  //! thread=0 says=64_of_96 count=64
}

//@ bug counts_that_differ barrier block=64 args="int32[64]"
extern "C" __global__ void counts_that_differ(int* a) {
  a[threadIdx.x] = 1;
  if (threadIdx.x < 32) asm volatile("bar.sync 3, 64;");  //! thread=0
  else asm volatile("bar.sync 3, 96;");  //! thread=32 says=of_96
}

//@ bug barrier_that_does_not_exist barrier block=32 args="int32[32] 16:int32"
extern "C" __global__ void barrier_that_does_not_exist(int* a, int n) {
  asm volatile("bar.sync %0;" ::"r"(n));  //! thread=0 says=barrier_16
  a[threadIdx.x] = 1;
}

//@ bug count_that_is_no_multiple barrier block=64 args="int32[64] 40:int32"
extern "C" __global__ void count_that_is_no_multiple(int* a, int n) {
  asm volatile("bar.sync 1, %0;" ::"r"(n));  //! thread=0 says=multiple
  a[threadIdx.x] = 1;
}

//@ bug two_barriers_crossed barrier block=64 args="int32[64]"
extern "C" __global__ void two_barriers_crossed(int* a) {
  a[threadIdx.x] = 1;
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;");  //! thread=0 says=32_of_64_threads_wait_at_barrier_1
    asm volatile("bar.sync 2, 64;");
  } else {
    asm volatile("bar.sync 2, 64;");  //! thread=32 says=barrier_2
    asm volatile("bar.sync 1, 64;");
  }
}

//@ bug barrier_in_an_uneven_loop barrier block=64 args="int32[64]="
extern "C" __global__ void barrier_in_an_uneven_loop(int* a) {
  int rounds = threadIdx.x < 32 ? 2 : 3;
  #pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    a[threadIdx.x] += i;
    asm volatile("bar.sync 1, 64;" ::: "memory");  //! thread=32 says=32_of_64
  }
}

//@ bug only_the_last_block_waits barrier grid=3 block=64 args="int32[192]"
extern "C" __global__ void only_the_last_block_waits(int* a) {
  a[blockIdx.x * 64 + threadIdx.x] = 1;
  if (blockIdx.x < 2 || threadIdx.x < 32) asm volatile("bar.sync 4, 64;");  //! thread=0 in_block=2
}

//@ bug consumer_without_producer barrier block=64 args="int32[64]"
extern "C" __global__ void consumer_without_producer(int* a) {
  if (threadIdx.x < 32) {
    a[threadIdx.x] = 1;
    asm volatile("bar.arrive 1, 64;");
  } else {
    asm volatile("bar.sync 1, 64;");
    asm volatile("bar.sync 1, 64;");  //! thread=32 says=32_of_64
  }
}

//@ bug caller_not_in_the_mask sync block=32 args="int32[32]" hazard=Invalid
extern "C" __global__ void caller_not_in_the_mask(int* a) {
  a[threadIdx.x] = __shfl_sync(0x7fffffff, (int)threadIdx.x, 0);  //! thread=31 count=1
}

//@ bug caller_not_in_the_votes_mask sync block=32 args="uint32[32] 4294967294:uint32" hazard=Invalid
extern "C" __global__ void caller_not_in_the_votes_mask(unsigned* a, unsigned mask) {
  a[threadIdx.x] = __ballot_sync(mask, 1);  //! thread=0 count=1
}

//@ bug empty_mask sync block=32 args="int32[32] 0:uint32" hazard=Invalid
extern "C" __global__ void empty_mask(int* a, unsigned mask) {
  a[threadIdx.x] = 1;
  __syncwarp(mask);  //! thread=0 count=32
}

//@ bug lanes_that_left_are_read sync block=64 args="int32[64] 50:int32" hazard=in_warp
extern "C" __global__ void lanes_that_left_are_read(int* a, int n) {
  if (threadIdx.x >= n) return;
  a[threadIdx.x] = __shfl_down_sync(0xffffffff, (int)threadIdx.x, 2);  //! thread=48 count=2 says=lanes_18,_19
}

//@ bug barrier_for_half_of_the_block sync block=64 args="int32[64]" hazard=in_block
extern "C" __global__ void barrier_for_half_of_the_block(int* a) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 32) __syncthreads();  //! thread=0 count=32 says=gone_past other_thread=32 other_line=1
  a[threadIdx.x] = s[threadIdx.x];
}

//@ bug barrier_for_odd_threads sync block=64 args="int32[64]" hazard=in_warp
extern "C" __global__ void barrier_for_odd_threads(int* a) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x % 2) __syncthreads();  //! thread=1 says=gone_past other_thread=0
  a[threadIdx.x] = s[threadIdx.x];
}

//@ bug barrier_in_the_reductions_branch sync block=64 args="int32[64]= int32[1]" hazard=in_block
extern "C" __global__ void barrier_in_the_reductions_branch(const int* a, int* b) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  #pragma unroll 1
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      s[threadIdx.x] += s[threadIdx.x + half];
      __syncthreads();  //! thread=0 says=gone_past
    }
  }
  if (threadIdx.x == 0) *b = s[0];
}

//@ bug rounds_that_differ sync block=64 args="int32[64]=" hazard=in_warp
extern "C" __global__ void rounds_that_differ(int* a) {
  #pragma unroll 1
  for (int i = 0; i < (int)threadIdx.x % 3 + 1; ++i) {
    a[threadIdx.x] += i;
    __syncthreads();  //! says=gone_past
  }
  a[threadIdx.x] += 1;
}

//@ good early_return_before_barriers block=64 args="int32[64] 50:int32"
extern "C" __global__ void early_return_before_barriers(int* a, int n) {
  __shared__ int s[64];
  if (threadIdx.x >= n) return;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  #pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    int v = s[(threadIdx.x + 1) % n];
    __syncthreads();
    s[threadIdx.x] = v;
    __syncthreads();
  }
  a[threadIdx.x] = s[threadIdx.x];
}

//@ good leaving_a_tree_of_barriers block=64 args="int32[64]= int32[1]"
extern "C" __global__ void leaving_a_tree_of_barriers(const int* a, int* b) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x >= half) return;
    s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  *b = s[0];
}

//@ good barriers_of_some_blocks grid=4 block=64 args="int32[256]"
extern "C" __global__ void barriers_of_some_blocks(int* a) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (blockIdx.x % 2) __syncthreads();
  a[blockIdx.x * 64 + threadIdx.x] = blockIdx.x % 2 ? s[63 - threadIdx.x] : s[threadIdx.x];
}

//@ good votes_after_an_early_return block=64 args="int32[64] 50:int32"
extern "C" __global__ void votes_after_an_early_return(int* a, int n) {
  if (threadIdx.x >= n) return;
  int v = __any_sync(0xffffffff, threadIdx.x > 3) + __popc(__ballot_sync(0xffffffff, 1));
  __syncwarp();
  a[threadIdx.x] = v + __shfl_sync(0xffffffff, v, 0);
}

//@ bug lanes_in_the_other_branch barrier block=32 args="int32[32]"
extern "C" __global__ void lanes_in_the_other_branch(int* a) {
  if (threadIdx.x < 8) {
    a[threadIdx.x] = __shfl_xor_sync(0xffffffff, (int)threadIdx.x, 1);  //! thread=0 count=8
  } else {
    asm volatile("bar.sync 1, 32;");  //! thread=8 says=24_of_32
  }
}

//@ bug different_operations barrier block=32 args="int32[32]"
extern "C" __global__ void different_operations(int* a) {
  if (threadIdx.x < 16) a[threadIdx.x] = __shfl_sync(0xffffffff, (int)threadIdx.x, 0);  //! thread=0 count=16
  else a[threadIdx.x] = __any_sync(0xffffffff, threadIdx.x == 20);  //! thread=16 count=16
}

//@ bug masks_that_differ barrier block=32 args="int32[32]"
extern "C" __global__ void masks_that_differ(int* a) {
  if (threadIdx.x < 16) __syncwarp(0x0001ffff);  //! thread=0 count=16
  else __syncwarp(0xffff0000);
  a[threadIdx.x] = 1;
  if (threadIdx.x >= 16) __syncwarp(0xffff0001);  //! thread=16 count=16
}

//@ bug loops_of_other_lengths sync block=32 args="int32[32]=" hazard=in_warp
extern "C" __global__ void loops_of_other_lengths(int* a) {
  int v = a[threadIdx.x];
  #pragma unroll 1
  for (int i = 0; i < (threadIdx.x < 31 ? 3 : 2); ++i) v += __shfl_down_sync(0xffffffff, v, 1);  //! thread=30 count=1 says=lane_31
  a[threadIdx.x] = v;
}

//@ bug mbarrier_waits_for_ever barrier block=32 args="int32[32]"
extern "C" __global__ void mbarrier_waits_for_ever(int* a) {
  __shared__ __align__(8) unsigned long long bar;
  unsigned at = (unsigned)__cvta_generic_to_shared(&bar), done;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 33;" ::"r"(at) : "memory");
  __syncwarp();
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
  do {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");  //! thread=31 count=32 says=1_of_33_arrivals
  } while (!done);
  a[threadIdx.x] = 1;
}

//@ bug lock_never_given_back limit grid=2 block=1 args="int32[1]=0 int32[1]=0"
extern "C" __global__ void lock_never_given_back(int* lock, int* a) {
  while (atomicCAS(lock, 0, 1) != 0) {}  //! waiting in_block=1 thread=0
  *a = 1;  //! limit
}


//@ bug barrier_of_a_function sync block=64 args="int32[64]"
__device__ __noinline__ void all_meet() {
  __syncthreads();  //! thread=32 other_thread=0 hazard=in_block says=wait_for_each_other_at_different_barriers
}
extern "C" __global__ void barrier_of_a_function(int* b) {
  if (threadIdx.x < 32) {
    b[threadIdx.x] = 1;
    all_meet();
  } else {
    all_meet();
    b[threadIdx.x] = 2;
  }
}

//@ bug one_shuffle_after_half_have_left sync block=32 args="int32[1] int32[18]="
extern "C" __global__ void one_shuffle_after_half_have_left(int* b, const int* a) {
  if (threadIdx.x >= 18) return;
  int v = a[threadIdx.x];
#pragma unroll 1
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);  //! thread=2 says=that_have_left_the_kernel:_lanes_18_to_31
  if (threadIdx.x == 0) b[0] = v;
}

//@ bug product_by_half_a_warp sync block=64 args="int32[64]" hazard=in_warp
extern "C" __global__ void product_by_half_a_warp(int* a) {
  int c = 0, d = 0;
  if (threadIdx.x % 32 < 16)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %2}, {%3}, {%0, %1};" : "+r"(c), "+r"(d) : "r"(0), "r"(0));  //! thread=0 count=32
  a[threadIdx.x] = c + d;
}

//@ bug product_after_a_lane_has_left sync block=32 args="int32[32]" hazard=in_warp
extern "C" __global__ void product_after_a_lane_has_left(int* a) {
  int c = 0, d = 0;
  if (threadIdx.x == 31) return;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %2}, {%3}, {%0, %1};" : "+r"(c), "+r"(d) : "r"(0), "r"(0));  //! thread=0 count=31
  a[threadIdx.x] = c + d;
}

//@ bug rows_by_a_part_of_a_warp sync block=48 args="int32[48]" hazard=in_warp
extern "C" __global__ void rows_by_a_part_of_a_warp(int* a) {
  __shared__ __align__(16) int rows[2][32];
  const int i = threadIdx.x;
  for (int k = i; k < 64; k += 48) rows[k / 32][k % 32] = k;
  __syncthreads();
  int r;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&rows[i / 32][i % 8 * 4]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at) : "memory");  //! thread=32 count=16
  a[i] = r;
}
