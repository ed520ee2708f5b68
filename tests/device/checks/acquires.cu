// Kernels that read a flag and acquire, or do not: the reader's side.
#define POLL(order) asm volatile("ld." order ".u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory")
#define HAND_OVER if (blockIdx.x == 0) { if (threadIdx.x == 0) { *data = 5; __threadfence(); atomicExch(flag, 1); } return; }

//@ bug relaxed_poll race grid=2 block=32 args="int32[1] int32[1]=0 int32[1]" hazard=read_after_write says=is_relaxed:_nothing_makes_the_write_visible
extern "C" __global__ void relaxed_poll(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      *data = 5;  //~
      __threadfence();
      atomicExch(flag, 1);
    }
    return;
  }
  unsigned seen = 0;
  if (threadIdx.x != 0) return;
  while (seen == 0) POLL("relaxed.gpu");
  *out = *data;  //! in_block=1 other_block=0
}

//@ bug acquire_of_the_block_between_blocks race grid=2 block=32 args="int32[1] int32[1]=0 int32[1]" hazard=read_after_write
extern "C" __global__ void acquire_of_the_block_between_blocks(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      *data = 5;  //~
      __threadfence();
      atomicExch(flag, 1);
    }
    return;
  }
  unsigned seen = 0;
  if (threadIdx.x != 0) return;
  while (seen == 0) POLL("acquire.cta");  //! says=atomic_only_for_threads_of_the_same_block other_line=-6
  *out = *data;  //! in_block=1 other_block=0 says=in_a_scope_that_does_not_hold_the_other_thread
}

//@ good acquire_of_the_device grid=2 block=32 args="int32[1] int32[1]=0 int32[1]"
extern "C" __global__ void acquire_of_the_device(int* data, int* flag, int* out) {
  HAND_OVER
  unsigned seen = 0;
  if (threadIdx.x != 0) return;
  while (seen == 0) POLL("acquire.gpu");
  *out = *data;
}

//@ good fence_behind_a_relaxed_poll grid=2 block=32 args="int32[1] int32[1]=0 int32[1]"
extern "C" __global__ void fence_behind_a_relaxed_poll(int* data, int* flag, int* out) {
  HAND_OVER
  unsigned seen = 0;
  if (threadIdx.x != 0) return;
  while (seen == 0) POLL("relaxed.gpu");
  __threadfence();
  *out = *data;
}

//@ bug strong_reads_without_an_acquire race grid=2 block=32 args="int32[1] int32[1]=0 int32[1]" hazard=read_after_write severity=warning name=order-by-barrier
extern "C" __global__ void strong_reads_without_an_acquire(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      *data = 5;  //~
      __threadfence();
      atomicExch(flag, 1);
    }
    return;
  }
  unsigned seen = 0;
  if (threadIdx.x != 0) return;
  while (seen == 0) POLL("volatile");
  *out = *(volatile int*)data;  //! in_block=1 other_block=0
}

//@ bug fence_of_another_lane_that_has_not_met race grid=2 block=32 args="int32[1] int32[1]=0 int32[32]" hazard=read_after_write count=31
extern "C" __global__ void fence_of_another_lane_that_has_not_met(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      *data = 5;  //~
      __threadfence();
      atomicExch(flag, 1);
    }
    return;
  }
  unsigned seen = threadIdx.x;
  while (seen == 0) POLL("acquire.gpu");
  out[threadIdx.x] = *data;  //! in_block=1 other_block=0 thread=1
}

//@ good warp_that_meets_behind_an_acquire grid=2 block=32 args="int32[1] int32[1]=0 int32[32]"
extern "C" __global__ void warp_that_meets_behind_an_acquire(int* data, int* flag, int* out) {
  HAND_OVER
  unsigned seen = threadIdx.x;
  while (seen == 0) POLL("acquire.gpu");
  __syncwarp();
  out[threadIdx.x] = *data;
}

//@ bug constant_load_of_an_array illegal_address grid=1 block=1 args="int32[1]= int32[1]" says=ld.const_reads_constant_memory
extern "C" __global__ void constant_load_of_an_array(const int* a, int* out) {
  int v;
  asm volatile("ld.const.s32 %0, [%1];" : "=r"(v) : "l"(a));  //!
  *out = v;
}
