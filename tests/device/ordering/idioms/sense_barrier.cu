// A barrier of the grid by hand, for use in a loop: the last block to come starts the next generation.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ choice FENCE __threadfence(); | cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device); | asm volatile("fence.acq_rel.gpu;" ::: "memory");
//@ launch grid=4 block=$N cooperative=1
//@ array data $T 8*$N
//@ array count uint32 1 = 0
//@ array generation uint32 1 = 0
//@ array o $T 4*$N
//@ expect o = (np.roll(np.arange(4), -3)[:, None] * 10 + np.arange($N)[::-1] + 3).reshape(-1)
#include <cuda/atomic>
__device__ void all_blocks(unsigned* count, unsigned* generation) {
  @{written: __syncthreads(); }@
  if (threadIdx.x == 0) {
    const unsigned now = *(volatile unsigned*)generation;
    @{release: $FENCE }@
    if (atomicAdd(count, 1) == gridDim.x - 1) {
      atomicExch(count, 0);
      @{next: $FENCE }@
      atomicExch(generation, now + 1);
    } else {
      while (*(volatile unsigned*)generation == now) {}
    }
    @{acquire: $FENCE }@
  }
  @{told: __syncthreads(); }@
}
extern "C" __global__ void $K($T* data, unsigned* count, unsigned* generation, $T* o) {
  const int i = threadIdx.x, b = blockIdx.x;
  data[b * $N + i] = b * 10 + i;
  for (int step = 0; step < 3; ++step) {
    all_blocks(count, generation);
    const $T* from = data + step % 2 * 4 * $N;
    data[(step + 1) % 2 * 4 * $N + b * $N + i] = from[(b + 1) % 4 * $N + $N - 1 - i] + 1;
  }
  o[b * $N + i] = data[4 * $N + b * $N + i];
}
