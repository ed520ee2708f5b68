// Data races, and code that looks like one and is correct.

//@ bug write_write_block race grid=1 block=64 args="int32[1]=" hazard=write_after_write argument=a
extern "C" __global__ void write_write_block(int* a) {
  a[0] = threadIdx.x;  //! //~
}

//@ bug shared_no_barrier race grid=1 block=64 args="int32[64]= int32[64]"
extern "C" __global__ void shared_no_barrier(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = a[i];  //! hazard=write_after_read thread=32 other_thread=31 other_line=2 both_orders=True count=64
  // The first warp reads what the second has not written, which then reads what the first one has.
  b[i] = s[63 - i];  //! uninitialised thread=0
}

//@ good shared_with_barrier grid=3 block=64 args="int32[64]= int32[64]"
extern "C" __global__ void shared_with_barrier(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  __syncthreads();
  if (blockIdx.x == 0) b[i] = s[63 - i];
}

//@ bug write_after_read race grid=1 block=64 args="int32[64]= int32[64]"
extern "C" __global__ void write_after_read(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  __syncthreads();
  // The second warp, which ends the barrier, goes first.
  int v = s[(i + 32) % 64];  //! hazard=read_after_write thread=0 other_thread=32 other_line=1 both_orders=True count=64
  s[i] = v;
  __syncthreads();
  b[i] = s[i];
}

//@ bug in_one_warp race grid=1 block=32 args="int32[32]= int32[32]" hazard=read_after_write
extern "C" __global__ void in_one_warp(const int* a, int* b) {
  __shared__ volatile int s[32];
  __shared__ int t[32];
  int i = threadIdx.x;
  t[i] = a[i];       //~
  s[i] = 1;
  b[i] = t[31 - i];  //!
}

//@ good in_one_warp_synced grid=1 block=32 args="int32[32]= int32[32]"
extern "C" __global__ void in_one_warp_synced(const int* a, int* b) {
  __shared__ int t[32];
  int i = threadIdx.x;
  t[i] = a[i];
  __syncwarp();
  b[i] = t[31 - i];
}

//@ bug half_warp_synced race grid=1 block=32 args="int32[32]= int32[32]" hazard=read_after_write
extern "C" __global__ void half_warp_synced(const int* a, int* b) {
  __shared__ int t[32];
  int i = threadIdx.x;
  t[i] = a[i];  //~
  if (i < 16) __syncwarp(0xffff);
  b[i] = t[31 - i];  //!
}

//@ bug blocks_write_one race grid=4 block=32 args="int32[32]=" hazard=write_after_write in_block=1
extern "C" __global__ void blocks_write_one(int* a) {
  a[threadIdx.x] = blockIdx.x;  //! //~
}

//@ bug same_value race grid=4 block=32 args="int32[1]=0" severity=warning
extern "C" __global__ void same_value(int* a) {
  a[0] = 7;  //!
}

//@ bug neighbour_block race grid=4 block=32 args="int32[129]="
extern "C" __global__ void neighbour_block(int* a) {
  int i = blockIdx.x * 32 + threadIdx.x;
  int v = a[i + 1];  //~
  __syncthreads();
  a[i] = v;          //! hazard=write_after_read thread=0 in_block=1 other_thread=31 other_block=0 count=3
}

//@ bug counter_without_atomic race grid=2 block=64 args="int32[1]=0"
extern "C" __global__ void counter_without_atomic(int* a) {
  a[0] += 1;  //! //~
}

//@ good counter_atomic grid=8 block=64 args="int32[1]=0"
extern "C" __global__ void counter_atomic(int* a) { atomicAdd(a, 1); }

//@ bug atomic_and_plain race grid=2 block=32 args="int32[1]=0 int32[64]"
extern "C" __global__ void atomic_and_plain(int* a, int* b) {
  atomicAdd(a, 1);
  b[blockIdx.x * 32 + threadIdx.x] = a[0];  //! hazard=read_after_write thread=0 other_thread=31 other_line=-1 both_orders=True
}

//@ bug flag_without_fence race grid=2 block=32 args="int32[1]=0 int32[32]=0 int32[32]=0"
extern "C" __global__ void flag_without_fence(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 5;  //~
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    if (threadIdx.x == 0) while (atomicAdd(flag, 0) == 0) {}
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];  //!
  }
}

