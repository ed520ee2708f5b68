// Accesses that another one, in order with what comes next, must not hide from the race check.

//@ bug own_atomic_before_the_last_block_reads race only=optimised grid=4 block=32 args="int32[32]=0 uint32[1]=0 int32[32]" hazard=read_after_write
extern "C" __global__ void own_atomic_before_the_last_block_reads(int* d, unsigned* count, int* out) {
  __shared__ bool last;
  int t = threadIdx.x;
  atomicAdd(&d[t], 1);  //~
  __syncthreads();
  if (t == 0) {
    last = atomicAdd(count, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) out[t] = d[t];  //! thread=0 in_block=3 other_block=2 count=32
}

//@ bug own_float_atomic_before_the_last_block_writes race only=optimised grid=3 block=32 args="float32[32]=0 uint32[1]=0" hazard=write_after_write
extern "C" __global__ void own_float_atomic_before_the_last_block_writes(float* d, unsigned* count) {
  int t = threadIdx.x;
  atomicAdd(&d[t], 1.0f);  //~
  __syncthreads();
  if (t != 0) return;
  if (atomicAdd(count, 1u) == gridDim.x - 1) d[5] = 0;  //! thread=0 in_block=2 other_block=1
}

//@ bug one_block_of_four_has_no_fence race only=optimised grid=4 block=32 args="int32[32]=0 uint32[1]=0 int32[32]" hazard=read_after_write
extern "C" __global__ void one_block_of_four_has_no_fence(int* d, unsigned* count, int* out) {
  __shared__ bool last;
  int t = threadIdx.x;
  atomicAdd(&d[t], 1);  //~
  if (blockIdx.x != 1) __threadfence();
  __syncthreads();
  if (t == 0) {
    last = atomicAdd(count, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) out[t] = d[t];  //! thread=0 in_block=3 other_block=1 count=32
}

//@ bug first_thread_fences_for_all_without_a_barrier race grid=3 block=64 args="int32[1]=0 uint32[1]=0 int32[1]" hazard=read_after_write
extern "C" __global__ void first_thread_fences_for_all_without_a_barrier(int* sum, unsigned* count, int* out) {
  atomicAdd(sum, (int)threadIdx.x);  //~
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(count, 1u) == gridDim.x - 1) *out = *sum;  //! in_block=2
}

//@ bug lane_reads_what_its_warp_adds race only=optimised block=32 args="int32[1]" hazard=read_after_write
extern "C" __global__ void lane_reads_what_its_warp_adds(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);  //~
  if (threadIdx.x == 31) *out = sum;  //! thread=31 other_thread=0
}

//@ bug warp_reads_what_the_block_adds race only=optimised block=64 args="int32[1]" hazard=read_after_write
extern "C" __global__ void warp_reads_what_the_block_adds(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);  //~
  __syncwarp();
  if (threadIdx.x == 31) *out = sum;  //! thread=31 other_thread=63
}

//@ bug atomics_after_a_plain_write_of_another_block race grid=3 block=1 args="int32[1] int32[1]=0" hazard=write_after_write
extern "C" __global__ void atomics_after_a_plain_write_of_another_block(int* d, int* flag) {
  if (blockIdx.x == 0) {
    *d = 5;  //~
    __threadfence();
    atomicExch(flag, 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    atomicAdd(d, 1);
  } else {
    atomicAdd(d, 1);  //! in_block=2 other_block=0
  }
}

//@ bug last_warps_read_is_not_the_only_one race grid=2 block=64 args="int32[64]= int32[128]" hazard=write_after_read
extern "C" __global__ void last_warps_read_is_not_the_only_one(int* a, int* out) {
  out[blockIdx.x * 64 + threadIdx.x] = a[0];  //~
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 0) a[0] = 7;  //! in_block=1 other_block=0
}

//@ bug volatile_reads_behind_a_plain_one race grid=4 block=1 args="int32[1]=0 int32[4]" hazard=write_after_read
extern "C" __global__ void volatile_reads_behind_a_plain_one(int* a, int* out) {
  int b = blockIdx.x;
  if (b == 0) out[b] = *a;  //~
  else if (b < 3) asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(out[b]) : "l"(a));
  else atomicAdd(a, 1);  //! in_block=3 other_block=0
}

