// Each block waits for the row of the block before it.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ choice SCOPE device | system
//@ launch grid=4 block=$N
//@ array a $T 4*$N = rng.integers(0, 9, 4 * $N)
//@ array ready int32 4 = 0
//@ array o $T 4*$N
//@ expect o = np.array([sum(np.roll(a.reshape(4, $N)[r], r - b) for r in range(b + 1)) for b in range(4)]).reshape(-1)
#include <cuda/atomic>
extern "C" __global__ void $K(const $T* a, int* ready, $T* o) {
  using flag = cuda::atomic_ref<int, cuda::thread_scope_$SCOPE>;
  const int i = threadIdx.x, b = blockIdx.x;
  $T sum = a[b * $N + i];
  if (b > 0) {
    if (i == 0) flag(ready[b - 1]).wait(0, cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@);
    @{told: __syncthreads(); }@
    sum += o[(b - 1) * $N + (i + 1) % $N];
  }
  o[b * $N + i] = sum;
  @{written: __syncthreads(); }@
  if (i == 0) flag(ready[b]).store(1, cuda::@{release: memory_order_release ~ memory_order_relaxed }@);
}
