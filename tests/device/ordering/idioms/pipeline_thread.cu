// Tiles come through the pipelines of single threads, which a barrier makes those of the block.
//@ choice T int | unsigned | float | double
//@ choice N 64 | 128
//@ choice STEP 33 | 63
//@ choice WAIT pipe.consumer_wait(); | cuda::pipeline_consumer_wait_prior<0>(pipe);
//@ launch grid=1 block=$N
//@ array a $T 4*$N = rng.integers(0, 99, 4 * $N)
//@ array o $T $N
//@ expect o = np.roll(a.reshape(4, $N), -$STEP, axis=1).sum(axis=0)
#include <cuda/pipeline>
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T tile[$N];
  auto pipe = cuda::make_pipeline();
  const int i = threadIdx.x;
  $T sum = 0;
  for (int t = 0; t < 4; ++t) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[i], &a[t * $N + i], sizeof($T), pipe);
    @{commit: pipe.producer_commit(); }@
    @{wait: $WAIT }@
    @{filled: __syncthreads(); }@
    sum += tile[(i + $STEP) % $N];
    pipe.consumer_release();
    @{used: __syncthreads(); }@
  }
  o[i] = sum;
}
