// Tiles of a few threads exchange elements by way of shared memory.
//@ choice T int | unsigned | float | double
//@ choice SIZE 4 | 8 | 16
//@ choice SYNC tile.sync(); | cg::sync(tile); | __syncwarp(mask);
//@ launch grid=1 block=64
//@ array a $T 64 = rng.integers(0, 99, 64)
//@ array o $T 64
//@ expect o = (lambda x: x + 2 * np.roll(x, -1, 1) + np.roll(x, -2, 1))(a.reshape(-1, $SIZE)).reshape(-1)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T place[64];
  auto tile = cg::tiled_partition<$SIZE>(cg::this_thread_block());
  const int i = threadIdx.x, rank = tile.thread_rank();
  const unsigned mask = ((1u << $SIZE) - 1) << (i % 32 - rank);
  $T sum = a[i];
  for (int step = 0; step < 2; ++step) {
    place[i] = sum;
    @{filled: $SYNC }@
    sum += place[i - rank + (rank + 1) % $SIZE];
    @{used: $SYNC }@
  }
  o[i] = sum;
}
