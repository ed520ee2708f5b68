// A block copies tiles together with cooperative groups.
//@ choice T int | unsigned | float | double
//@ choice N 64 | 128
//@ choice STEP 33 | 63
//@ choice WAIT cg::wait(block); | cg::wait_prior<0>(block);
//@ launch grid=2 block=$N
//@ array a $T 6*$N = rng.integers(0, 99, 6 * $N)
//@ array o $T 2*$N
//@ expect o = np.roll(a.reshape(2, 3, $N), -$STEP, axis=2).sum(axis=1).reshape(-1)
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ alignas(16) $T tile[$N];
  auto block = cg::this_thread_block();
  const int i = threadIdx.x;
  $T sum = 0;
  for (int t = 0; t < 3; ++t) {
    cg::memcpy_async(block, tile, a + (blockIdx.x * 3 + t) * $N, $N * sizeof($T));
    @{wait: $WAIT ~ block.sync(); }@
    sum += tile[(i + $STEP) % $N];
    @{used: block.sync(); }@
  }
  o[blockIdx.x * $N + i] = sum;
}