//@ bug same_value_beside_a_read race grid=3 block=32 args="int32[1]=0 int32[1]" hazard=write_after_read
extern "C" __global__ void same_value_beside_a_read(int* a, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) *a = 1;
  } else if (blockIdx.x == 1) {
    if (threadIdx.x == 0) *out = *(volatile int*)a;  //!  hazard=read_after_write other_line=-2
  } else if (threadIdx.x == 0) *a = 1;  //! in_block=2 other_line=-1
}

//@ good last_block_resets_its_counter grid=4 block=64 args="int32[256]= int32[4] uint32[1]=0 int32[1]"
extern "C" __global__ void last_block_resets_its_counter(const int* a, int* part, unsigned* count, int* out) {
  __shared__ int sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, a[blockIdx.x * 64 + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  int all = 0;
  for (int i = 0; i < gridDim.x; ++i) all += part[i];
  *out = all;
  *count = 0;
}

//@ good last_block_reads_sums_of_atomics grid=4 block=64 args="int32[64]=0 uint32[1]=0 int32[64]"
extern "C" __global__ void last_block_reads_sums_of_atomics(int* d, unsigned* count, int* out) {
  __shared__ bool last;
  atomicAdd(&d[threadIdx.x], 1);
  atomicAdd(&d[0], 1);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(count, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  out[threadIdx.x] = d[threadIdx.x];
  d[threadIdx.x] = 0;
  if (threadIdx.x == 0) *count = 0;
}

//@ good last_thread_resets_a_shared_counter block=64 args="int32[1]"
extern "C" __global__ void last_thread_resets_a_shared_counter(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (atomicAdd(&count, 1) == 63) {
    *out = 1;
    count = 0;
  }
}

//@ good waits_for_all_then_resets grid=3 block=1 cooperative=1 args="int32[1]=0"
extern "C" __global__ void waits_for_all_then_resets(int* arrived) {
  __threadfence();
  atomicAdd(arrived, 1);
  if (blockIdx.x != 0) return;
  while (*(volatile int*)arrived != 3) {}
  __threadfence();
  *arrived = 0;
}

//@ good counter_of_a_block_in_global_memory grid=3 block=64 args="int32[3] int32[3]"
extern "C" __global__ void counter_of_a_block_in_global_memory(int* counts, int* out) {
  if (threadIdx.x == 0) counts[blockIdx.x] = 0;
  __syncthreads();
  atomicAdd(counts + blockIdx.x, 1);
  __syncthreads();
  if (threadIdx.x == 63) out[blockIdx.x] = counts[blockIdx.x];

}

//@ bug relaxed_store_over_a_release race grid=3 block=1 args="int32[1]=0 int32[1] int32[1]" hazard=read_after_write
extern "C" __global__ void relaxed_store_over_a_release(volatile int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 5;  //~
    __threadfence();
    *flag = 1;
  } else if (blockIdx.x == 1) {
    while (*flag == 0) {}
    *flag = 2;
  } else {
    while (*flag != 2) {}
    __threadfence();
    *out = *data;  //! in_block=2 other_block=0
  }
}

//@ bug barrier_missing_before_many_reads race block=64 args="float32[64]= float32[64]" hazard=read_after_write
extern "C" __global__ void barrier_missing_before_many_reads(const float* a, float* b) {
  __shared__ float s[72];
  int t = threadIdx.x;
  s[t] = 0;
  if (t < 8) s[64 + t] = 0;
  __syncthreads();
  s[t] = a[t];  //~
  float sum = 0;
  sum += s[t + 1];  //! says=the_same_missing_barrier_causes_7_more_races:
  sum += 2 * s[t + 2];
  sum += 3 * s[t + 3];
  sum += 4 * s[t + 4];
  sum += 5 * s[t + 5];
  sum += 6 * s[t + 6];
  sum += 7 * s[t + 7];
  sum += 8 * s[t + 8];
  b[t] = sum;
}
