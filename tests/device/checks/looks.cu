// Plain and volatile reads beside atomic operations, and volatile ones in functions.

//@ good volatile_look_before_an_atomic_maximum block=64 args="int32[64]= int32[1]"
extern "C" __global__ void volatile_look_before_an_atomic_maximum(const int* a, int* b) {
  __shared__ int best;
  int v = a[threadIdx.x];
  if (threadIdx.x == 0) best = -1;
  __syncthreads();
  if (*(volatile int*)&best < v) atomicMax(&best, v);
  __syncthreads();
  if (threadIdx.x == 0) *b = best;
}

//@ good volatile_look_before_a_swap block=64 args="float32[64]= float32[1]"
extern "C" __global__ void volatile_look_before_a_swap(const float* a, float* b) {
  __shared__ float most;
  float v = a[63 - threadIdx.x];
  if (threadIdx.x == 0) most = -1;
  __syncthreads();
  int *p = (int*)&most, old = *(volatile int*)p, assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= v) break;
    old = atomicCAS(p, assumed, __float_as_int(v));
  } while (old != assumed);
  __syncthreads();
  if (threadIdx.x == 0) *b = most;
}

// Both are on thousands of pages: who finds a greater value leaves without a swap.
__device__ float greater_or_leave(float* to, float v) {
  int *p = (int*)to, old = *p, assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= v) break;
    old = atomicCAS(p, assumed, __float_as_int(v));
  } while (assumed != old);
  return __int_as_float(old);
}
__device__ float while_greater(float* to, float v) {
  int *p = (int*)to, old = *p;
  while (v > __int_as_float(old)) {
    int assumed = old;
    old = atomicCAS(p, assumed, __float_as_int(v));
    if (old == assumed) break;
  }
  return __int_as_float(old);
}

//@ good swaps_with_an_early_end grid=4 block=64 args="float32[256]= float32[2]=0"
extern "C" __global__ void swaps_with_an_early_end(const float* a, float* b) {
  greater_or_leave(b, a[blockIdx.x * 64 + threadIdx.x]);
  while_greater(b + 1, a[255 - blockIdx.x * 64 - threadIdx.x]);
}

//@ good swaps_in_shared_memory_with_an_early_end block=128 args="float32[128]= float32[2]"
extern "C" __global__ void swaps_in_shared_memory_with_an_early_end(const float* a, float* b) {
  __shared__ float most[2];
  if (threadIdx.x < 2) most[threadIdx.x] = 0;
  __syncthreads();
  greater_or_leave(most, a[threadIdx.x]);
  while_greater(most + 1, a[127 - threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 2) b[threadIdx.x] = most[threadIdx.x];
}

//@ bug volatile_look_at_what_another_sets race block=64 args="int32[64]"
extern "C" __global__ void volatile_look_at_what_another_sets(int* b) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) atomicExch((int*)&flag, 1);  //! other_line=1
  b[threadIdx.x] = flag;
}

//@ bug look_at_what_others_add_to race block=64 args="int32[1]=0 int32[64]"
extern "C" __global__ void look_at_what_others_add_to(int* a, int* b) {
  atomicAdd(a, 1);
  b[threadIdx.x] = *a;  //! hazard=read_after_write thread=0
}

//@ bug last_warp_in_a_function race block=64 args="int32[64]= int32[1]" severity=warning name=warp-synchronous
__device__ __noinline__ void last_warp(volatile int* s, unsigned t) {
  s[t] += s[t + 32];  //~
  s[t] += s[t + 16];  //! hazard=read_after_write
}

extern "C" __global__ void last_warp_in_a_function(const int* a, int* b) {
  __shared__ int s[96];
  unsigned t = threadIdx.x;
  s[t] = a[t];
  if (t < 32) s[t + 64] = 0;
  __syncthreads();
  if (t < 32) last_warp(s, t);
  if (t == 0) *b = s[0];
}

//@ bug last_two_warps_in_a_function race block=64 args="int32[64]= int32[1]"
__device__ __noinline__ void two_warps(volatile int* s, unsigned t) {
  int other = s[t + 32];  //! race thread=0 hazard=read_after_write other_line=1
  s[t] = other;
}

extern "C" __global__ void last_two_warps_in_a_function(const int* a, int* b) {
  __shared__ int s[128];
  unsigned t = threadIdx.x;
  s[t] = a[t];
  s[t + 64] = 0;
  __syncthreads();
  two_warps(s, t);
  __syncthreads();
  if (t == 0) *b = s[0];
}

__device__ __noinline__ int look(volatile int* flag) { return *flag; }

//@ good look_again_and_again_in_a_function block=64 args="int32[64]= int32[64]"
extern "C" __global__ void look_again_and_again_in_a_function(const int* a, int* b) {
  __shared__ int flag, value;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 40) {
    value = a[5];
    __threadfence_block();
    *(volatile int*)&flag = 1;
  }
  if (threadIdx.x < 32) {
    while (look(&flag) == 0) {}
    __threadfence_block();
    b[threadIdx.x] = *(volatile int*)&value;
  }
}
