// The warps of a block take turns at a record in shared memory by a lock.
//@ choice T int | unsigned
//@ choice TRY atomicCAS | atomicCAS_block
//@ choice FREE atomicExch | atomicExch_block
//@ choice FENCE __threadfence_block(); | cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block); | asm volatile("fence.acq_rel.cta;" ::: "memory");
//@ launch grid=2 block=128
//@ array o $T 4
//@ expect o = [6, 4, 6, 4]
#include <cuda/atomic>
extern "C" __global__ void $K($T* o) {
  __shared__ $T sum, count;
  __shared__ int lock;
  if (threadIdx.x == 0) sum = count = lock = 0;
  @{made: __syncthreads(); }@
  if (threadIdx.x % 32 == 0) {
    while ($TRY(&lock, 0, 1) != 0) {}
    @{acquire: $FENCE }@
    sum += threadIdx.x / 32;
    count += 1;
    @{release: $FENCE }@
    $FREE(&lock, 0);
  }
  @{done: __syncthreads(); }@
  if (threadIdx.x == 40) {
    o[blockIdx.x * 2] = sum;
    o[blockIdx.x * 2 + 1] = count;
  }
}
