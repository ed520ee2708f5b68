// A block goes through its elements tile by tile; each thread reads the tile of its neighbour.
//@ choice T int | unsigned | float
//@ choice N 64 | 128
//@ choice STEP 33 | 40 | 63
//@ choice SYNC __syncthreads(); | cg::this_thread_block().sync(); | asm volatile("barrier.sync 0;" ::: "memory");
//@ launch grid=2 block=$N
//@ array a $T 8*$N = rng.integers(0, 99, 8 * $N)
//@ array o $T 2*$N
//@ expect o = np.roll(a.reshape(2, 4, $N), -$STEP, axis=2).sum(axis=1).reshape(-1)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T tile[$N];
  const int i = threadIdx.x;
  $T sum = 0;
  for (int t = 0; t < 4; ++t) {
    tile[i] = a[(blockIdx.x * 4 + t) * $N + i];
    @{filled: $SYNC }@
    sum += tile[(i + $STEP) % $N];
    @{used: $SYNC }@
  }
  o[blockIdx.x * $N + i] = sum;
}
