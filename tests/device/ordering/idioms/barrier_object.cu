// A warp fills a place of shared memory, another one reads it: two barrier objects for full and empty.
//@ choice T int | unsigned | float
//@ launch grid=1 block=64
//@ array a $T 128 = rng.integers(0, 99, 128)
//@ array o $T 128
//@ expect o = a.reshape(4, 32)[:, ::-1].reshape(-1)
#include <cuda/barrier>
extern "C" __global__ void $K(const $T* a, $T* o) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full, empty;
  __shared__ $T place[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  @{made: __syncthreads(); }@
  for (int t = 0; t < 4; ++t) {
    if (threadIdx.x < 32) {
      if (t > 0) empty.arrive_and_wait();
      @{full: ~ (void)full.arrive(); }@
      place[lane] = a[t * 32 + lane];
      @{full: (void)full.arrive(); ~ }@
    } else {
      full.arrive_and_wait();
      @{empty: ~ (void)empty.arrive(); }@
      o[t * 32 + lane] = place[31 - lane];
      @{empty: (void)empty.arrive(); ~ }@
    }
  }
}
