// Each block adds up its part; the last one to count adds up the sums.
//@ choice T int | unsigned | float
//@ choice N 64 | 128
//@ choice FENCE __threadfence(); | cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device); | asm volatile("fence.acq_rel.gpu;" ::: "memory");
//@ launch grid=6 block=$N
//@ array a $T 6*$N = rng.integers(0, 9, 6 * $N)
//@ array part $T 6
//@ array count int32 1 = 0
//@ array o $T 1
//@ expect o = a.sum()
#include <cuda/atomic>
extern "C" __global__ void $K(const $T* a, $T* part, int* count, $T* o) {
  __shared__ $T sum;
  __shared__ bool last;
  const int i = threadIdx.x;
  if (i == 0) sum = 0;
  @{cleared: __syncthreads(); }@
  atomicAdd(&sum, ($T)a[blockIdx.x * $N + i]);
  @{added: __syncthreads(); }@
  if (i == 0) {
    part[blockIdx.x] = sum;
    @{release: $FENCE }@
    last = atomicAdd(count, 1) == gridDim.x - 1;
    @{acquire: $FENCE }@
  }
  @{told: __syncthreads(); }@
  if (last && i == 32) {
    $T all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += part[b];
    *o = all;
  }
}
