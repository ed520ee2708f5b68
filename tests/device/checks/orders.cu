// Accesses that are ordered by way of others, and some that are not: chains of blocks, several readers, atomic operations of
// two widths, and lanes of one warp that wait for each other.
#include <cuda/atomic>
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

//@ bug writer_waits_for_one_of_two_readers race grid=3 block=1 args="int32[1]= int32[1]=0 int32[2]" hazard=write_after_read
// Block 1 reads last and says so; nothing says that block 0 has read.
extern "C" __global__ void writer_waits_for_one_of_two_readers(int* value, int* flag, int* out) {
  if (blockIdx.x == 0) {
    out[0] = *value;  //~
  } else if (blockIdx.x == 1) {
    out[1] = *value;
    Flag(*flag).store(1, cuda::memory_order_release);
  } else {
    while (Flag(*flag).load(cuda::memory_order_acquire) == 0) {}
    *value = 7;  //! in_block=2 other_block=0 count=1
  }
}

//@ bug barrier_of_two_of_three_warps race block=96 args="int32[32]= int32[96]" hazard=write_after_read
extern "C" __global__ void barrier_of_two_of_three_warps(const int* a, int* b) {
  __shared__ int s[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) s[lane] = a[lane];
  __syncthreads();
  if (threadIdx.x < 64) {
    b[threadIdx.x] = s[31 - lane];  //~
    if (threadIdx.x >= 32) asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    s[lane] = -1;  //! thread=64 count=32
    b[threadIdx.x] = s[lane];
  }
}

//@ bug message_passed_on_without_an_order race grid=3 block=1 args="int32[2]=0 int32[1] int32[1]" hazard=read_after_write
extern "C" __global__ void message_passed_on_without_an_order(int* flags, int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 5;  //~
    Flag(flags[0]).store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (Flag(flags[0]).load(cuda::memory_order_relaxed) == 0) {}
    Flag(flags[1]).store(1, cuda::memory_order_relaxed);
  } else {
    while (Flag(flags[1]).load(cuda::memory_order_acquire) == 0) {}
    *out = *data;  //! in_block=2 other_block=0
  }
}

//@ bug release_that_another_store_has_covered race grid=3 block=1 args="int32[1]=0 int32[1] int32[1]" hazard=read_after_write
// A store, unlike an atomic operation that reads and writes, begins anew: who sees 2 knows nothing of who stored 1.
extern "C" __global__ void release_that_another_store_has_covered(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 5;  //~
    Flag(*flag).store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (Flag(*flag).load(cuda::memory_order_relaxed) == 0) {}
    Flag(*flag).store(2, cuda::memory_order_relaxed);
  } else {
    while (Flag(*flag).load(cuda::memory_order_acquire) < 2) {}
    *out = *data;  //! in_block=2 other_block=0
  }
}

//@ bug rows_of_a_block_share_their_places race block=16x4 args="int32[64]= int32[64]"
extern "C" __global__ void rows_of_a_block_share_their_places(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.y * 16 + threadIdx.x;
  s[threadIdx.x] = a[i];  //! hazard=write_after_write thread=0,1 other_thread=0,0 other_line=0 count=48
  __syncthreads();
  b[i] = s[threadIdx.x];
}

//@ bug jump_past_the_end_of_its_table invalid_pc block=32 args="int32[32]= int32[32]"
extern "C" __global__ void jump_past_the_end_of_its_table(const int* a, int* b) {
  int v;
  asm volatile("{ places: .branchtargets FIRST, SECOND, THIRD;\n brx.idx %1, places;\n"
               "FIRST: mov.u32 %0, 1; bra LAST;\nSECOND: mov.u32 %0, 2; bra LAST;\nTHIRD: mov.u32 %0, 3;\nLAST: }"
               : "=r"(v) : "r"(threadIdx.x == 20 ? a[2] : (int)threadIdx.x % 3) : "memory");  //! thread=20 count=1
  b[threadIdx.x] = v;
}

//@ good message_over_a_third_block grid=3 block=32 args="int32[2]=0 int32[32] int32[32]"
extern "C" __global__ void message_over_a_third_block(int* flags, int* data, int* out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;
    __syncthreads();
    if (t == 0) Flag(flags[0]).store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    if (t != 9) return;
    while (Flag(flags[0]).load(cuda::memory_order_acquire) == 0) {}
    Flag(flags[1]).store(1, cuda::memory_order_release);
  } else {
    if (t == 5) while (Flag(flags[1]).load(cuda::memory_order_acquire) == 0) {}
    __syncthreads();
    out[t] = data[31 - t];
  }
}

//@ good count_that_others_go_on_with grid=3 block=1 args="int32[1]=0 int32[1] int32[1]"
// An atomic addition hands on what the one before it released, whatever its own order.
extern "C" __global__ void count_that_others_go_on_with(int* count, int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 5;
    Flag(*count).fetch_add(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    Flag(*count).fetch_add(1, cuda::memory_order_relaxed);
  } else {
    while (Flag(*count).load(cuda::memory_order_acquire) < 2) {}
    *out = *data;
  }
}

//@ good all_threads_fence_and_count grid=3 block=64 args="uint32[1]=0 int32[192] int32[192]"
extern "C" __global__ void all_threads_fence_and_count(unsigned* count, int* a, int* b) {
  int i = blockIdx.x * 64 + threadIdx.x;
  a[i] = i;
  __threadfence();
  atomicAdd(count, 1u);
  while (*(volatile unsigned*)count < 192) {}
  __threadfence();
  b[i] = a[191 - i];
}

// From sm_70 on each thread goes forward by itself.
//@ good lanes_of_a_warp_queue_for_a_lock block=64 args="int32[1]=0 int32[1]=0"
extern "C" __global__ void lanes_of_a_warp_queue_for_a_lock(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *sum += threadIdx.x;
  __threadfence();
  atomicExch(lock, 0);
}

//@ good lane_waits_for_another_of_its_warp block=32 args="int32[32]= int32[2]"
extern "C" __global__ void lane_waits_for_another_of_its_warp(const int* a, int* b) {
  __shared__ volatile int ready;
  __shared__ int value;
  if (threadIdx.x == 0) ready = 0;
  __syncwarp();
  if (threadIdx.x == 3) {
    while (ready == 0) {}
    __threadfence_block();
    b[0] = value;
  } else if (threadIdx.x == 17) {
    value = a[17];
    __threadfence_block();
    ready = 1;
  }
}

//@ good several_readers_are_waited_for grid=4 block=1 args="int32[1]= int32[1]=0 int32[3]"
extern "C" __global__ void several_readers_are_waited_for(int* value, int* done, int* out) {
  if (blockIdx.x < 3) {
    out[blockIdx.x] = *value;
    Flag(*done).fetch_add(1, cuda::memory_order_release);
  } else {
    while (Flag(*done).load(cuda::memory_order_acquire) < 3) {}
    *value = 7;
  }
}

//@ good turns_of_two_blocks grid=2 block=32 args="int32[1]=0 int32[32]=0"
// Blocks change what the other has left, in turns.
extern "C" __global__ void turns_of_two_blocks(int* turn, int* a) {
  for (int round = blockIdx.x; round < 8; round += 2) {
    if (threadIdx.x == 0) while (Flag(*turn).load(cuda::memory_order_acquire) != round) {}
    __syncthreads();
    int v = a[31 - threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = v * 2 + round;
    __syncthreads();
    if (threadIdx.x == 0) Flag(*turn).store(round + 1, cuda::memory_order_release);
  }
}
