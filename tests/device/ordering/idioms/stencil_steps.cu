// Steps of a stencil over the whole grid, with a barrier of the grid by a number that only grows.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ choice STEPS 2 | 3
//@ choice SCOPE device | system
//@ launch grid=4 block=$N cooperative=1
//@ array data $T 8*$N = np.concatenate([rng.integers(0, 9, 4 * $N), np.zeros(4 * $N)])
//@ array arrived uint32 1 = 0
//@ array o $T 4*$N
//@ expect o = (lambda x: [x := np.roll(x, 1) + np.roll(x, -1) for _ in range($STEPS)][-1])(data[:4 * $N])
#include <cuda/atomic>
extern "C" __global__ void $K($T* data, unsigned* arrived, $T* o) {
  cuda::atomic_ref<unsigned, cuda::@{scope: thread_scope_$SCOPE ~ thread_scope_block }@> number(*arrived);
  const int n = 4 * $N, i = blockIdx.x * $N + threadIdx.x;
  for (int step = 0; step < $STEPS; ++step) {
    const $T* from = data + step % 2 * n;
    data[(step + 1) % 2 * n + i] = from[(i + 1) % n] + from[(i + n - 1) % n];
    @{written: __syncthreads(); }@
    if (threadIdx.x == 0) {
      number.fetch_add(1, cuda::@{release: memory_order_release ~ memory_order_relaxed }@);
      while (number.load(cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@) < (step + 1) * 4) {}
    }
    @{told: __syncthreads(); }@
  }
  o[i] = data[$STEPS % 2 * n + i];
}
