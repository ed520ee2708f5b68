// Tiles come through a pipeline of the block, one ahead of that which is read.
//@ choice T int | unsigned | float | double
//@ choice N 64 | 128
//@ choice STEP 33 | 63
//@ launch grid=1 block=$N
//@ array a $T 6*$N = rng.integers(0, 99, 6 * $N)
//@ array o $T $N
//@ expect o = np.roll(a.reshape(6, $N), -$STEP, axis=1).sum(axis=0)
#include <cooperative_groups.h>
#include <cuda/pipeline>
extern "C" __global__ void $K(const $T* a, $T* o) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ $T tile[2][$N];
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  const int i = threadIdx.x;
  $T sum = 0;
  for (int t = 0; t < 7; ++t) {
    if (t < 6) {
      @{empty: pipe.producer_acquire(); }@
      cuda::memcpy_async(&tile[t % 2][i], &a[t * $N + i], sizeof($T), pipe);
      pipe.producer_commit();
    }
    if (t > 0) {
      @{full: pipe.consumer_wait(); }@
      @{used: ~ pipe.consumer_release(); }@
      sum += tile[(t - 1) % 2][(i + $STEP) % $N];
      @{used: pipe.consumer_release(); ~ }@
    }
  }
  o[i] = sum;
}
