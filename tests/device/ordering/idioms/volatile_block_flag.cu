// A warp hands its elements to another one by a volatile flag in shared memory and fences of the block.
//@ choice T int | unsigned | float | double
//@ choice FENCE __threadfence_block(); | cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block); | asm volatile("fence.acq_rel.cta;" ::: "memory"); | asm volatile("membar.cta;" ::: "memory");
//@ launch grid=2 block=64
//@ array a $T 64 = rng.integers(0, 99, 64)
//@ array o $T 64
//@ expect o = a.reshape(2, 32)[:, ::-1].reshape(-1)
#include <cuda/atomic>
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T place[32];
  __shared__ int flag;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) flag = 0;
  @{made: __syncthreads(); }@
  if (threadIdx.x < 32) {
    place[lane] = a[blockIdx.x * 32 + lane];
    @{written: __syncwarp(); }@
    if (lane == 0) {
      @{release: $FENCE }@
      *(volatile int*)&flag = 1;
    }
  } else {
    if (lane == 0) {
      while (*(volatile int*)&flag == 0) {}
      @{acquire: $FENCE }@
    }
    @{told: __syncwarp(); }@
    o[blockIdx.x * 32 + lane] = place[31 - lane];
  }
}
