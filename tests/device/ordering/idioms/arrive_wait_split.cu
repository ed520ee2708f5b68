// Threads arrive at a barrier, do something else, and wait for the others.
//@ choice T int | unsigned | float
//@ choice N 64 | 128
//@ choice STEP 33 | 63
//@ launch grid=2 block=$N
//@ array a $T 6*$N = rng.integers(0, 99, 6 * $N)
//@ array o $T 6*$N
//@ expect o = (np.roll(a.reshape(6, $N), -$STEP, axis=1) + 2 * a.reshape(6, $N)).reshape(-1)
#include <cuda/barrier>
extern "C" __global__ void $K(const $T* a, $T* o) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> filled;
  __shared__ $T tile[$N];
  const int i = threadIdx.x;
  if (i == 0) init(&filled, $N);
  @{made: __syncthreads(); }@
  for (int t = 0; t < 3; ++t) {
    const int first = (blockIdx.x * 3 + t) * $N;
    @{arrive: ~ auto token = filled.arrive(); }@
    tile[i] = a[first + i];
    @{arrive: auto token = filled.arrive(); ~ }@
    const $T mine = 2 * a[first + i];
    @{wait: filled.wait(cuda::std::move(token)); ~ (void)token; }@
    o[first + i] = tile[(i + $STEP) % $N] + mine;
    @{used: __syncthreads(); }@
  }
}
