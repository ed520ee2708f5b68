// Atomic and volatile accesses that race only=optimised with nothing, and whose order decides a value all the same: a warning.

//@ bug reset_beside_adds race only=optimised block=64 args="int32[1]= int32[64]="
extern "C" __global__ void reset_beside_adds(int* sum, int* x) {
  if (threadIdx.x == 0) atomicExch(sum, 0);
  atomicAdd(sum, x[threadIdx.x]);  //! severity=warning name=order-decides says=order_of_threads_decides
}

//@ bug reset_by_a_volatile_store race only=optimised block=64 args="int32[1]= int32[64]="
extern "C" __global__ void reset_by_a_volatile_store(int* sum, int* x) {
  if (threadIdx.x == 0) *(volatile int*)sum = 0;
  atomicAdd(sum, x[threadIdx.x]);  //! severity=warning name=order-decides
}

//@ bug sum_read_too_early race only=optimised block=64 args="int32[1]= int32[64]= int32[1]"
extern "C" __global__ void sum_read_too_early(int* sum, int* x, int* out) {
  atomicAdd(sum, x[threadIdx.x]);
  if (threadIdx.x == 0) out[0] = atomicAdd(sum, 0) * 2;  //! severity=warning name=order-decides
}

//@ bug volatile_sum_read_too_early race only=optimised grid=2 block=64 args="int32[1]= int32[64]= int32[2]"
extern "C" __global__ void volatile_sum_read_too_early(int* sum, int* x, int* out) {
  atomicAdd(sum, x[threadIdx.x]);  //! severity=warning name=order-decides
  __syncthreads();  // not of the other block
  if (threadIdx.x == 0) out[blockIdx.x] = *(volatile int*)sum;
}

//@ bug bounds_of_two_kinds race only=optimised block=64 args="int32[1]= int32[64]="
extern "C" __global__ void bounds_of_two_kinds(int* bound, int* x) {
  if (threadIdx.x % 2) atomicMax(bound, x[threadIdx.x]);  //! severity=warning name=order-decides
  else atomicMin(bound, 40);
}

//@ bug shared_reset_beside_adds race only=optimised block=64 args="int32[64]= int32[1]"
extern "C" __global__ void shared_reset_beside_adds(int* x, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) atomicExch(&sum, 0);
  __syncthreads();
  atomicAdd(&sum, x[threadIdx.x]);
  if (threadIdx.x == 33) atomicExch(&sum, 7);  //! severity=warning name=order-decides
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}

//@ good reset_before_adds block=64 args="int32[1]= int32[64]="
extern "C" __global__ void reset_before_adds(int* sum, int* x) {
  if (threadIdx.x == 0) atomicExch(sum, 0);
  __syncthreads();
  atomicAdd(sum, x[threadIdx.x]);
}

//@ good sum_read_behind_a_barrier block=64 args="int32[1]= int32[64]= int32[1]"
extern "C" __global__ void sum_read_behind_a_barrier(int* sum, int* x, int* out) {
  atomicAdd(sum, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = atomicAdd(sum, 0);
}

//@ good last_block_resets grid=4 block=32 args="uint32[1]=0 int32[1]=0 int32[32]= int32[1]"
extern "C" __global__ void last_block_resets(unsigned* count, int* sum, int* x, int* out) {
  atomicAdd(sum, x[threadIdx.x]);
  __threadfence();
  __syncthreads();
  __shared__ bool last;
  if (threadIdx.x == 0) {
    last = atomicAdd(count, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    out[0] = atomicAdd(sum, 0);
    atomicExch(count, 0u);
  }
}

//@ good lock_and_unlock grid=4 block=1 args="int32[1]=0 int32[1]=0"
extern "C" __global__ void lock_and_unlock(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(lock, 0);
}

//@ good lock_by_exchange grid=4 block=1 args="int32[1]=0 int32[1]=0"
extern "C" __global__ void lock_by_exchange(int* lock, int* count) {
  while (atomicExch(lock, 1) != 0) {
  }
  __threadfence();
  *count += 1;
  __threadfence();
  *(volatile int*)lock = 0;
}

//@ good tickets_of_a_queue grid=4 block=32 args="int32[1]=0 int32[128]"
extern "C" __global__ void tickets_of_a_queue(int* tail, int* queue) {
  queue[atomicAdd(tail, 1)] = threadIdx.x;
}

//@ good polled_flag grid=2 block=1 args="int32[1]=0 int32[1]=0 int32[1]"
extern "C" __global__ void polled_flag(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    atomicExch(flag, 3);
  } else {
    int seen;
    while ((seen = *(volatile int*)flag) == 0) {
    }
    __threadfence();
    out[0] = *data + seen;
  }
}

//@ good float_maximum_by_swaps grid=2 block=32 args="float32[1]=0 float32[32]="
extern "C" __global__ void float_maximum_by_swaps(float* best, float* x) {
  int seen = *(volatile int*)best;
  while (__int_as_float(seen) < x[threadIdx.x]) {
    const int assumed = seen;
    seen = atomicCAS((int*)best, assumed, __float_as_int(x[threadIdx.x]));
    if (seen == assumed) break;
  }
}