//@ good flag_with_fence grid=2 block=64 args="int32[1]=0 int32[64]=0 int32[64]=0"
extern "C" __global__ void flag_with_fence(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 5;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(flag, 0) == 0) {}
      __threadfence();
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}

//@ bug fence_without_barrier race grid=2 block=64 args="int32[1]=0 int32[64]=0 int32[64]=0"
extern "C" __global__ void fence_without_barrier(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 5;  //~
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (threadIdx.x == 0) while (atomicAdd(flag, 0) == 0) {}
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];  //!
  }
}

//@ bug fence_of_the_block race grid=2 block=32 args="int32[1]=0 int32[32]=0 int32[32]=0"
extern "C" __global__ void fence_of_the_block(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 5;  //~
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence_block();
      atomicExch(flag, 1);
    }
  } else {
    if (threadIdx.x == 0) while (atomicAdd(flag, 0) == 0) {}
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];  //!
  }
}

//@ good last_block grid=6 block=64 args="int32[384]= int32[6]=0 int32[1]=0 int32[1]=0"
extern "C" __global__ void last_block(const int* a, int* part, unsigned* count, int* out) {
  __shared__ int s[64];
  __shared__ bool last;
  int i = threadIdx.x;
  s[i] = a[blockIdx.x * 64 + i];
  for (int step = 32; step > 0; step /= 2) {
    __syncthreads();
    if (i < step) s[i] += s[i + step];
  }
  if (i == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && i == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += part[b];
    *out = sum;
  }
}

//@ good spin_lock grid=4 block=32 args="int32[1]=0 int32[1]=0"
extern "C" __global__ void spin_lock(int* lock, int* value) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *value += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

//@ bug lock_without_fence race grid=4 block=1 args="int32[1]=0 int32[1]=0"
extern "C" __global__ void lock_without_fence(int* lock, int* value) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  *value += 1;  //! //~
  atomicExch(lock, 0);
}

//@ good warp_aggregated grid=4 block=64 args="int32[1]=0 int32[256]"
extern "C" __global__ void warp_aggregated(int* count, int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i % 3 == 0) {
    unsigned mask = __activemask();
    int leader = __ffs(mask) - 1, lane = threadIdx.x % 32, base = 0;
    if (lane == leader) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    out[base + __popc(mask & ((1u << lane) - 1))] = i;
  }
}

//@ good bytes_beside grid=1 block=64 args="uint8[64]"
extern "C" __global__ void bytes_beside(unsigned char* a) { a[threadIdx.x] = threadIdx.x; }

//@ good named_barriers grid=1 block=64 args="int32[64]= int32[64]"
extern "C" __global__ void named_barriers(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  if (i < 32) {
    s[i] = a[i];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    b[i] = s[i - 32];
  }
}

//@ good tree_reduction grid=4 block=128 args="float32[512]= float32[4]"
extern "C" __global__ void tree_reduction(const float* a, float* b) {
  __shared__ float s[128];
  int i = threadIdx.x;
  s[i] = a[blockIdx.x * 128 + i];
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (i < step) s[i] += s[i + step];
    __syncthreads();
  }
  if (i == 0) b[blockIdx.x] = s[0];
}

//@ bug tree_without_barrier race grid=1 block=128 args="float32[128]= float32[1]"
extern "C" __global__ void tree_without_barrier(const float* a, float* b) {
  __shared__ float s[128];
  int i = threadIdx.x;
  s[i] = a[i];
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (i < step) s[i] += s[i + step];  //! //~
  }
  if (i == 0) b[0] = s[0];
}

//@ good double_buffer grid=2 block=64 args="int32[64]= int32[128]"
extern "C" __global__ void double_buffer(const int* a, int* b) {
  __shared__ int s[2][64];
  int i = threadIdx.x;
  s[0][i] = a[i];
  for (int round = 0; round < 8; ++round) {
    __syncthreads();
    s[1 - round % 2][i] = s[round % 2][(i + 1) % 64] + 1;
  }
  __syncthreads();
  b[blockIdx.x * 64 + i] = s[0][i];
}
