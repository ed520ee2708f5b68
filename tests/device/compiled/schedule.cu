// Threads, warps and blocks that wait for each other, and a result that depends on their order.
__device__ int lock_ = 0;
extern "C" __global__ void intra_warp_lock(int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock_, 0, 1) == 0) {
      *count += 1;
      __threadfence();
      atomicExch(&lock_, 0);
      done = true;
    }
  }
}
extern "C" __global__ void plain_lock(int* count) {
  while (atomicCAS(&lock_, 0, 1) != 0) {
  }
  *(volatile int*)count += 1;
  __threadfence();
  atomicExch(&lock_, 0);
}
// Block i waits for block i + 1, which starts later in the usual order.
extern "C" __global__ void chain(volatile int* flags, int* out) {
  int b = blockIdx.x, n = gridDim.x;
  if (threadIdx.x == 0) {
    if (b + 1 < n)
      while (flags[b + 1] == 0) {
      }
    out[b] = b + 1 < n ? out[b + 1] + 1 : 1;
    __threadfence();
    flags[b] = 1;
  }
}
// A barrier of the whole grid by hand, without a cooperative launch.
__device__ unsigned arrived_ = 0;
extern "C" __global__ void grid_barrier(int* a, int* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  a[i] = 3 * i;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived_, 1);
    while (*(volatile unsigned*)&arrived_ < gridDim.x) {
    }
  }
  __syncthreads();
  b[i] = a[n - 1 - i];
}
extern "C" __global__ void ranks(int* next, int* out) {
  int place = atomicAdd(next, 1);
  out[place] = blockIdx.x * blockDim.x + threadIdx.x;
}
extern "C" __global__ void waits_for_nobody(volatile int* flag) {
  if (threadIdx.x == 40) {
    while (*flag == 0) {
    }
  }
  __syncthreads();
}
__constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void reads_constant(int* out, int i) {
  const int* p = &table[i & 3];
  out[0] = *p + table[(i + 1) & 3];
}
extern "C" __global__ void address_of_constant(const int** out) { *out = &table[1]; }
extern "C" __global__ void writes_through(int* p) { *p = 5; }
extern "C" __global__ void adds_through(int* p) { atomicAdd(p, 5); }
